//! `cargo flex calibrate`: learns the bounds of stochastic tests and writes them into their bounds files.

mod all;
mod conflict;
mod findings;
mod gone;
mod junit;
mod ledger;
mod projects;
mod pytest;
mod report;
mod suite;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use flex_bounds::file::Key;
use flex_core::seed::SeedRequest;
use flex_core::words::count;
use flex_run::calibrate::{CalibrationError, Gate, TestCalibration, fresh_base};
use flex_run::project::env;
use flex_run::project::github::annotation;
use flex_run::store::{Store, StoreError};

use crate::cargo::{CargoArgs, FoundTest, build, find};
use crate::exit::{Exit, Failure};
use crate::session::{Display, parse_duration};
use all::Common;
use findings::TestFindings;
use ledger::Ledger;
use projects::Projects;
use report::{report, report_check};
use suite::SuitePlans;

/// Learns the bounds of stochastic tests from runs under varied seeds, and writes them into flex-bounds.toml.
///
/// Example: cargo flex calibrate --test sketch
///
/// Only tests annotated with #[stochastic_test] are run. Each is spread over at least five processes, to see what runs
/// share. A merge conflict in flex-bounds.toml is resolved: entries of both sides stay, and those on which they differ are
/// learned anew.
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// Calibrate only tests whose path contains one of these words
    filters: Vec<String>,

    /// Calibrate the tests of pytest in this file or folder, or with this node id, instead of cargo packages
    #[arg(long, value_name = "PATH", conflicts_with_all = ["exact", "include_ignored", "tight", "prune"])]
    pytest: Option<PathBuf>,

    /// Filters are whole paths
    #[arg(long)]
    exact: bool,

    /// Calibrate ignored tests too
    #[arg(long)]
    include_ignored: bool,

    /// Runs to begin with [default: what the test says, else 100]
    #[arg(long, value_name = "N", env = env::RUNS, value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,

    /// Runs at most [default: what the test says, else 3000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_runs: Option<u32>,

    /// Go on until the ceilings are tight
    #[arg(long)]
    tight: bool,

    /// Make do with the runs that fit into this time, such as 90s, 5m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time_budget: Option<Duration>,

    /// Test processes at a time [default: one per processor]
    #[arg(long, short, value_name = "N")]
    jobs: Option<std::num::NonZero<usize>>,

    /// Learn bounds also where runs share state, and write what would wait for a review
    #[arg(long)]
    accept: bool,

    /// Write nothing; compare fresh runs with the bounds files, and exit with 1 if they disagree
    #[arg(long, conflicts_with_all = ["accept", "prune"])]
    check: bool,

    /// Drop entries whose test is gone, after listing them
    #[arg(long, conflicts_with = "filters")]
    prune: bool,

    /// Also write what came of each test into this file, as JUnit XML for CI servers
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// The base seed, any text [default: a fresh one]
    #[arg(long, value_name = "TEXT", env = env::SEED)]
    seed: Option<SeedRequest>,

    #[command(flatten)]
    cargo: CargoArgs,
}

