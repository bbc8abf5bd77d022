//! Which tests are known to be flaky, and why: from a record of runs, or from a table that somebody made.

use std::collections::BTreeMap;

use flex_run::model::{Cause, Probe};

use super::csv;
use crate::record::{ObservedTest, Outcome, Record};

/// What is known of a test.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Label {
    /// Whether its runs disagreed.
    pub is_flaky: bool,
    /// The causes that are known or suspected.
    pub causes: Vec<Cause>,
}

/// What is known of tests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// By project, if that is stated, and by the name of the test.
    tests: BTreeMap<(Option<String>, String), Label>,
}

/// Why a table of labels cannot be used, and the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelError {
    /// The line.
    pub line: usize,
    /// What is wrong there.
    pub fault: LabelFault,
}

/// What is wrong with a table of labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelFault {
    /// There is no such column.
    NoColumn(&'static str),
    /// A row with so many fields, where there are so many columns.
    Length(usize, usize),
    /// Neither true nor false.
    NotABoolean(String),
    /// No cause that flex knows.
    UnknownCause(String),
    /// A quoted field without an end.
    Unclosed,
}

impl std::fmt::Display for LabelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.fault {
            LabelFault::NoColumn(name) => write!(
                f,
                "there is no column `{name}`; the first line names the columns: `test,flaky`, and if wanted `cause` and `project`"
            ),
            LabelFault::Length(fields, columns) => {
                write!(
                    f,
                    "{fields} fields, where the first line names {columns} columns"
                )
            }
            LabelFault::NotABoolean(word) => {
                write!(
                    f,
                    "`{word}` is neither true nor false, in the column `flaky`"
                )
            }
            LabelFault::UnknownCause(word) => {
                let names = Cause::ALL.map(Cause::as_str).join(", ");
                write!(f, "`{word}` is no cause; there are {names}")
            }
            LabelFault::Unclosed => f.write_str("a quotation mark is not closed"),
        }
    }
}

impl std::error::Error for LabelError {}

impl Labels {
    /// Labels by the runs of a record: flaky are tests of which one run passed and one failed. Causes are those that the
    /// runs touched and no seed decides.
    pub fn of_record(record: &Record) -> Self {
        let label = |test: &ObservedTest| {
            let has = |outcome| test.runs.iter().any(|run| run.outcome == outcome);
            let is_flaky = has(Outcome::Pass) && has(Outcome::Fail);
            let causes = test.probe.as_ref().filter(|_| is_flaky).map(suspected);
            let label = Label {
                is_flaky,
                causes: causes.unwrap_or_default(),
            };
            ((None, key(test.package.as_deref(), &test.id)), label)
        };
        Labels {
            tests: record.tests.iter().map(label).collect(),
        }
    }

    /// Labels by a table with the columns `test` and `flaky`, and if wanted `cause` and `project`.
    pub fn of_csv(text: &str) -> Result<Self, LabelError> {
        let wrong = |line, fault| LabelError { line, fault };
        let rows = csv::rows(text).map_err(|line| wrong(line, LabelFault::Unclosed))?;
        let mut rows = rows.into_iter();
        let head = rows.next().map(|(_, head)| head).unwrap_or_default();
        let column = |name: &str| head.iter().position(|word| word.trim() == name);
        let needed = |name| column(name).ok_or_else(|| wrong(1, LabelFault::NoColumn(name)));
        let (test, flaky) = (needed("test")?, needed("flaky")?);
        let (cause, project) = (column("cause"), column("project"));
        let mut tests = BTreeMap::new();
        for (line, row) in rows {
            if row.len() != head.len() {
                return Err(wrong(line, LabelFault::Length(row.len(), head.len())));
            }
            let is_flaky = match row[flaky].trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "1" => true,
                "false" | "no" | "0" => false,
                word => return Err(wrong(line, LabelFault::NotABoolean(word.to_owned()))),
            };
            let causes = match cause.map_or("", |cause| row[cause].trim()) {
                "" => Vec::new(),
                word => match Cause::named(word) {
                    Some(cause) => vec![cause],
                    None => return Err(wrong(line, LabelFault::UnknownCause(word.to_owned()))),
                },
            };
            let project = project.map(|project| row[project].clone());
            let key = (project.filter(|name| !name.is_empty()), row[test].clone());
            tests.insert(key, Label { is_flaky, causes });
        }
        Ok(Labels { tests })
    }

    /// What is known of a test of a project.
    pub fn of(&self, project: &str, test: &str) -> Option<&Label> {
        let in_project = (Some(project.to_owned()), test.to_owned());
        let anywhere = (None, in_project.1.clone());
        self.tests
            .get(&in_project)
            .or_else(|| self.tests.get(&anywhere))
    }
}

