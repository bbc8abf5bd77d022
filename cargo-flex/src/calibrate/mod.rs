//! `cargo flex calibrate`: learns the bounds of stochastic tests and writes them into their bounds files.

mod budget;
mod cargo;
mod find;
mod progress;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use flex_core::seed::SeedRequest;
use flex_core::words::count;
use flex_harness::calibrate::{
    CalibrationError, CalibrationSettings, Gate, TestCalibration, calibrate, fresh_base, save,
};
use flex_harness::env;
use flex_harness::store::Store;

use crate::exit::{Exit, Failure};
use budget::{Budget, parse_duration};
use cargo::{Cargo, CargoArgs};
use find::{FoundTest, find};
use progress::Display;

/// Learns the bounds of stochastic tests from runs under varied seeds, and writes them into flex-bounds.toml.
///
/// Only tests annotated with #[stochastic_test] are run. Each is spread over at least five processes, to see what runs
/// share. Example: cargo flex calibrate --test sketch
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// Calibrate only tests whose path contains one of these words
    filters: Vec<String>,

    /// Filters are whole paths
    #[arg(long)]
    exact: bool,

    /// Calibrate ignored tests too
    #[arg(long)]
    include_ignored: bool,

    /// Runs to begin with [default: what the test says, else 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
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

    /// Learn bounds also where runs share state
    #[arg(long)]
    accept: bool,

    /// The base seed, any text [default: a fresh one]
    #[arg(long, value_name = "TEXT", env = env::SEED)]
    seed: Option<SeedRequest>,

    #[command(flatten)]
    cargo: CargoArgs,
}

/// Runs the command.
pub fn run(args: &CalibrateArgs) -> Result<Exit, Failure> {
    if args.seed.as_ref().is_some_and(|seed| seed.run.is_some()) {
        return Err(Failure::Input {
            error: "a calibration has a base seed, not a single run".to_owned(),
            hint: "leave out what begins with `@`; `cargo test` replays single runs".to_owned(),
        });
    }
    if let (Some(runs), Some(most)) = (args.runs, args.max_runs)
        && runs > most
    {
        return Err(Failure::Input {
            error: format!("{runs} runs to begin with are more than {most} at most"),
            hint: "lower --runs or raise --max-runs".to_owned(),
        });
    }
    let programs = Cargo::new(&args.cargo).build()?;
    let mut tests = Vec::new();
    for program in &programs {
        tests.extend(find(program)?);
    }
    let all = tests.len();
    tests.retain(|test| args.wants(test));
    tests.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    if tests.is_empty() {
        return Err(nothing_to_do(all, programs.len(), args));
    }
    // Before minutes of runs: can what they teach be written at all?
    let mut stores: Vec<Store> = tests.iter().map(store_of).collect();
    stores.dedup();
    for store in stores {
        store.check_writable().map_err(|error| Failure::Input {
            error: error.to_string(),
            hint: "nothing was run".to_owned(),
        })?;
    }
    let display = Display::new(tests.len());
    let mut results = calibrate_all(args, tests, &display);
    display.finish();
    results.sort_by(|(a, _), (b, _)| a.sort_key().cmp(&b.sort_key()));
    report(&results)
}

impl CalibrateArgs {
    fn wants(&self, test: &FoundTest<'_>) -> bool {
        let matches = |filter: &String| {
            if self.exact {
                test.name == *filter
            } else {
                test.name.contains(filter.as_str())
            }
        };
        (self.filters.is_empty() || self.filters.iter().any(matches))
            && (self.include_ignored || !test.ignored)
    }
}

fn nothing_to_do(all: usize, programs: usize, args: &CalibrateArgs) -> Failure {
    let s = |n: usize| if n == 1 { "" } else { "s" };
    let (error, hint) = if all == 0 {
        (
            format!(
                "no stochastic test in {programs} test program{}",
                s(programs)
            ),
            "annotate a test with #[stochastic_test]; see `cargo doc -p flex-harness`",
        )
    } else if args.filters.is_empty() {
        (
            format!("all {all} stochastic test{} are ignored", s(all)),
            "add --include-ignored",
        )
    } else {
        (
            format!(
                "none of {all} stochastic test{} has a path with `{}`",
                s(all),
                args.filters.join("` or `")
            ),
            "check the filter, or --include-ignored",
        )
    };
    Failure::Input {
        error,
        hint: hint.to_owned(),
    }
}

/// What came of a test, and of writing it down.
type Outcome = Result<TestCalibration, TestFailure>;

enum TestFailure {
    Calibration(CalibrationError),
    Store(String),
}

/// What all tests have in common.
struct Shared<'a> {
    args: &'a CalibrateArgs,
    base: String,
    gate: Gate,
    display: &'a Display,
}

