//! `cargo flex calibrate`: learns the bounds of stochastic tests and writes them into their bounds files.

mod args;
mod check;
mod conflict;
mod engine;
mod found;
mod junit;
mod merge;
mod outcome;
mod pool;
mod problems;
mod projects;
mod published;
mod pytest;
mod report;
mod results;
mod session;
mod shard;
mod stale;
mod suite_budgets;
mod unchanged;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use flex_core::words::count;
use flex_run::calibrate::{CalibrationSettings, Gate};
use flex_run::project::env;
use flex_run::store::Store;

use crate::cargo::{FoundTest, build, find, write_programs};
use crate::exit::{Exit, Failure};
use crate::session::{Display, Interrupt, base_seed, check_request, jobs, most_urgent};
use crate::shards::{Making, Putting};
use crate::terminal;
pub use args::CalibrateArgs;
use outcome::unreadable;
use projects::Projects;
use results::ResultWriter;
use session::CalibrationSession;
use stale::StaleEntries;
use suite_budgets::SuitePlans;
use unchanged::Unchanged;

/// What shards are made by.
const COMMAND: &str = "calibrate";

/// Runs the command.
pub fn run(args: &CalibrateArgs) -> Result<Exit, Failure> {
    let (seed, most) = (args.seed.as_ref(), args.max_runs);
    check_request("a calibration", seed, args.runs, most)?;
    if published::is_asked_for(args)? {
        return published::run(args);
    }
    if let Some(config) = engine::asked(args)? {
        return engine::run(args, &config, run);
    }
    if let Some(path) = &args.pytest {
        return pytest::run(path, args);
    }
    if let Some(file) = &args.build_only {
        let programs = build(&args.cargo)?;
        write_programs(&programs, file)?;
        let programs = count(programs.len(), "test program", "test programs");
        writeln!(
            terminal::stderr(),
            "built {programs}; wrote {}",
            file.display()
        )?;
        return Ok(Exit::Fine);
    }
    let runs = (args.runs, args.max_runs);
    if let Some(making) = Making::asked(&args.shards.making, COMMAND, args.phase(), seed, runs)? {
        return shard::make(args, &making);
    }
    let putting = Putting::asked(args.shards.asked(), COMMAND, args.phase(), seed)?;
    let putting = putting.as_ref();
    let programs = build(&args.cargo)?;
    let mut all = Vec::new();
    for program in &programs {
        all.extend(find(program)?);
    }
    let stale =
        StaleEntries::find(&programs, &all, args.cargo.all_targets()).map_err(unreadable)?;
    if args.prune || args.check {
        stale.say_gated()?;
    }
    let filter = args.filter();
    if args.prune && stale.prune(|name| filter.names(name))? > 0 && !filter.names_any(&all) {
        return Ok(Exit::Fine);
    }
    let mut tests = filter.select(all.clone(), programs.len())?;
    tests.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    let projects = Projects::read(&all)?;
    if args.cargo.all_targets() {
        projects.warn_of_idle_rules(&all)?;
    }
    one_file_for_one_package(&tests)?;
    let unmerged = check_files(args, &tests, &projects, &stale)?;
    let pool = pool::source(args)?;
    let jobs = jobs(args.jobs);
    let base = putting.map_or_else(|| base_seed(seed), |putting| putting.base().to_owned());
    let interrupt = Interrupt::listen();
    let gate = Gate::new(jobs).closed_by(interrupt.flag());
    let same = match putting {
        Some(putting) => Unchanged::of_shards(args, &tests, &projects, |test, replay| {
            found::is_unchanged(putting, test, replay)
        }),
        None => Unchanged::find(args, &tests, &projects, &gate, jobs),
    };
    let (mut unchanged, mut tests): (Vec<_>, Vec<_>) = tests
        .into_iter()
        .partition(|test| !args.makes_all_runs() && same.contains(test));
    let look = CalibrationSettings {
        base: base.clone(),
        timeout: args.timeout,
        deadline: args.deadline(),
        ..CalibrationSettings::default()
    };
    let shared = |tests: &[_]| SuitePlans::new(&all, tests, &projects, &look, &gate, jobs, putting);
    let suites = match shared(&tests) {
        // The others have spent what these would need, so that all must share.
        Err(_) if !unchanged.is_empty() => {
            tests.append(&mut unchanged);
            shared(&tests)
        }
        suites => suites,
    }?;
    let display = Display::new(tests.len(), jobs, args.time_budget);
    // A conflict is resolved by all tests together, and a suite's budget is kept by all together.
    let waits = !unmerged.is_empty() || suites.lowers();
    let writer = ResultWriter::new(!args.check, waits, &stale);
    let session = CalibrationSession {
        args,
        base,
        runs: putting.map_or(runs, |putting| {
            let header = putting.shards.header();
            (runs.0.or(header.runs), runs.1.or(header.max_runs))
        }),
        projects,
        suites,
        pool,
        gate,
        same,
        display: &display,
    };
    let mut conflicts = 0;
    let mut results = match putting {
        None => session.calibrate(tests, jobs, writer),
        Some(putting) => {
            let (missing, found) = merge::merge(&session, putting, tests, jobs, &writer)?;
            if !missing.is_empty() {
                display.finish();
                return putting.report_missing(&missing);
            }
            conflicts = found;
            writer.finish()
        }
    };
    display.finish();
    results.sort_by(|(a, _), (b, _)| a.sort_key().cmp(&b.sort_key()));
    let mut exit = report::report(args, &results, &unchanged, &stale)?;
    if conflicts > 0 {
        exit = most_urgent([exit, Exit::Findings]);
    }
    if interrupt.has_come() {
        let finished = results.iter().filter(|(_, outcome)| outcome.is_ok());
        let tests = count(finished.count() + unchanged.len(), "test is", "tests are");
        writeln!(terminal::stderr(), "interrupted: {tests} finished and kept")?;
        exit = Exit::Interrupted;
    }
    for store in unmerged.iter().filter(|store| store.read().is_ok()) {
        let path = store.path().display();
        writeln!(
            terminal::notes(),
            "resolved the merge conflict in {path}: it holds the entries of both sides"
        )?;
    }
    Ok(exit)
}

