//! Python sources, and what is changed in them.

use std::fs::File;
use std::io::Write;

use flex_detect::record::{Given, Knob, ObservedSite, ObservedTest, Span};
use flex_run::model::{Place, Runner, TestId};
use serde_json::{Value, json};

use super::scenario::{FILE, changes, last_number, site, with_runs};

/// A patch of a Python source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonPatch {
    /// The source.
    pub before: String,
    /// The patched source.
    pub after: String,
    /// The lines, and the columns from which and up to which, of the numbers that were taken for such.
    pub numbers: Vec<(u32, u32, u32)>,
    /// The lines at which functions were taken to begin, with their names.
    pub functions: Vec<(u32, String)>,
}

/// Names the file that patches are appended to, a line of JSON each, for `python_patches.py`.
const PATCHES: &str = "FLEX_FUZZ_PATCHES";

/// Only the lines of assertions and decorators are others in a patched source. Whether it is Python still, Python itself
/// must say.
pub fn python_source(bytes: &[u8]) {
    let patches = python_patches(bytes);
    if let Some(path) = std::env::var_os(PATCHES) {
        let file = File::options().create(true).append(true).open(path);
        let mut file = file.expect("the file for patches can be written");
        for patch in &patches {
            writeln!(file, "{}", patch.json()).expect("the file for patches can be written");
        }
    }
}

impl PythonPatch {
    /// The patch as `python_patches.py` reads it.
    pub fn json(&self) -> Value {
        json!({
            "before": self.before,
            "after": self.after,
            "numbers": self.numbers,
            "functions": self.functions,
        })
    }
}

/// The patches of the source in an input.
pub fn python_patches(bytes: &[u8]) -> Vec<PythonPatch> {
    let Some((choice, source)) = bytes.split_first() else {
        return Vec::new();
    };
    let Ok(source) = str::from_utf8(source) else {
        return Vec::new();
    };
    let tests = tests(source);
    let functions = tests.iter().map(|test| {
        let name = test.name().rsplit("::").next().unwrap_or_default();
        (test.place.line, name.to_owned())
    });
    let functions: Vec<_> = functions.collect();
    let sites = tests.iter().flat_map(|test| &test.sites);
    let numbers: Vec<_> = sites.filter_map(number_of).collect();
    changes(Runner::Pytest, *choice, source, tests)
        .into_iter()
        .map(|change| PythonPatch {
            before: change.before,
            after: change.after,
            numbers: numbers.clone(),
            functions: functions.clone(),
        })
        .collect()
}

fn number_of(site: &ObservedSite) -> Option<(u32, u32, u32)> {
    match site.series.first()?.knob.as_ref()?.given {
        Given::Literal { span } => Some((span.line, span.column, span.end_column)),
        _ => None,
    }
}

/// The tests of a source: functions whose name begins with `test`, from their first decorator on.
fn tests(source: &str) -> Vec<ObservedTest> {
    let mut tests: Vec<(ObservedTest, Vec<ObservedSite>)> = Vec::new();
    let mut decorated = None;
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    for (number, line) in (1..).zip(source.split('\n')) {
        let words = line.trim_start();
        if words.starts_with('@') {
            decorated.get_or_insert(number);
            continue;
        }
        let words = words.strip_prefix("async ").unwrap_or(words);
        if let Some(rest) = words.strip_prefix("def ") {
            let name = rest.split('(').next().unwrap_or_default().trim();
            let begins = decorated.take().unwrap_or(number);
            if name.starts_with("test") && tests.len() < 4 {
                let id = TestId::pytest(format!("{FILE}::{name}"));
                let test = ObservedTest::new(id, Place::new(FILE, begins));
                tests.push((test, Vec::new()));
            }
        } else if !words.trim().is_empty() && !line.starts_with([' ', '\t']) {
            decorated = None;
        }
        let Some((_, sites)) = tests.last_mut() else {
            continue;
        };
        if let Some(found) =
            last_number(line).filter(|_| line.contains("assert") && sites.len() < 4)
        {
            let place = |column: usize| u32::try_from(column).unwrap_or(u32::MAX);
            let knob = Knob {
                text: found.text.to_owned(),
                given: Given::Literal {
                    span: Span {
                        line: number,
                        column: place(found.column),
                        end_line: number,
                        end_column: place(found.column + found.text.len()),
                    },
                },
            };
            sites.push(site((number, line), found.value, knob));
        }
    }
    let tests = tests.into_iter();
    tests.map(|(test, sites)| with_runs(test, sites)).collect()
}
