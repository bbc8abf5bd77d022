//! `--shard K/N --out DIR`: a part of the tests is searched, and what their runs show is written down. Nothing is decided.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use flex_run::calibrate::CalibrationError;
use flex_shard::deal::Dealt;

use super::args::DetectArgs;
use super::searching;
use crate::cargo::CargoTest;
use crate::exit::{Exit, Failure};
use crate::search::make as make_one;
use crate::session::{Display, Interrupt, exit_of, jobs, locked, run_all};
use crate::shards::{Making, Source, key_of};
use crate::terminal;

/// Makes a shard of these tests of a workspace.
pub fn make(
    args: &DetectArgs,
    making: Making,
    tests: Vec<CargoTest<'_>>,
    root: &Path,
) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen();
    let tests = making.deal(tests, |test| key_of(&test.found))?;
    let (all, jobs) = (tests.len(), jobs(args.jobs));
    let display = Display::new(all, jobs, args.time_budget);
    let root_of_tests = || Ok(root.to_owned());
    let (source, base) = Source::asked((Some(making), None), None, root_of_tests)?;
    let searching = searching(args, (&base, root), &source, (&interrupt, &display));
    let exits = Mutex::new(Vec::new());
    run_all(
        tests,
        jobs,
        args.time_budget,
        |(test, orders), turn, begun| {
            make_one(&searching, args.rule(), (test, orders), turn, begun)
        },
        |(test, _): Dealt<CargoTest<'_>>, made| match made {
            Ok(()) => {}
            Err(CalibrationError::NoTime) => source.was_short(),
            Err(error) => {
                locked(&exits).push(exit_of(&error));
                // Nobody is left to tell where standard error is gone.
                let _ = writeln!(terminal::stderr(), "error: {}: {error}", test.found.label());
            }
        },
    );
    display.finish();
    let exits = std::mem::take(&mut *locked(&exits));
    source.end(all, &exits, interrupt.has_come())
}