/// Asks before minutes of runs whether what they teach can be written at all; returns the files with a merge conflict
/// that these tests resolve.
fn check_files(
    args: &CalibrateArgs,
    tests: &[FoundTest<'_>],
    projects: &Projects,
    stale: &StaleEntries,
) -> Result<Vec<Store>, Failure> {
    let mut stores: Vec<Store> = tests.iter().map(|test| test.program.store()).collect();
    stores.dedup();
    let mut unmerged = Vec::new();
    for store in stores {
        if args.check {
            store.read().map_err(unreadable)?;
        } else {
            store.check_writable().map_err(unreadable)?;
            if conflict::can_be_resolved(&store, tests, projects, stale).map_err(unreadable)? {
                unmerged.push(store);
            }
        }
    }
    Ok(unmerged)
}

/// Entries do not name their package, so two packages cannot share a file.
fn one_file_for_one_package(tests: &[FoundTest<'_>]) -> Result<(), Failure> {
    let mut owners: BTreeMap<PathBuf, &str> = BTreeMap::new();
    for test in tests {
        let (store, package) = (test.program.store(), test.program.package.as_str());
        let file = store.path();
        let owner = *owners.entry(file.to_owned()).or_insert(package);
        if owner != package {
            let file = file.display();
            return Err(Failure::input(
                format!("the packages {owner} and {package} would write into one file, {file}"),
                format!(
                    "calibrate one of them with -p, or leave {} out",
                    env::BOUNDS
                ),
            ));
        }
    }
    Ok(())
}
