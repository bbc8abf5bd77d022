//! What a calibration of many tests comes to: tables on standard output, what went wrong on standard error, an exit code.

use std::io::{self, Write};

use flex_bounds::file::Key;
use flex_core::words::count;
use flex_run::calibrate::TestCalibration;

use super::findings::TestFindings;
use super::{Outcome, TestFailure, store_of};
use crate::cargo::FoundTest;
use crate::exit::{Exit, Failure};

/// Prints the tables and what went wrong, and says how the program ends.
pub fn report(results: &[(FoundTest<'_>, Outcome)]) -> Result<Exit, Failure> {
    let mut output = io::stdout().lock();
    let (mut learned, mut kept, mut refused, mut failing, mut pending) = (0, 0, 0, 0, 0);
    for (_, outcome) in results {
        let Ok(calibration) = outcome else { continue };
        writeln!(output, "{calibration}")?;
        learned += calibration.learned_sites();
        kept += calibration.kept_sites();
        refused += calibration.refused().count();
        failing += usize::from(!calibration.failures.is_empty());
        pending += calibration.pending().count();
    }
    let mut errors = io::stderr().lock();
    let broken = report_errors(results, &mut errors)?;
    let mut unsaved = 0;
    for (test, outcome) in results {
        if let Err(TestFailure::Store(error)) = outcome {
            unsaved += 1;
            writeln!(errors, "error: {}: {error}", test.label())?;
        }
    }
    let changes = |outcome: &Outcome| outcome.as_ref().is_ok_and(TestCalibration::changes_file);
    let mut files: Vec<String> = results
        .iter()
        .filter(|(_, outcome)| changes(outcome))
        .map(|(test, _)| store_of(test).path().display().to_string())
        .collect();
    files.sort();
    files.dedup();
    writeln!(
        errors,
        "{} calibrated: {} learned{}, {refused} refused{}",
        count(results.len() - broken - unsaved, "test", "tests"),
        count(learned, "site", "sites"),
        match kept {
            0 => String::new(),
            kept => format!(", {kept} kept"),
        },
        match files.is_empty() {
            true => String::new(),
            false => format!("; wrote {}", files.join(", ")),
        }
    )?;
    if failing > 0 {
        let tests = count(failing, "test fails by itself", "tests fail by themselves");
        writeln!(errors, "error: {tests}; see above")?;
    }
    if pending > 0 {
        let bounds = count(pending, "new bound waits", "new bounds wait");
        writeln!(errors, "error: {bounds} for a review: cargo flex review")?;
    }
    Ok(match (unsaved, broken, failing + pending, refused) {
        (1.., ..) => Exit::Usage,
        (_, 1.., ..) => Exit::Build,
        (_, _, 1.., _) => Exit::Findings,
        (.., 1..) => Exit::Refused,
        _ => Exit::Fine,
    })
}

/// Says what speaks against the bounds files.
pub fn report_check(tests: &[TestFindings<'_>], gone: &[&Key]) -> Result<Exit, Failure> {
    let mut output = io::stdout().lock();
    let mut errors = io::stderr().lock();
    let (mut found, mut broken) = (gone.len(), 0);
    for TestFindings { test, findings, .. } in tests {
        for finding in findings {
            let line = format!("{}: {}", test.label(), finding.words);
            match finding.is_error {
                true => writeln!(errors, "error: {line}")?,
                false => writeln!(output, "{line}")?,
            }
            broken += usize::from(finding.is_error);
            found += usize::from(!finding.is_error);
        }
    }
    for key in gone {
        writeln!(
            output,
            "stale: {key}: the test is gone; --prune drops the entry"
        )?;
    }
    let calibrated = tests.iter().filter_map(|test| test.calibration);
    let compared: usize = calibrated.map(|calibration| calibration.sites.len()).sum();
    writeln!(
        errors,
        "{} compared at level {:.0e} for each: {}",
        count(compared, "site", "sites"),
        flex_core::drift::LEVEL / compared.max(1) as f64,
        count(found, "finding", "findings"),
    )?;
    Ok(match (broken, found) {
        (1.., _) => Exit::Build,
        (_, 1..) => Exit::Findings,
        _ => Exit::Fine,
    })
}

/// Says which tests could not be calibrated; how many those are.
fn report_errors(
    results: &[(FoundTest<'_>, Outcome)],
    errors: &mut impl Write,
) -> Result<usize, Failure> {
    let mut broken = 0;
    for (test, outcome) in results {
        if let Err(TestFailure::Calibration(error)) = outcome {
            broken += 1;
            writeln!(errors, "error: {}: {error}", test.label())?;
        }
    }
    Ok(broken)
}
