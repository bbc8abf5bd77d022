//! `--junit FILE`: what CI servers read, a case for each test.

use std::path::Path;
use std::time::Duration;

use flex_gate::trials::Verdict;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

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
        Verdict::NotBegun | Verdict::Skipped => TestCaseStatus::skipped(),
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
    let mut case = TestCase::new(test.name.as_str(), status);
    case.set_time(Duration::try_from_secs_f64(test.seconds).unwrap_or_default());
    case.set_system_out(format!("{}: {words}", test.verdict.name()));
    case
}