/// Runs the command.
pub fn run(args: &CalibrateArgs) -> Result<Exit, Failure> {
    if args.seed.as_ref().is_some_and(|seed| seed.run.is_some()) {
        return Err(Failure::input(
            "a calibration has a base seed, not a single run",
            "leave out what begins with `@`; `cargo test` replays single runs",
        ));
    }
    if let (Some(runs), Some(most)) = (args.runs, args.max_runs)
        && runs > most
    {
        return Err(Failure::input(
            format!("{runs} runs to begin with are more than {most} at most"),
            "lower --runs or raise --max-runs",
        ));
    }
    if let Some(path) = &args.pytest {
        return pytest::run(path, args);
    }
    let programs = build(&args.cargo)?;
    let mut tests = Vec::new();
    for program in &programs {
        tests.extend(find(program)?);
    }
    let gone = gone::gone(&programs, &tests, args.cargo.all_targets()).map_err(unreadable)?;
    if args.prune {
        // Nothing is said of what cannot be done.
        for path in gone.keys() {
            Store::at(path).read().map_err(unreadable)?;
        }
        for key in gone.values().flatten() {
            writeln!(io::stderr(), "pruned: {key}")?;
        }
        gone::prune(&gone).map_err(unreadable)?;
    }
    let all = tests.clone();
    tests.retain(|test| args.names(test));
    let named = tests.len();
    tests.retain(|test| args.include_ignored || !test.ignored);
    let ignored = named - tests.len();
    tests.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    if tests.is_empty() {
        return Err(nothing_to_do(programs.len(), all.len(), named, args));
    }
    let projects = Projects::read(&all)?;
    if args.cargo.all_targets() {
        projects.warn_of_idle_rules(&all)?;
    }
    args.warn_of_idle_filters(&tests)?;
    if ignored > 0 {
        let tests = count(ignored, "ignored test is", "ignored tests are");
        writeln!(
            io::stderr(),
            "note: {tests} left out; --include-ignored calibrates them"
        )?;
    }
    one_file_for_one_package(&tests)?;
    // Before minutes of runs: can what they teach be written at all?
    let mut stores: Vec<Store> = tests.iter().map(store_of).collect();
    stores.dedup();
    let mut unmerged = Vec::new();
    for store in stores {
        if args.check {
            store.read().map_err(unreadable)?;
        } else {
            store.check_writable().map_err(unreadable)?;
            if conflict::can_be_resolved(&store, &tests, &projects, &gone).map_err(unreadable)? {
                unmerged.push(store);
            }
        }
    }
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let base = match &args.seed {
        Some(seed) => seed.base.clone(),
        None => fresh_base(),
    };
    let gate = Gate::new(jobs);
    let suites = SuitePlans::new(&all, &tests, &projects, &base, &gate, jobs)?;
    let display = Display::new(tests.len());
    // A conflict is resolved by all tests together, and a budget is kept by all together.
    let waits = !unmerged.is_empty() || suites.lowers();
    let ledger = Ledger::new(!args.check, waits, &gone);
    let common = Common {
        args,
        base,
        projects,
        suites,
        gate,
        display: &display,
    };
    let mut results = common.calibrate(tests, jobs, ledger);
    display.finish();
    results.sort_by(|(a, _), (b, _)| a.sort_key().cmp(&b.sort_key()));
    let findings = findings_of(&results, args.check)?;
    if let Some(path) = &args.junit {
        junit::write(path, &findings)?;
    }
    annotate(&findings)?;
    if args.check {
        let gone: Vec<&Key> = match args.filters.is_empty() {
            true => gone.values().flatten().collect(),
            false => Vec::new(),
        };
        return report_check(&findings, &gone);
    }
    let calibrated = results
        .iter()
        .filter_map(|(test, outcome)| Some((test, outcome.as_ref().ok()?)));
    if let Err(failure) = crate::record::keep(calibrated, &args.cargo) {
        let words = failure.to_string().replacen("error:", "warning:", 1);
        write!(io::stderr(), "{words}")?;
    }
    let exit = report(&results)?;
    for store in unmerged.iter().filter(|store| store.read().is_ok()) {
        let path = store.path().display();
        writeln!(
            io::stderr(),
            "resolved the merge conflict in {path}: it holds the entries of both sides"
        )?;
    }
    Ok(exit)
}

/// What was found of each test; in a check, beside what contradicts its bounds file.
fn findings_of<'a>(
    results: &'a [(FoundTest<'a>, Outcome)],
    check: bool,
) -> Result<Vec<TestFindings<'a>>, Failure> {
    let calibrated = results
        .iter()
        .filter_map(|(_, outcome)| outcome.as_ref().ok());
    let compared = calibrated.map(|calibration| calibration.sites.len()).sum();
    let mut findings = Vec::new();
    for (test, outcome) in results {
        findings.push(match check {
            true => {
                let file = store_of(test).read().map_err(unreadable)?;
                TestFindings::of_check(test, outcome, &file, compared)
            }
            false => TestFindings::of(test, outcome),
        });
    }
    Ok(findings)
}

