//! `flex-harness detect`: finds flaky tests, by runs under varied seeds, and says how flaky each assertion is.

mod args;
mod findings;
mod order;
mod pytest;

use std::io::Write;
use std::sync::Mutex;

use flex_core::words::count;
use flex_detect::record::{ObservedTest, Record, VERSION};
use flex_run::calibrate::Gate;
use flex_run::model::Runner;

use crate::cargo::{CargoTest, Program, all_tests, build, workspace_root};
use crate::exit::{Exit, Failure};
use crate::probes::Places;
use crate::record::file::RecordFile;
use crate::record::file_of;
use crate::search::{Saved, Searching, search};
use crate::session::{Display, Interrupt, base_seed, exit_of, jobs, locked, most_urgent, run_all};
use crate::terminal;
use crate::trace::{self, TraceFile};
pub use args::DetectArgs;
use args::Order;
use findings::say;

/// Runs the command.
pub fn run(args: &DetectArgs) -> Result<Exit, Failure> {
    args.check()?;
    if let Some(path) = &args.tests.pytest {
        return pytest::run(path, args);
    }
    let programs = build(&args.cargo)?;
    let all = all_tests(&programs)?;
    let known: Vec<_> = all.iter().map(|test| test.key()).collect();
    let tests = args.filter().select(all.clone(), programs.len())?;
    let root = workspace_root(args.cargo.manifest_path())?;
    let file = RecordFile::at(match &args.record {
        Some(path) => path.clone(),
        None => file_of(&programs),
    });
    // Before minutes of runs: can what they show be kept?
    file.check(Runner::Cargo)?;
    let base = base_seed(args.seed.as_ref());
    let tests = match args.order {
        Order::Listed => tests,
        Order::SmallestFirst => {
            let traced = TraceFile::at(trace::file_of(&programs));
            order::sorted(tests, (&traced, &file), (&root, &base), args)?
        }
    };
    let interrupt = Interrupt::listen();
    let searched = search_all(args, tests, &base, &root, &interrupt)?;
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
    writeln!(terminal::stderr(), "{tests} searched{saved}; wrote {path}")?;
    Ok(most_urgent(searched.unsearched.into_iter().chain([exit])))
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
    base: &str,
    root: &std::path::Path,
    interrupt: &Interrupt,
) -> Result<Searched, Failure> {
    let jobs = jobs(args.jobs);
    let display = Display::new(tests.len());
    let searching = Searching {
        timeout: args.timeout,
        full: args.full,
        same_seed: false,
        cargo: &args.cargo,
        base,
        root,
        gate: Gate::new(jobs).closed_by(interrupt.flag()),
        display: &display,
        places: Places::new(root),
        saved: Saved::default(),
    };
    let results = Mutex::new(Vec::new());
    run_all(
        tests,
        jobs,
        args.time_budget,
        |test, turn, begun| search(&searching, args.rule(), test, turn, begun),
        |test, result| locked(&results).push((test, result)),
    );
    display.finish();
    let mut results = std::mem::take(&mut *locked(&results));
    results.sort_by(|(a, _), (b, _)| a.found.sort_key().cmp(&b.found.sort_key()));
    let (mut observed, mut unsearched) = (Vec::new(), Vec::new());
    for (test, result) in results {
        match result {
            Ok(test) => observed.push(test),
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
