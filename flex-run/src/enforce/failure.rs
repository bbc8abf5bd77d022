//! Failures: why a test fails, as a value.

use std::path::PathBuf;

use flex_core::seed::SeedRequest;

use super::problem::Problem;
use crate::model::{Inconclusive, Test};

/// Why a test fails. Its `Display` is the report for people, [`FailedTest::json`] the one for programs.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedTest {
    /// The test.
    pub test: Test,
    /// What repeats this verdict.
    pub seed: SeedRequest,
    /// Why it fails.
    pub reason: Reason,
    /// Whether the test changed since calibration.
    pub is_stale: bool,
    /// The bounds file that it was judged by.
    pub bounds_file: PathBuf,
    /// Attempts at the run in question that failed by themselves.
    pub failed_attempts: u32,
    /// Runs that told nothing.
    pub inconclusive: Inconclusive,
    /// Whether the time for claims was up.
    pub is_late: bool,
}

/// Why a test fails.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// For what its sites showed.
    Problems(Vec<Problem>),
    /// For having changed since calibration, as `FLEX_STALE=fail` asks; and for what its sites showed besides.
    Stale(Vec<Problem>),
    /// For something that is wrong with the test itself, whatever its values are.
    Mistakes(Vec<String>),
    /// For nothing that could be decided: too many runs are inconclusive.
    Inconclusive,
}

impl FailedTest {
    /// What its sites showed.
    pub fn problems(&self) -> &[Problem] {
        match &self.reason {
            Reason::Problems(problems) | Reason::Stale(problems) => problems,
            Reason::Mistakes(_) | Reason::Inconclusive => &[],
        }
    }

    /// The command that repeats the verdict.
    pub fn replay(&self) -> String {
        self.test.commands().replay(&self.seed)
    }
}

/// A problem that does not fail its test.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// The test.
    pub test: Test,
    /// The problem.
    pub problem: Problem,
}
