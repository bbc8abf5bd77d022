//! `calibrate --method flex`: the published method on real tests, with the runs that its paper makes.
//!
//! It prints what it finds and writes nothing. Its bounds are estimates without a margin: entries of flex-bounds.toml are
//! promises, on which enforcement, reviews and the budget of a suite rest (docs/design/published.md, "Of tests").

mod collect;
mod words;

use std::io::Write;
use std::sync::Mutex;

use flex_core::words::{block, count};
use flex_run::calibrate::{CalibrationError, Gate};

use super::args::CalibrateArgs;
use crate::called;
use crate::cargo::{FoundTest, build, find};
use crate::exit::{Exit, Failure};
use crate::method::Method;
use crate::session::{Display, Interrupt, base_seed, exit_of, jobs, locked, most_urgent, run_all};
use crate::terminal;
use collect::{Calibrated, Collecting};

/// Whether the published method is asked for, with nothing that does not go with it.
pub fn is_asked_for(args: &CalibrateArgs) -> Result<bool, Failure> {
    if args.method != Method::Flex {
        return match args.rule {
            Some(_) => Err(Failure::input(
                "--rule goes with --method flex",
                "leave it out, or add --method flex",
            )),
            None => Ok(false),
        };
    }
    let for_files = [
        (args.accept, "--accept"),
        (args.check, "--check"),
        (args.prune, "--prune"),
        (args.tight, "--tight"),
        (args.junit.is_some(), "--junit"),
        (args.with_history.is_some(), "--with-history"),
        (args.build_only.is_some(), "--build-only"),
        (args.engine.engine.is_some(), "--engine"),
        (args.shards.making.shard.is_some(), "--shard"),
        (!args.shards.from.is_empty(), "--from"),
    ];
    if let Some((_, option)) = for_files.into_iter().find(|(is_there, _)| *is_there) {
        return Err(Failure::input(
            format!("{option} does not go with --method flex, which writes no bounds"),
            "leave one of them out",
        ));
    }
    if args.pytest.is_some() {
        return Err(Failure::input(
            "--method flex calibrates tests of cargo alone",
            format!(
                "for values of pytest's tests: `{} bound --method flex --grow`",
                called::name()
            ),
        ));
    }
    Ok(true)
}

/// Runs the command.
pub fn run(args: &CalibrateArgs) -> Result<Exit, Failure> {
    let programs = build(&args.cargo)?;
    let mut all = Vec::new();
    for program in &programs {
        all.extend(find(program)?);
    }
    let mut tests = args.filter().select(all, programs.len())?;
    tests.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    let (jobs, base) = (jobs(args.jobs), base_seed(args.seed.as_ref()));
    let interrupt = Interrupt::listen();
    let display = Display::new(tests.len(), jobs, args.time_budget);
    let collecting = Collecting {
        args,
        base: &base,
        gate: Gate::new(jobs).closed_by(interrupt.flag()),
        display: &display,
    };
    let results = Mutex::new(Vec::new());
    run_all(
        tests,
        jobs,
        args.time_budget,
        |test, turn, begun| collecting.collect(test, turn, begun),
        |test, outcome| locked(&results).push((test, outcome)),
    );
    display.finish();
    let mut results = std::mem::take(&mut *locked(&results));
    results.sort_by(|(a, _), (b, _)| a.sort_key().cmp(&b.sort_key()));
    let exit = report(&results)?;
    Ok(match interrupt.has_come() {
        true => Exit::Interrupted,
        false => exit,
    })
}

/// Prints what came of the tests, and says how the program ends.
fn report(
    results: &[(FoundTest<'_>, Result<Calibrated, CalibrationError>)],
) -> Result<Exit, Failure> {
    let mut output = terminal::stdout();
    let mut errors = terminal::stderr();
    let mut exits = Vec::new();
    let mut failing = 0;
    for (test, outcome) in results {
        match outcome {
            Ok(calibrated) => {
                write!(output, "{}", words::of_test(&test.label(), calibrated))?;
                exits.extend(calibrated.is_refused().then_some(Exit::Refused));
                failing += usize::from(!calibrated.found.panics.is_empty());
            }
            Err(error) => {
                exits.push(exit_of(error));
                writeln!(errors, "error: {}: {error}", test.label())?;
            }
        }
    }
    let words = format!(
        "note: these bounds are estimates without a margin, and such bounds fail more often than they promise \
         (docs/evidence/truth.md): nothing was written. `{} calibrate` learns bounds that keep their promise.",
        called::name()
    );
    write!(errors, "{}", block(&words).trim_end())?;
    writeln!(errors)?;
    if failing > 0 {
        let tests = count(failing, "test fails by itself", "tests fail by themselves");
        writeln!(errors, "error: {tests}; see above")?;
        exits.push(Exit::Findings);
    }
    Ok(most_urgent(exits))
}
