//! Problems of tests and their bounds, for whoever shows them: the terminal, a file for CI, annotations.

use std::fmt;

use flex_bounds::file::BoundsFile;
use flex_core::visible::visible;
use flex_run::calibrate::{CalibrationError, LearnedSite, TestCalibration};

use super::outcome::{TestFailure, TestResult};
use crate::cargo::FoundTest;
use crate::exit::Exit;

/// A test with its problems.
#[derive(Clone)]
pub struct TestWithProblems<'a> {
    pub test: &'a FoundTest<'a>,
    /// Its calibration, if there is one.
    pub calibration: Option<&'a TestCalibration>,
    pub problems: Vec<CalibrationProblem>,
}

/// Something that speaks against a test or its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalibrationProblem {
    pub kind: ProblemKind,
    pub words: String,
}

/// The kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    NotCalibrated,
    /// No time was left for it.
    NoTime,
    /// Somebody ended the session before it was done.
    Interrupted,
    NotWritten,
    /// A run did not end.
    Hangs,
    FailedByItself,
    /// Values look like a bug.
    Suspected,
    /// Fresh runs disagree with the bounds file.
    Contradiction,
    WaitsForReview,
    Refused,
}

impl ProblemKind {
    /// Whether nothing is known of the test, as opposed to something bad.
    pub fn is_error(self) -> bool {
        matches!(
            self,
            ProblemKind::NotCalibrated
                | ProblemKind::NoTime
                | ProblemKind::Interrupted
                | ProblemKind::NotWritten
        )
    }

    /// What it says about the exit code of a check.
    pub fn exit(self) -> Exit {
        match self {
            ProblemKind::NoTime => Exit::Refused,
            ProblemKind::Interrupted => Exit::Interrupted,
            kind if kind.is_error() => Exit::Build,
            _ => Exit::Findings,
        }
    }

    /// The kind in a word or two.
    pub fn as_str(self) -> &'static str {
        match self {
            ProblemKind::NotCalibrated => "not calibrated",
            ProblemKind::NoTime => "no time left",
            ProblemKind::Interrupted => "interrupted",
            ProblemKind::NotWritten => "not written",
            ProblemKind::Hangs => "hangs",
            ProblemKind::FailedByItself => "failed by itself",
            ProblemKind::Suspected => "suspected bug",
            ProblemKind::Contradiction => "contradiction",
            ProblemKind::WaitsForReview => "waits for a review",
            ProblemKind::Refused => "refused",
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl CalibrationProblem {
    fn new(kind: ProblemKind, words: impl Into<String>) -> Self {
        CalibrationProblem {
            kind,
            words: words.into(),
        }
    }

    fn of_failure(failure: &TestFailure) -> Self {
        match failure {
            TestFailure::Calibration(error) => {
                let kind = match error {
                    CalibrationError::Hung(_) => ProblemKind::Hangs,
                    CalibrationError::NoTime => ProblemKind::NoTime,
                    CalibrationError::Interrupted => ProblemKind::Interrupted,
                    _ => ProblemKind::NotCalibrated,
                };
                Self::new(kind, error.to_string())
            }
            TestFailure::Store(error) => Self::new(ProblemKind::NotWritten, error.clone()),
        }
    }
}

impl<'a> TestWithProblems<'a> {
    /// A test that does what it did at its last calibration.
    pub fn unchanged(test: &'a FoundTest<'a>) -> Self {
        TestWithProblems {
            test,
            calibration: None,
            problems: Vec::new(),
        }
    }

    /// A test that was calibrated.
    pub fn calibrated(test: &'a FoundTest<'a>, outcome: &'a TestResult) -> Self {
        Self::new(test, outcome, of_calibration)
    }

    /// A test whose fresh runs are compared with what a bounds file has of it, among so many sites in all.
    pub fn compared(
        test: &'a FoundTest<'a>,
        outcome: &'a TestResult,
        file: &BoundsFile,
        sites: usize,
    ) -> Self {
        Self::new(test, outcome, |calibration| {
            let contradictions = calibration.contradictions(file, sites).into_iter();
            contradictions
                .map(|words| CalibrationProblem::new(ProblemKind::Contradiction, words))
                .chain(failures(calibration))
                .collect()
        })
    }

    fn new(
        test: &'a FoundTest<'a>,
        outcome: &'a TestResult,
        problems: impl Fn(&TestCalibration) -> Vec<CalibrationProblem>,
    ) -> Self {
        TestWithProblems {
            test,
            calibration: outcome.as_ref().ok(),
            problems: match outcome {
                Ok(calibration) => problems(calibration),
                Err(failure) => vec![CalibrationProblem::of_failure(failure)],
            },
        }
    }
}

/// Runs that failed by themselves.
fn failures(calibration: &TestCalibration) -> Option<CalibrationProblem> {
    let (run, why) = calibration.failures.first()?;
    let (failed, runs) = (calibration.failures.len(), calibration.runs);
    let why = why.lines().next().unwrap_or_default();
    Some(CalibrationProblem::new(
        ProblemKind::FailedByItself,
        format!("{failed} of {runs} runs failed by themselves, run {run} with: {why}"),
    ))
}

fn of_calibration(calibration: &TestCalibration) -> Vec<CalibrationProblem> {
    let mut problems: Vec<CalibrationProblem> = failures(calibration).into_iter().collect();
    for (site, why) in calibration.pending() {
        let words = format!("{}: {why}; see `cargo flex review`", site.name);
        problems.push(CalibrationProblem::new(ProblemKind::WaitsForReview, words));
    }
    for (site, suspicion) in calibration.suspected() {
        let words = format!("{}: {suspicion}", site.name);
        problems.push(CalibrationProblem::new(ProblemKind::Suspected, words));
    }
    let is_suspected = |site: &LearnedSite| {
        calibration
            .suspected()
            .any(|(other, _)| other.name == site.name)
    };
    for site in calibration.refused().filter(|site| !is_suspected(site)) {
        let sides = site.entry.sides.iter();
        let mut reasons = sides.filter_map(|(_, side)| side.reason());
        let why = reasons.next().unwrap_or("no bound could be learned");
        let words = format!("{}: {}", site.name, visible(why));
        problems.push(CalibrationProblem::new(ProblemKind::Refused, words));
    }
    problems
}
