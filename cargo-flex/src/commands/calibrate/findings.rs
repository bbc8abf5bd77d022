//! What speaks against tests, for whoever shows it: a file for CI, or annotations.

use flex_bounds::file::BoundsFile;
use flex_run::calibrate::TestCalibration;

use super::{Outcome, TestFailure};
use crate::cargo::FoundTest;

/// A test with what was found.
pub struct TestFindings<'a> {
    pub test: &'a FoundTest<'a>,
    /// What came of it, if it could be calibrated.
    pub calibration: Option<&'a TestCalibration>,
    pub findings: Vec<Finding>,
}

/// Something that speaks against a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing, in a word or two.
    pub kind: &'static str,
    /// Whether the test could not be calibrated at all.
    pub is_error: bool,
    pub words: String,
}

impl Finding {
    fn new(kind: &'static str, words: impl Into<String>) -> Self {
        Finding {
            kind,
            is_error: false,
            words: words.into(),
        }
    }
}

impl<'a> TestFindings<'a> {
    /// What a calibration found.
    pub fn of(test: &'a FoundTest<'a>, outcome: &'a Outcome) -> Self {
        let findings = match outcome {
            Ok(calibration) => of_calibration(calibration),
            Err(failure) => vec![failed(failure)],
        };
        TestFindings {
            test,
            calibration: outcome.as_ref().ok(),
            findings,
        }
    }

    /// What speaks against what a bounds file has of the test, among so many sites that are compared.
    pub fn of_check(
        test: &'a FoundTest<'a>,
        outcome: &'a Outcome,
        file: &BoundsFile,
        compared: usize,
    ) -> Self {
        let findings = match outcome {
            Ok(calibration) => {
                let contradictions = calibration.contradictions(file, compared).into_iter();
                contradictions
                    .map(|words| Finding::new("contradiction", words))
                    .chain(failures(calibration))
                    .collect()
            }
            Err(failure) => vec![failed(failure)],
        };
        TestFindings {
            test,
            calibration: outcome.as_ref().ok(),
            findings,
        }
    }
}

fn failed(failure: &TestFailure) -> Finding {
    let (kind, words) = match failure {
        TestFailure::Calibration(error) => ("not calibrated", error.to_string()),
        TestFailure::Store(error) => ("not written", error.clone()),
    };
    Finding {
        kind,
        is_error: true,
        words,
    }
}

/// Runs that failed by themselves.
fn failures(calibration: &TestCalibration) -> Option<Finding> {
    let (run, why) = calibration.failures.first()?;
    let (failed, runs) = (calibration.failures.len(), calibration.runs);
    let why = why.lines().next().unwrap_or_default();
    Some(Finding::new(
        "failed by itself",
        format!("{failed} of {runs} runs failed by themselves, run {run} with: {why}"),
    ))
}

fn of_calibration(calibration: &TestCalibration) -> Vec<Finding> {
    let mut findings: Vec<Finding> = failures(calibration).into_iter().collect();
    for (site, why) in calibration.pending() {
        let words = format!("{}: {why}; see `cargo flex review`", site.name);
        findings.push(Finding::new("waits for a review", words));
    }
    for site in calibration.refused() {
        let mut reasons = site
            .entry
            .sides
            .iter()
            .filter_map(|(_, side)| side.reason());
        let why = reasons.next().unwrap_or("no bound could be learned");
        findings.push(Finding::new("refused", format!("{}: {why}", site.name)));
    }
    findings
}