/// Shows findings beside the source of the tests, in GitHub Actions.
fn annotate(tests: &[TestFindings<'_>]) -> Result<(), Failure> {
    for TestFindings {
        test,
        calibration,
        findings,
    } in tests
    {
        let place = calibration.map_or("", |calibration| &calibration.test.place);
        for finding in findings {
            let title = format!("flex: {}: {}", test.name, finding.kind);
            let folder = &test.program.package_folder;
            if let Some(line) = annotation(folder, place, &title, &finding.words) {
                write!(io::stderr(), "{line}")?;
            }
        }
    }
    Ok(())
}

fn unreadable(error: StoreError) -> Failure {
    Failure::input(error, "nothing was run")
}

impl CalibrateArgs {
    /// Whether the filters name the test.
    fn names(&self, test: &FoundTest<'_>) -> bool {
        let matches = |filter: &String| self.matches(filter, test);
        self.filters.is_empty() || self.filters.iter().any(matches)
    }

    fn matches(&self, filter: &str, test: &FoundTest<'_>) -> bool {
        if self.exact {
            test.name == filter
        } else {
            test.name.contains(filter)
        }
    }

    /// A filter that names nothing is probably mistyped.
    fn warn_of_idle_filters(&self, tests: &[FoundTest<'_>]) -> Result<(), Failure> {
        let idle = |filter: &&String| !tests.iter().any(|test| self.matches(filter, test));
        for filter in self.filters.iter().filter(idle) {
            writeln!(io::stderr(), "warning: `{filter}` names no stochastic test")?;
        }
        Ok(())
    }
}

/// Entries do not name their package, so two packages cannot share a file.
fn one_file_for_one_package(tests: &[FoundTest<'_>]) -> Result<(), Failure> {
    let mut owners: BTreeMap<PathBuf, &str> = BTreeMap::new();
    for test in tests {
        let (file, package) = (
            store_of(test).path().to_owned(),
            test.program.package.as_str(),
        );
        let owner = *owners.entry(file.clone()).or_insert(package);
        if owner != package {
            return Err(Failure::input(
                format!(
                    "the packages {owner} and {package} would write into one file, {}",
                    file.display()
                ),
                format!(
                    "calibrate one of them with -p, or leave {} out",
                    env::BOUNDS
                ),
            ));
        }
    }
    Ok(())
}

/// Why no test is left, of so many in all and so many that the filters name.
fn nothing_to_do(programs: usize, all: usize, named: usize, args: &CalibrateArgs) -> Failure {
    let (error, hint) = if all == 0 {
        let programs = count(programs, "test program", "test programs");
        (
            format!("no stochastic test in {programs}"),
            "annotate a test with #[stochastic_test]; see `cargo doc -p flex-harness`",
        )
    } else if named > 0 {
        let tests = count(named, "stochastic test is", "stochastic tests are");
        (format!("{tests} ignored"), "add --include-ignored")
    } else {
        (
            format!(
                "none of {} has a path with `{}`",
                count(all, "stochastic test", "stochastic tests"),
                args.filters.join("` or `")
            ),
            "check the filter",
        )
    };
    Failure::input(error, hint)
}

/// What came of a test, and of writing it down.
type Outcome = Result<TestCalibration, TestFailure>;

enum TestFailure {
    Calibration(CalibrationError),
    Store(String),
}

/// The bounds file of a test, by the same rule as in the test itself, which runs in the folder of its package.
fn store_of(test: &FoundTest<'_>) -> Store {
    Store::at(env::bounds_file_in(&test.program.package_folder))
}
