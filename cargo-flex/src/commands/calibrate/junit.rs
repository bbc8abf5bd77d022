//! `--junit FILE`: what CI servers read, one suite for each test program and one case for each test.

use std::path::Path;
use std::time::Duration;

use flex_core::words::count;
use flex_run::calibrate::{TestCalibration, line};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::problems::{CalibrationProblem, TestWithProblems};
use crate::exit::Failure;

/// Writes the file. Calibrations that teach bounds have their samples with them.
pub fn write(path: &Path, tests: &[TestWithProblems<'_>], teaches: bool) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::input(
            format!("cannot write {}: {error}", path.display()),
            "name a file in a folder that is there, with --junit",
        )
    };
    let text = report(tests, teaches)
        .to_string()
        .map_err(|error| failed(&error))?;
    std::fs::write(path, text).map_err(|error| failed(&error))
}

fn report(tests: &[TestWithProblems<'_>], teaches: bool) -> Report {
    let mut report = Report::new("flex");
    report.set_time(tests.iter().map(duration).sum());
    for of_program in tests.chunk_by(|a, b| program(a) == program(b)) {
        let mut suite = TestSuite::new(program(&of_program[0]));
        suite.set_time(of_program.iter().map(duration).sum());
        suite.add_test_cases(of_program.iter().map(|test| case(test, teaches)));
        report.add_test_suite(suite);
    }
    report
}

/// Package and target.
fn program(test: &TestWithProblems<'_>) -> String {
    let (package, target) = test.test.program.key();
    format!("{package} {target}")
}

/// The time that the runs of a test took.
fn duration(test: &TestWithProblems<'_>) -> Duration {
    let seconds =
        |calibration: &TestCalibration| f64::from(calibration.runs) * calibration.seconds_per_run;
    let seconds = test.calibration.map_or(0.0, seconds);
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

fn case(test: &TestWithProblems<'_>, teaches: bool) -> TestCase {
    let mut case = TestCase::new(test.test.name.as_str(), status(&test.problems));
    case.set_classname(program(test)).set_time(duration(test));
    if let Some(calibration) = test.calibration {
        let runs = count(calibration.runs as usize, "run", "runs");
        let base = &calibration.base;
        // What `ingest` reads.
        if teaches {
            case.add_property(("flex", line(calibration).trim_end()));
        }
        case.set_system_out(format!("{runs}, base seed {base}\n{calibration}"));
    }
    case
}

/// A case has one status: the first problem gives it its type and its message, and its text names all of them.
fn status(problems: &[CalibrationProblem]) -> TestCaseStatus {
    let Some(first) = problems.first() else {
        return TestCaseStatus::success();
    };
    let mut status = TestCaseStatus::non_success(match first.kind.is_error() {
        true => NonSuccessKind::Error,
        false => NonSuccessKind::Failure,
    });
    let words: Vec<&str> = problems.iter().map(|problem| &*problem.words).collect();
    let message = first.words.lines().next().unwrap_or_default();
    status
        .set_type(first.kind.as_str())
        .set_message(message)
        .set_description(words.join("\n"));
    status
}

#[cfg(test)]
mod tests {
    use super::super::problems::ProblemKind;
    use super::*;

    fn written(problems: &[(ProblemKind, &str)]) -> String {
        let problem = |(kind, words): &(ProblemKind, &str)| CalibrationProblem {
            kind: *kind,
            words: (*words).to_owned(),
        };
        let problems: Vec<CalibrationProblem> = problems.iter().map(problem).collect();
        let mut suite = TestSuite::new("s");
        suite.add_test_case(TestCase::new("c", status(&problems)));
        Report::new("r").add_test_suite(suite).to_string().unwrap()
    }

    #[test]
    fn text_of_any_kind_fits_into_xml() {
        let xml = written(&[(ProblemKind::Refused, "x<_ && \"y\">_ \u{1b}[1mfar\u{8}\nb")]);
        let escaped = "x&lt;_ &amp;&amp; &quot;y&quot;&gt;_ far";
        assert!(xml.contains(&format!("message=\"{escaped}\"")), "{xml}");
        assert!(!xml.contains(['\u{1b}', '\u{8}']), "{xml}");
    }

    #[test]
    fn a_case_with_several_problems_names_them_all() {
        let xml = written(&[
            (ProblemKind::FailedByItself, "one"),
            (ProblemKind::Refused, "two"),
        ]);
        assert_eq!(xml.matches("<failure ").count(), 1, "{xml}");
        assert!(
            xml.contains("type=\"failed by itself\">one\ntwo</failure>"),
            "{xml}"
        );
        let xml = written(&[(ProblemKind::NotWritten, "full")]);
        assert!(xml.contains("<error message=\"full\" type=\"not written\">full</error>"));
    }
}
