//! The report of a session: tables on standard output, what went wrong on standard error and in files, an exit code.

use std::io::Write;

use flex_bounds::file::Key;
use flex_core::paint::Paint;
use flex_core::words::{count, wrapped};
use flex_run::calibrate::{TestCalibration, fixed_in_words};
use flex_run::project::github::annotation;

use super::args::CalibrateArgs;
use super::check::report_check;
use super::junit;
use super::outcome::{TestFailure, TestResult, unreadable};
use super::problems::TestWithProblems;
use super::stale::StaleEntries;
use super::unchanged::say_unchanged;
use crate::cargo::FoundTest;
use crate::exit::{Exit, Failure};
use crate::session::{exit_of, most_urgent};
use crate::terminal;

/// Tells whoever wants to know what came of the tests, and says how the program ends.
pub fn report(
    args: &CalibrateArgs,
    results: &[(FoundTest<'_>, TestResult)],
    unchanged: &[FoundTest<'_>],
    stale: &StaleEntries,
) -> Result<Exit, Failure> {
    let tests = checked(results, args.check)?;
    if let Some(path) = &args.junit {
        let unchanged = unchanged.iter().map(TestWithProblems::unchanged);
        let mut all: Vec<TestWithProblems<'_>> = tests.iter().cloned().chain(unchanged).collect();
        all.sort_by(|a, b| a.test.sort_key().cmp(&b.test.sort_key()));
        junit::write(path, &all, !args.check)?;
    }
    annotate(&tests)?;
    if args.check {
        let stale: Vec<&Key> = match args.filters.is_empty() {
            true => stale.keys().collect(),
            false => Vec::new(),
        };
        return report_check(&tests, unchanged.len(), &stale);
    }
    let calibrated = results
        .iter()
        .filter_map(|(test, outcome)| Some((test, outcome.as_ref().ok()?)));
    if let Err(failure) = crate::record::keep(calibrated, &args.cargo) {
        let words = failure.to_string().replacen("error:", "warning:", 1);
        write!(terminal::stderr(), "{words}")?;
    }
    report_calibrations(results, unchanged.len())
}

/// The problems of each test; in a check, what contradicts its bounds file.
fn checked<'a>(
    results: &'a [(FoundTest<'a>, TestResult)],
    check: bool,
) -> Result<Vec<TestWithProblems<'a>>, Failure> {
    let calibrated = results
        .iter()
        .filter_map(|(_, outcome)| outcome.as_ref().ok());
    let sites = calibrated.map(|calibration| calibration.sites.len()).sum();
    let mut tests = Vec::new();
    for (test, outcome) in results {
        tests.push(match check {
            true => {
                let file = test.program.store().read().map_err(unreadable)?;
                TestWithProblems::compared(test, outcome, &file, sites)
            }
            false => TestWithProblems::calibrated(test, outcome),
        });
    }
    Ok(tests)
}

