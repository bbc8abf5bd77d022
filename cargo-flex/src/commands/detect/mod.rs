//! `flex-harness detect`: finds flaky tests, by runs under varied seeds, and says how flaky each assertion is.

mod args;
mod findings;
mod fixed_seeds;
mod order;
mod pytest;
mod shard;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use flex_core::seed::Phase;
use flex_core::words::count;
use flex_detect::record::{ObservedTest, Record, VERSION};
use flex_run::calibrate::{CalibrationError, Gate};
use flex_run::model::Runner;
use flex_shard::TestKey;

use crate::cargo::{CargoTest, Program, TestKind, all_tests, build, workspace_root};
use crate::exit::{Exit, Failure};
use crate::observe::build_observed;
use crate::probes::Places;
use crate::record::file::RecordFile;
use crate::record::file_of;
use crate::search::{Saved, Searching, search};
use crate::session::{Display, Interrupt, exit_of, jobs, locked, most_urgent, run_all};
use crate::shards::{Making, Putting, Source, key_of};
use crate::terminal;
use crate::trace::{self, TraceFile};
pub use args::DetectArgs;
use args::SearchOrder;
use findings::say;

/// What shards are made by.
const COMMAND: &str = "detect";

/// Runs the command.
pub fn run(args: &DetectArgs) -> Result<Exit, Failure> {
    args.check()?;
    let decides = [("--json", args.json), ("--record", args.record.is_some())];
    args.shards.making.refuse(COMMAND, &decides)?;
    if let Some(path) = &args.tests.pytest {
        return pytest::run(path, args);
    }
    let (seed, phase) = (args.seed.as_ref(), Phase::Detect);
    let runs = (Some(args.runs), args.max_runs);
    let making = Making::asked(&args.shards.making, COMMAND, phase, seed, runs)?;
    let putting = Putting::asked(args.shards.asked(), COMMAND, phase, seed)?;
    let programs = match args.outcomes {
        true => build(&args.cargo)?,
        false => build_observed(&args.cargo)?,
    };
    let all = all_tests(&programs)?;
    let known: Vec<_> = all.iter().map(|test| test.key()).collect();
    let tests = args.filter().select(all.clone(), programs.len())?;
    let root = workspace_root(args.cargo.manifest_path())?;
    if let Some(making) = making {
        return shard::make(args, making, tests, &root);
    }
    let file = RecordFile::at(match &args.record {
        Some(path) => path.clone(),
        None => file_of(&programs, &root),
    });
    // Before minutes of runs: can what they show be kept?
    file.check(Runner::Cargo)?;
    let (source, base) = Source::asked((None, putting), seed, || Ok(root.clone()))?;
    let is_controlled = |test: &&CargoTest<'_>| test.kind != TestKind::Plain { controlled: false };
    let controlled: BTreeSet<TestKey> = tests
        .iter()
        .filter(is_controlled)
        .map(|test| key_of(&test.found))
        .collect();
    let tests = match args.order {
        SearchOrder::Listed => tests,
        SearchOrder::SmallestFirst if !source.makes_runs() => tests,
        SearchOrder::SmallestFirst => {
            let traced = TraceFile::at(trace::file_of(&programs, &root));
            order::sorted(tests, (&traced, &file), (&root, &base), args)?
        }
    };
    let interrupt = Interrupt::listen();
    let mut searched = search_all(args, tests, (&base, &root), &source, &interrupt)?;
    if let Source::Shards(playing) = &source {
        let (more_runs, has_conflicts) = playing.ended(|test| controlled.contains(test))?;
        if let Some(exit) = more_runs {
            return Ok(exit);
        }
        searched
            .unsearched
            .extend(has_conflicts.then_some(Exit::Findings));
    }
    let record = Record {
        version: VERSION,
        runner: Runner::Cargo,
        base,
        root,
        rerun_marker: None,
        tests: searched.observed,
        reader: args.cargo.reader(),
    };
    let built: Vec<_> = programs.iter().map(Program::key).collect();
    let is_gone = |test: &ObservedTest| {
        let package = test.package.as_deref().unwrap_or_default();
        let target = test.id.target().unwrap_or_default();
        built.contains(&(package, target)) && !known.contains(&(package, target, test.name()))
    };
    file.merge(&record, is_gone)?;
    let exit = say(&record, args)?;
    let tests = count(record.tests.len(), "test", "tests");
    let saved = searched.saved.map(|saved| format!("; {saved}"));
    let (saved, path) = (saved.unwrap_or_default(), file.path().display());
    writeln!(terminal::notes(), "{tests} searched{saved}; wrote {path}")?;
    Ok(most_urgent(searched.unsearched.into_iter().chain([exit])))
}

/// What the searches of all tests have in common.
fn searching<'a>(
    args: &'a DetectArgs,
    (base, root): (&'a str, &'a Path),
    source: &'a Source,
    (interrupt, display): (&Interrupt, &'a Display),
) -> Searching<'a> {
    Searching {
        timeout: args.timeout,
        full: args.full,
        same_seed: false,
        cargo: &args.cargo,
        base,
        root,
        gate: Gate::new(jobs(args.jobs)).closed_by(interrupt.flag()),
        display,
        places: Places::new(root),
        saved: Saved::default(),
        source,
        is_old: false,
        says_unseen: !args.outcomes,
    }
}

/// What came of the search of all tests.
struct Searched {
    observed: Vec<ObservedTest>,
    /// What those say about the exit code that could not be searched.
    unsearched: Vec<Exit>,
    /// What was saved on those that cannot vary, in words.
    saved: Option<String>,
}

/// Searches all tests.
fn search_all(
    args: &DetectArgs,
    tests: Vec<CargoTest<'_>>,
    (base, root): (&str, &Path),
    source: &Source,
    interrupt: &Interrupt,
) -> Result<Searched, Failure> {
    let jobs = jobs(args.jobs);
    // What is known takes no time.
    let time_budget = args.time_budget.filter(|_| source.makes_runs());
    let display = Display::new(tests.len(), jobs, time_budget);
    let searching = searching(args, (base, root), source, (interrupt, &display));
    let results = Mutex::new(Vec::new());
    run_all(
        tests,
        jobs,
        time_budget,
        |test, turn, begun| search(&searching, args.rule(), test, turn, begun),
        |test, result| locked(&results).push((test, result)),
    );
    display.finish();
    let mut results = std::mem::take(&mut *locked(&results));
    results.sort_by(|(a, _), (b, _)| a.found.sort_key().cmp(&b.found.sort_key()));
    let (mut observed, mut unsearched) = (Vec::new(), Vec::new());
    for (test, result) in results {
        match result {
            Ok(mut seen) => {
                seen.notes.extend(fixed_seeds::notes(&test, root));
                observed.push(seen);
            }
            // What is missing is said of all tests together.
            Err(CalibrationError::NotMade) => {}
            Err(error) => {
                unsearched.push(exit_of(&error));
                writeln!(terminal::stderr(), "error: {}: {error}", test.found.label())?;
            }
        }
    }
    if interrupt.has_come() {
        let tests = count(observed.len(), "test is", "tests are");
        writeln!(terminal::stderr(), "interrupted: {tests} searched so far")?;
        unsearched.push(Exit::Interrupted);
    }
    Ok(Searched {
        observed,
        unsearched,
        saved: searching.saved.in_words(),
    })
}
