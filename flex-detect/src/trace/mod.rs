//! What tests touch and execute: the file between `trace`, which runs tests, and whoever learns or selects from it.
//!
//! JSON, with `version = 1`. Every test was run once. What it touched that can differ from run to run is always there
//! where it could be watched; the functions that it executed are there if all calls were traced.

pub mod campaign;
mod csv;
mod durations;
pub mod learn;

use std::path::PathBuf;

use flex_run::model::{Place, Probe, Runner, TestId, Variability};
use serde::{Deserialize, Serialize};

use crate::record::{Outcome, RecordError, json};
pub use durations::{Durations, smallest_first};

/// The version of the format.
pub const VERSION: u32 = 1;

/// What all tests of one project touched and executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// [`VERSION`].
    pub version: u32,
    /// Whoever ran the tests.
    #[serde(rename = "harness", with = "json::RunnerJson")]
    pub runner: Runner,
    /// The folder that files are relative to.
    pub root: PathBuf,
    /// Whether all calls were traced, so that the functions of each test are known.
    pub is_full: bool,
    /// The tests.
    pub tests: Vec<TracedTest>,
}

/// What one test touched and executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedTest {
    /// Which test it is.
    #[serde(flatten, with = "json::TestIdJson")]
    pub id: TestId,
    /// The package; `None` for pytest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Where its function begins.
    #[serde(flatten, with = "json::PlaceJson")]
    pub place: Place,
    /// How its run ended.
    pub outcome: Outcome,
    /// How long its run took.
    pub seconds: f64,
    /// What its run touched; `None` where nobody could watch.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "json::probe")]
    pub probe: Option<Probe>,
    /// The functions that it executed, if calls were traced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<ExecutedFunction>,
}

/// A function that a test executed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExecutedFunction {
    /// Its name.
    pub function: String,
    /// Its class; empty for a plain function.
    #[serde(default)]
    pub class: String,
    /// The file that it is in; empty for a function that is written in C.
    #[serde(default)]
    pub file: String,
    /// The line where it begins; 0 where that is not known.
    #[serde(default)]
    pub line: u32,
    /// How often it was called; where events end once a function was seen, 1.
    pub count: u64,
}

impl ExecutedFunction {
    /// Whether it is written in C.
    pub fn is_c(&self) -> bool {
        self.file.is_empty()
    }
}

impl TracedTest {
    /// Whether its runs can differ; `None` where nobody could watch.
    pub fn variability(&self) -> Option<Variability> {
        self.probe.as_ref().map(Probe::variability)
    }
}

impl Trace {
    /// Reads a trace.
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        json::versioned(text, VERSION)
    }

    /// The trace as text.
    pub fn to_json(&self) -> String {
        json::text(self)
    }
}

#[cfg(test)]
mod tests {
    use flex_run::model::{Cause, Touch};

    use super::*;

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        let touch = Touch {
            cause: Cause::Concurrency,
            what: "thread start".to_owned(),
            seeded: false,
            count: 3,
            place: Some(Place::new("pool.py", 41)),
        };
        let trace = Trace {
            version: VERSION,
            runner: Runner::Pytest,
            root: PathBuf::from("/project"),
            is_full: true,
            tests: vec![TracedTest {
                id: TestId::Pytest {
                    node: "tests/test_a.py::test_b".to_owned(),
                },
                package: None,
                place: Place::new("tests/test_a.py", 3),
                outcome: Outcome::Pass,
                seconds: 0.25,
                probe: Some([touch].into_iter().collect()),
                functions: vec![ExecutedFunction {
                    function: "start_new_thread".to_owned(),
                    class: String::new(),
                    file: String::new(),
                    line: 0,
                    count: 1,
                }],
            }],
        };
        assert_eq!(Trace::parse(&trace.to_json()), Ok(trace));
        let newer = Trace::parse(r#"{"version": 2}"#);
        assert_eq!(newer, Err(RecordError::Newer(2)));
        assert!(matches!(
            Trace::parse("<<<<<<<"),
            Err(RecordError::Unreadable(_))
        ));
    }
}
