//! `--check`: fresh runs beside the bounds files, which are left as they are.

use std::io::Write;

use flex_bounds::file::Key;
use flex_core::words::count;

use super::problems::TestWithProblems;
use super::unchanged::say_unchanged;
use crate::exit::{Exit, Failure};
use crate::session::most_urgent;
use crate::terminal;

/// Says what speaks against the bounds files.
pub fn report_check(
    tests: &[TestWithProblems<'_>],
    unchanged: usize,
    stale: &[&Key],
) -> Result<Exit, Failure> {
    let mut output = terminal::stdout();
    let (mut errors, mut notes) = (terminal::stderr(), terminal::notes());
    let mut found = stale.len();
    let mut exits = vec![];
    for TestWithProblems { test, problems, .. } in tests {
        for problem in problems {
            let line = format!("{}: {}", test.label(), problem.words);
            let is_error = problem.kind.is_error();
            match is_error {
                true => writeln!(errors, "error: {line}")?,
                false => writeln!(output, "{line}")?,
            }
            exits.push(problem.kind.exit());
            found += usize::from(!is_error);
        }
    }
    for key in stale {
        writeln!(
            output,
            "stale: {key}: the test is gone; --prune drops the entry"
        )?;
    }
    say_unchanged(&mut notes, unchanged)?;
    let calibrated = tests.iter().filter_map(|test| test.calibration);
    let compared: usize = calibrated.map(|calibration| calibration.sites.len()).sum();
    if compared > 0 {
        let sites = count(compared, "site", "sites");
        let level = flex_core::drift::LEVEL / compared as f64;
        write!(notes, "{sites} compared at level {level:.0e} for each: ")?;
    }
    writeln!(notes, "{}", count(found, "finding", "findings"))?;
    exits.extend((!stale.is_empty()).then_some(Exit::Findings));
    Ok(most_urgent(exits))
}