/// Shows problems beside the source of the tests, in GitHub Actions.
fn annotate(tests: &[TestWithProblems<'_>]) -> Result<(), Failure> {
    for checked in tests {
        let place = checked
            .calibration
            .map(|calibration| &calibration.test.place);
        let place = place.cloned().unwrap_or_default();
        for problem in &checked.problems {
            let title = format!("flex: {}: {}", checked.test.name, problem.kind);
            let folder = &checked.test.program.package_folder;
            if let Some(line) = annotation(folder, &place, &title, &problem.words) {
                write!(terminal::stderr(), "{line}")?;
            }
        }
    }
    Ok(())
}

/// Prints the tables and what went wrong, and says how the program ends.
fn report_calibrations(
    results: &[(FoundTest<'_>, TestResult)],
    unchanged: usize,
) -> Result<Exit, Failure> {
    let mut output = terminal::stdout();
    let (mut learned, mut kept, mut refused) = (0, 0, 0);
    let (mut failing, mut pending, mut suspected) = (0, 0, 0);
    for (_, outcome) in results {
        let Ok(calibration) = outcome else { continue };
        match terminal::paint() {
            Paint::Coloured => writeln!(output, "{calibration:#}")?,
            Paint::Plain => writeln!(output, "{calibration}")?,
        }
        learned += calibration.learned_sites();
        kept += calibration.kept_sites();
        refused += calibration.refused().count();
        failing += usize::from(!calibration.failures.is_empty());
        pending += calibration.pending().count();
        suspected += calibration.suspected().count();
    }
    let fixed = fixed_tests(results);
    let (mut errors, mut notes) = (terminal::stderr(), terminal::notes());
    let mut exits = report_errors(results, &mut errors)?;
    let broken = exits.len();
    let mut unsaved = 0;
    for (test, outcome) in results {
        if let Err(TestFailure::Store(error)) = outcome {
            unsaved += 1;
            writeln!(errors, "error: {}: {error}", test.label())?;
        }
    }
    let changes = |outcome: &TestResult| outcome.as_ref().is_ok_and(TestCalibration::changes_file);
    let mut files: Vec<String> = results
        .iter()
        .filter(|(_, outcome)| changes(outcome))
        .map(|(test, _)| test.program.store().path().display().to_string())
        .collect();
    files.sort();
    files.dedup();
    say_unchanged(&mut notes, unchanged)?;
    if results.is_empty() {
        return Ok(Exit::Fine);
    }
    let mut done = results
        .iter()
        .filter_map(|(_, outcome)| outcome.as_ref().ok());
    if let Some(legend) = done.find_map(TestCalibration::legend) {
        writeln!(notes, "{legend}")?;
    }
    let counted = format!(
        "{} calibrated: {} learned{}, {refused} refused{}",
        count(results.len() - broken - unsaved, "test", "tests"),
        count(learned, "site", "sites"),
        match kept {
            0 => String::new(),
            kept => format!(", {kept} kept"),
        },
        fixed.map(|fixed| format!("; {fixed}")).unwrap_or_default(),
    );
    // A path is as long as it is, and moves no other words.
    let wrote = match files.is_empty() {
        true => String::new(),
        false => format!("; wrote {}", files.join(", ")),
    };
    writeln!(notes, "{}{wrote}", wrapped(&counted, 80, ""))?;
    if failing > 0 {
        let tests = count(failing, "test fails by itself", "tests fail by themselves");
        writeln!(errors, "error: {tests}; see above")?;
    }
    if suspected > 0 {
        let sites = count(suspected, "site looks", "sites look");
        writeln!(errors, "error: {sites} like a bug; see above")?;
    }
    if pending > 0 {
        let bounds = count(pending, "new bound waits", "new bounds wait");
        writeln!(errors, "error: {bounds} for a review: cargo flex review")?;
    }
    exits.extend((unsaved > 0).then_some(Exit::Usage));
    exits.extend((failing + pending + suspected > 0).then_some(Exit::Findings));
    exits.extend((refused > 0).then_some(Exit::Refused));
    Ok(most_urgent(exits))
}

/// What was saved on tests that are shown to be fixed, in words.
fn fixed_tests(results: &[(FoundTest<'_>, TestResult)]) -> Option<String> {
    let calibrations = results
        .iter()
        .filter_map(|(_, outcome)| outcome.as_ref().ok());
    let saved = calibrations.map(|calibration| u64::from(calibration.saved));
    let saved: Vec<u64> = saved.filter(|saved| *saved > 0).collect();
    fixed_in_words(saved.len(), saved.iter().sum())
}

/// Says which tests could not be calibrated; what each says about the exit code.
fn report_errors(
    results: &[(FoundTest<'_>, TestResult)],
    errors: &mut impl Write,
) -> Result<Vec<Exit>, Failure> {
    let mut exits = Vec::new();
    for (test, outcome) in results {
        if let Err(TestFailure::Calibration(error)) = outcome {
            exits.push(exit_of(error));
            writeln!(errors, "error: {}: {error}", test.label())?;
        }
    }
    Ok(exits)
}