/// Calibrates tests beside each other; those that measure time come last, one by one.
fn calibrate_all<'a>(
    args: &CalibrateArgs,
    tests: Vec<FoundTest<'a>>,
    display: &Display,
) -> Vec<(FoundTest<'a>, Outcome)> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let shared = Shared {
        args,
        base: match &args.seed {
            Some(seed) => seed.base.clone(),
            None => fresh_base(),
        },
        gate: Gate::new(jobs),
        display,
    };
    let budget = Budget::new(args.time_budget, jobs, tests.len());
    let queue = Mutex::new(VecDeque::from(tests));
    let (done, timed) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let next = locked(&queue).pop_front();
                    let Some(test) = next else { break };
                    let deadline = budget.start();
                    match one(&shared, &test, deadline, false) {
                        Err(TestFailure::Calibration(CalibrationError::NotAlone)) => {
                            locked(&timed).push(test);
                        }
                        outcome => {
                            budget.end();
                            locked(&done).push((test, outcome));
                        }
                    }
                }
            });
        }
    });
    let timed = timed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    for test in timed {
        let outcome = one(&shared, &test, budget.start(), true);
        budget.end();
        done.push((test, outcome));
    }
    done
}

/// What other threads left behind is whole: nothing panics while it holds a lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calibrates one test and writes down what it learned.
fn one(
    shared: &Shared<'_>,
    test: &FoundTest<'_>,
    deadline: Option<Instant>,
    alone: bool,
) -> Outcome {
    let Shared {
        args,
        base,
        gate,
        display,
    } = shared;
    let settings = CalibrationSettings {
        runs: args.runs,
        max_runs: args.max_runs,
        tight: args.tight,
        deadline,
        base: base.clone(),
        accept: args.accept,
        variant: std::env::var(env::VARIANT)
            .ok()
            .filter(|variant| !variant.is_empty()),
        alone,
    };
    let bar = display.begin(&test.label());
    let mut calibration = calibrate(&test.program.program, &test.name, &settings, gate, &|p| {
        bar.show(p);
    })
    .map_err(TestFailure::Calibration)?;
    save(&mut calibration, &store_of(test), &test.program.program).map_err(TestFailure::Store)?;
    bar.done(&calibration);
    Ok(calibration)
}

fn store_of(test: &FoundTest<'_>) -> Store {
    let stated = std::env::var_os(env::BOUNDS).filter(|path| !path.is_empty());
    Store::at(stated.map_or_else(
        || test.program.package_folder.join(env::BOUNDS_FILE),
        PathBuf::from,
    ))
}

/// Prints the tables and what went wrong, and says how the program ends.
fn report(results: &[(FoundTest<'_>, Outcome)]) -> Result<Exit, Failure> {
    let mut output = io::stdout().lock();
    let (mut sites, mut refused, mut failing) = (0, 0, 0);
    for calibration in results
        .iter()
        .filter_map(|(_, outcome)| outcome.as_ref().ok())
    {
        writeln!(output, "{calibration}")?;
        sites += calibration.sites.len();
        refused += calibration.refused().count();
        failing += usize::from(!calibration.failures.is_empty());
    }
    let mut errors = io::stderr().lock();
    let (mut broken, mut unsaved) = (0, 0);
    for (test, outcome) in results {
        match outcome {
            Ok(_) => {}
            Err(TestFailure::Calibration(error)) => {
                broken += 1;
                writeln!(errors, "error: {}: {error}", test.label())?;
            }
            Err(TestFailure::Store(error)) => {
                unsaved += 1;
                writeln!(errors, "error: {}: {error}", test.label())?;
            }
        }
    }
    let mut files: Vec<String> = results
        .iter()
        .filter(|(_, outcome)| outcome.is_ok())
        .map(|(test, _)| store_of(test).path().display().to_string())
        .collect();
    files.sort();
    files.dedup();
    writeln!(
        errors,
        "{} calibrated: {} learned, {refused} refused{}",
        count(results.len() - broken - unsaved, "test", "tests"),
        count(sites - refused, "site", "sites"),
        match files.is_empty() {
            true => String::new(),
            false => format!("; wrote {}", files.join(", ")),
        }
    )?;
    if failing > 0 {
        let tests = count(failing, "test fails by itself", "tests fail by themselves");
        writeln!(errors, "error: {tests}; see above")?;
    }
    Ok(match (unsaved, broken, failing, refused) {
        (1.., ..) => Exit::Usage,
        (_, 1.., ..) => Exit::Build,
        (_, _, 1.., _) => Exit::Findings,
        (.., 1..) => Exit::Refused,
        _ => Exit::Fine,
    })
}
