//! What tests touch and execute: the file between `trace`, which runs tests, and whoever learns or selects from it.
//!
//! JSON, with `version = 2` (docs/reference/trace-file.md). Every test was run once. What it touched that can differ from
//! run to run is always there where it could be watched; the functions that it executed are there if all calls were traced.

pub mod campaign;
mod csv;
mod durations;
mod function;
pub mod learn;
mod source;

use std::path::PathBuf;

use flex_run::model::{Place, Probe, Runner, TestId, Variability};
use serde::{Deserialize, Serialize};

use crate::record::{Outcome, RecordError, json};
pub use durations::{Durations, smallest_first};
pub use function::{Calls, Function};
pub use source::TracedFile;

/// The version of the format.
pub const VERSION: u32 = 2;

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
    /// The source files of the project that were loaded, as they were; none if calls were not traced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<TracedFile>,
    /// The functions that any test executed, if calls were traced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<Function>,
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
    /// The functions that it executed, between its call and its return.
    #[serde(rename = "functions", default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Calls>,
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
        let trace: Trace = json::versioned(text, VERSION)?;
        let known = trace.functions.len();
        let calls = trace.tests.iter().flat_map(|test| &test.calls);
        match calls.map(|calls| calls.function).find(|f| *f >= known) {
            Some(function) => Err(RecordError::Unreadable(format!(
                "there is no function {function} among {known}"
            ))),
            None => Ok(trace),
        }
    }

    /// The functions that a test of this trace executed, and how often.
    pub fn executed<'a>(
        &'a self,
        test: &'a TracedTest,
    ) -> impl Iterator<Item = (&'a Function, u64)> {
        let function = |calls: &Calls| Some((self.functions.get(calls.function)?, calls.count));
        test.calls.iter().filter_map(function)
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
            files: vec![TracedFile::new("pool.py", b"")],
            functions: vec![Function {
                function: "start_new_thread".to_owned(),
                ..Function::default()
            }],
            tests: vec![TracedTest {
                id: TestId::Pytest {
                    node: "tests/test_a.py::test_b".to_owned(),
                },
                package: None,
                place: Place::new("tests/test_a.py", 3),
                outcome: Outcome::Pass,
                seconds: 0.25,
                probe: Some([touch].into_iter().collect()),
                calls: vec![Calls {
                    function: 0,
                    count: 3,
                }],
            }],
        };
        let text = trace.to_json();
        let executed: Vec<_> = trace.executed(&trace.tests[0]).collect();
        assert_eq!(executed, [(&trace.functions[0], 3)]);
        assert_eq!(Trace::parse(&text), Ok(trace));
        let newer = Trace::parse(r#"{"version": 3}"#);
        assert_eq!(newer, Err(RecordError::Newer(3)));
        let wrong = Trace::parse(&text.replace("[[0,3]]", "[[1,3]]"));
        assert!(
            matches!(wrong, Err(RecordError::Unreadable(_))),
            "{wrong:?}"
        );
        assert!(matches!(
            Trace::parse("<<<<<<<"),
            Err(RecordError::Unreadable(_))
        ));
    }
}
