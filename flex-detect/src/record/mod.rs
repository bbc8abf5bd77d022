//! What the assertions of existing tests compared, run by run: the file between whoever runs tests and whoever judges.
//!
//! JSON, with its version. Numbers that JSON does not know are the texts `nan`, `inf` and `-inf`. Lines are counted
//! from 1, columns in bytes from 0, as Python's `ast` has them.

pub(crate) mod json;
mod of_runs;
mod replay;
mod site;
mod test;

use std::path::PathBuf;

use flex_run::model::Runner;
use serde::{Deserialize, Serialize};

pub use json::Float;
pub use of_runs::{Repeated, RunsSource};
pub use replay::{CargoReplay, PytestReplay, RunnerReplay};
pub use site::{Given, Knob, ObservedSite, Role, Series, SourceText, Span};
pub use test::{LiteralSeed, ObservedRun, ObservedTest, Outcome, Repeat, RepeatPlace};

/// The version of the format. Version 1 held commands, which nobody should have run.
pub const VERSION: u32 = 2;

/// What all tests of one search showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`VERSION`].
    pub version: u32,
    /// Whoever ran the tests.
    #[serde(rename = "harness", with = "json::RunnerJson")]
    pub runner: Runner,
    /// The base seed.
    pub base: String,
    /// The folder of the project, which files are relative to.
    pub root: PathBuf,
    /// The marker by which the project already reruns tests, if it has one.
    #[serde(default)]
    pub rerun_marker: Option<RerunMarker>,
    /// The tests.
    pub tests: Vec<ObservedTest>,
    /// Whoever is shown commands; no part of the file.
    #[serde(skip)]
    pub reader: Reader,
}

/// Where the person stands who is shown commands, which is not where the record was made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reader {
    /// The folder that files are named from; `None` for the root of the record.
    pub folder: Option<PathBuf>,
    /// What they call the manifest of the workspace, if they must name it.
    pub manifest_path: Option<String>,
}

/// What a project reruns its tests with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RerunMarker {
    /// pytest-rerunfailures: `@pytest.mark.flaky(reruns=2)`.
    Rerunfailures,
    /// flaky: `@flaky(max_runs=3)`.
    Flaky,
}

/// Why a record cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordError {
    /// Not JSON, or not a record: what and where.
    Unreadable(String),
    /// Written by a newer flex.
    Newer(u32),
    /// Written by an older flex, in a format that is no longer read.
    Older(u32),
}

impl std::fmt::Display for RecordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RecordError::Unreadable(why) => write!(f, "not a record of flex: {why}"),
            RecordError::Newer(version) => write!(
                f,
                "version {version} of the format is newer than what this flex knows"
            ),
            RecordError::Older(version) => write!(
                f,
                "version {version} of the format is older than what this flex reads"
            ),
        }
    }
}

impl std::error::Error for RecordError {}

impl Record {
    /// Reads a record.
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        let record: Record = json::versioned(text, VERSION)?;
        for test in &record.tests {
            if let Some(replay) = &test.replay {
                replay
                    .check(&test.id, test.package.as_deref())
                    .map_err(RecordError::Unreadable)?;
            }
        }
        Ok(record)
    }

    /// The record as text.
    pub fn to_json(&self) -> String {
        json::text(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_said() {
        let newer = Record::parse(r#"{"version": 3, "surprise": true}"#);
        assert_eq!(newer, Err(RecordError::Newer(3)));
        let older = Record::parse(r#"{"version": 1, "tests": [{"replay": "sh -c {seed}"}]}"#);
        assert_eq!(older, Err(RecordError::Older(1)));
        for text in ["", "<<<<<<< HEAD", "{\"version\": 2}", "[]"] {
            assert!(
                matches!(Record::parse(text), Err(RecordError::Unreadable(_))),
                "{text}"
            );
        }
    }
}