/// The name of a test in tables: its node id, or its package, target and path.
pub fn key(package: Option<&str>, id: &flex_run::model::TestId) -> String {
    let words = [package, id.target(), Some(id.name())];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The causes that no seed decides, each once.
fn suspected(probe: &Probe) -> Vec<Cause> {
    let free = probe.touches().iter().filter(|touch| !touch.seeded);
    let mut causes: Vec<Cause> = free.map(|touch| touch.cause).collect();
    causes.dedup();
    causes
}

#[cfg(test)]
mod tests {
    use flex_run::model::{Place, Runner, TestId, Touch};

    use super::*;
    use crate::record::{ObservedRun, Reader, VERSION};

    #[test]
    fn tests_whose_runs_disagree_are_flaky() {
        let test = |name: &str, outcomes: &[Outcome]| {
            let run = |(index, outcome): (usize, &Outcome)| ObservedRun {
                index: index as u32,
                outcome: *outcome,
                why: None,
                failed_site: None,
            };
            let touch = |cause, seeded| Touch {
                cause,
                what: "it".to_owned(),
                seeded,
                count: 1,
                place: None,
            };
            let touches = [touch(Cause::Randomness, true), touch(Cause::Time, false)];
            ObservedTest {
                runs: outcomes.iter().enumerate().map(run).collect(),
                probe: Some(touches.into_iter().collect()),
                ..ObservedTest::new(TestId::pytest(name), Place::new("a.py", 1))
            }
        };
        use Outcome::{Fail, Pass, Skip};
        let record = Record {
            version: VERSION,
            runner: Runner::Pytest,
            base: "b".to_owned(),
            root: "/p".into(),
            rerun_marker: None,
            tests: vec![
                test("flaky", &[Pass, Skip, Fail]),
                test("broken", &[Fail, Fail, Skip]),
            ],
            reader: Reader::default(),
        };
        let labels = Labels::of_record(&record);
        let flaky = labels.of("p", "flaky").unwrap();
        assert!(flaky.is_flaky);
        assert_eq!(flaky.causes, [Cause::Time]);
        assert_eq!(labels.of("p", "broken"), Some(&Label::default()));
        assert_eq!(labels.of("p", "other"), None);
    }

    #[test]
    fn a_table_is_read_by_its_columns() {
        let table = "flaky,test,cause,project\nyes,\"a.py::t[1,2]\",time,p\n0,a.py::u,,\n";
        let labels = Labels::of_csv(table).unwrap();
        assert_eq!(
            labels.of("p", "a.py::t[1,2]").unwrap().causes,
            [Cause::Time]
        );
        assert_eq!(labels.of("q", "a.py::t[1,2]"), None);
        assert!(!labels.of("q", "a.py::u").unwrap().is_flaky);
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said() {
        let check = |table: &str, expected: &str| {
            let error = Labels::of_csv(table).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "no column `test`");
        check("test\na", "no column `flaky`");
        check("test,flaky\na,maybe", "line 2: `maybe` is neither");
        check("test,flaky\na,1\nb", "line 3: 1 fields");
        check("test,flaky,cause\na,1,weather", "`weather` is no cause");
        check("test,flaky\n\"a,1", "line 2: a quotation mark");
    }
}
