//! The functions that tests executed as a table: comma-separated values (RFC 4180), one line for a test and a function.
//!
//! | column | holds |
//! |---|---|
//! | `test_file`, `test_class`, `test` | the test: the file and the name of its function, and its class or module |
//! | `parametrisation` | the parameters, as pytest names them |
//! | `function`, `class`, `file` | the function; no file for one that is written in C |
//! | `count` | how often it was called, or 1 where that is not known |

use std::borrow::Cow;

use flex_run::model::TestId;

use super::{Trace, TracedTest};

/// The names of the columns.
pub const COLUMNS: [&str; 8] = [
    "test_file",
    "test_class",
    "test",
    "parametrisation",
    "function",
    "class",
    "file",
    "count",
];

impl Trace {
    /// The functions that tests executed, as comma-separated values with a head.
    pub fn to_csv(&self) -> String {
        let mut text = line(COLUMNS);
        for test in &self.tests {
            let [file, class, name, parameters] = parts(test);
            for (executed, count) in self.executed(test) {
                text += &line([
                    file,
                    class,
                    name,
                    parameters,
                    &executed.function,
                    &executed.class,
                    &executed.file,
                    &count.to_string(),
                ]);
            }
        }
        text
    }
}

/// File, class, name and parameters of a test.
fn parts(test: &TracedTest) -> [&str; 4] {
    match &test.id {
        TestId::Pytest { node } => {
            let (file, rest) = node.split_once("::").unwrap_or((node, ""));
            // Parameters may hold anything.
            let (path, parameters) = match rest.split_once('[') {
                Some((path, parameters)) => {
                    (path, parameters.strip_suffix(']').unwrap_or(parameters))
                }
                None => (rest, ""),
            };
            let (class, name) = path.rsplit_once("::").unwrap_or(("", path));
            [file, class, name, parameters]
        }
        TestId::Cargo { path, .. } => {
            let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
            [&test.place.file, module, name, ""]
        }
    }
}

fn line(fields: [&str; 8]) -> String {
    fields.map(quoted).join(",") + "\n"
}

/// A field, in quotes if it holds what would end it.
fn quoted(field: &str) -> Cow<'_, str> {
    match field.contains([',', '"', '\n', '\r']) {
        true => Cow::Owned(format!("\"{}\"", field.replace('"', "\"\""))),
        false => Cow::Borrowed(field),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use flex_run::model::{Place, Runner};

    use super::*;
    use crate::record::Outcome;
    use crate::trace::{Calls, Function, VERSION};

    fn check(id: TestId, expected: &str) {
        let function = |name: &str, class: &str, file: &str| Function {
            function: name.to_owned(),
            class: class.to_owned(),
            file: file.to_owned(),
            ..Function::default()
        };
        let trace = Trace {
            version: VERSION,
            runner: Runner::Pytest,
            root: PathBuf::from("/project"),
            is_full: true,
            files: Vec::new(),
            functions: vec![
                function("open", "", ""),
                function("wait", "Condition", "threading.py"),
            ],
            tests: vec![TracedTest {
                id,
                package: None,
                place: Place::new("src/lib.rs", 3),
                outcome: Outcome::Pass,
                seconds: 0.25,
                probe: None,
                calls: [(1, 2), (0, 1)].map(Calls::from).to_vec(),
            }],
        };
        let head = "test_file,test_class,test,parametrisation,function,class,file,count\n";
        let rows = ["wait,Condition,threading.py,2", "open,,,1"];
        let rows = rows.map(|row| format!("{expected},{row}\n")).concat();
        assert_eq!(trace.to_csv(), format!("{head}{rows}"));
    }

    #[test]
    fn a_test_is_file_class_name_and_parameters() {
        let pytest = |node: &str| TestId::Pytest {
            node: node.to_owned(),
        };
        check(pytest("a/test_a.py::test_b"), "a/test_a.py,,test_b,");
        check(
            pytest("test_a.py::TestC::test_b[1-x]"),
            "test_a.py,TestC,test_b,1-x",
        );
        check(
            pytest("test_a.py::Outer::Inner::test_b"),
            "test_a.py,Outer::Inner,test_b,",
        );
        check(
            pytest("test_a.py::test_b[a::b[0],\"]"),
            "test_a.py,,test_b,\"a::b[0],\"\"\"",
        );
        let cargo = TestId::Cargo {
            target: "lib".to_owned(),
            path: "m::tests::t".to_owned(),
        };
        check(cargo, "src/lib.rs,m::tests,t,");
    }
}
