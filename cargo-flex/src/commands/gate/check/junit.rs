//! `--junit FILE`: what CI servers read, a case for each test.

use std::path::Path;
use std::time::Duration;

use flex_gate::trials::TrialVerdict;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};

use super::checked::{Checked, CheckedTest};
use crate::exit::Failure;

/// Writes the file.
pub fn write(path: &Path, checked: &Checked) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::input(
            format!("cannot write {}: {error}", path.display()),
            "name a file in a folder that is there, with --junit",
        )
    };
    let mut suite = TestSuite::new("flex gate");
    suite.add_test_cases(checked.tests.iter().map(case));
    let mut report = Report::new("flex");
    report.add_test_suite(suite);
    let text = report.to_string().map_err(|error| failed(&error))?;
    std::fs::write(path, text).map_err(|error| failed(&error))
}

fn case(test: &CheckedTest) -> TestCase {
    let mut status = match &test.verdict {
        verdict if verdict.blocks() => TestCaseStatus::non_success(NonSuccessKind::Failure),
        TrialVerdict::NotBegun | TrialVerdict::Skipped => TestCaseStatus::skipped(),
        _ => TestCaseStatus::success(),
    };
    let words = test.verdict.words();
    if test.verdict.blocks() {
        let failure = test.failure.as_ref();
        let replay = failure
            .and_then(|failure| failure.2.clone())
            .unwrap_or_default();
        let why = failure.map_or("", |failure| &failure.0);
        status
            .set_type(test.verdict.name())
            .set_message(words.as_str())
            .set_description(format!("{words}\n{why}\n{replay}"));
    }
    status.add_reruns(test.further.iter().map(|(why, seed, replay)| {
        let replay = replay.as_deref().unwrap_or_default();
        let mut rerun = TestRerun::new(NonSuccessKind::Failure);
        rerun
            .set_type(test.verdict.name())
            .set_message(why.as_str())
            .set_description(format!("{why}\nseed {seed}\n{replay}"));
        rerun
    }));
    let mut case = TestCase::new(test.name.as_str(), status);
    case.set_time(Duration::try_from_secs_f64(test.seconds).unwrap_or_default());
    case.set_system_out(format!("{}: {words}", test.verdict.name()));
    case
}

#[cfg(test)]
mod tests {
    use flex_gate::trials::Before;

    use super::*;

    #[test]
    fn further_runs_that_failed_are_reruns() {
        let why = |run: u32| (format!("why {run}"), format!("a@detect:{run}"), None);
        let unknown = Before::Unknown { why: String::new() };
        let test = CheckedTest {
            name: "t".to_owned(),
            place: None,
            verdict: TrialVerdict::of(&[true, true, true], false, unknown),
            failure: Some(why(0)),
            further: vec![why(1), why(2)],
            touches: Vec::new(),
            notes: Vec::new(),
            seconds: 1.0,
        };
        let mut suite = TestSuite::new("s");
        suite.add_test_case(case(&test));
        let xml = Report::new("r").add_test_suite(suite).to_string().unwrap();
        assert_eq!(xml.matches("<failure ").count(), 1, "{xml}");
        assert_eq!(xml.matches("<rerunFailure ").count(), 2, "{xml}");
        assert!(xml.contains("why 2\nseed a@detect:2"), "{xml}");
    }
}
