//! Every test once, with what its run touched.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use flex_core::seed::{Phase, SeedRequest};
use flex_detect::record::Outcome;
use flex_detect::trace::TracedTest;
use flex_run::calibrate::{CalibrationError, Gate, Nobody, Worker};
use flex_run::model::Place;
use flex_run::watch::hang::{in_words, rounded};
use flex_run::watch::{ProcessEnd, Slowest};

use super::places::Places;
use super::plain::{PlainProbe, Touched, plain_command};
use crate::cargo::{CargoTest, FoundTest, TestKind, place_of_test};
use crate::record::replay::source_file;
use crate::session::{for_each, locked};

/// How tests are run to be traced.
pub struct Tracing<'a> {
    /// The folder of the workspace, which places are relative to.
    pub root: &'a Path,
    /// The base seed.
    pub base: &'a str,
    /// Processes at a time.
    pub jobs: usize,
    /// After how long a run hangs; without it, after [`TRACE_LIMIT`].
    pub timeout: Option<Duration>,
}

/// A run that is traced is the only one of its test, so no other tells how long it may take.
pub const TRACE_LIMIT: Duration = Duration::from_secs(600);

/// Runs each of these tests once and says what it touched, in their order; or why it could not be run.
pub fn trace<'p>(
    tests: Vec<CargoTest<'p>>,
    tracing: &Tracing<'_>,
    done: &(dyn Fn(&CargoTest<'p>) + Sync),
) -> Vec<(CargoTest<'p>, Result<TracedTest, CalibrationError>)> {
    let (places, gate) = (Places::new(tracing.root), Gate::new(tracing.jobs));
    let results = Mutex::new(Vec::new());
    let numbered: Vec<(usize, CargoTest<'p>)> = tests.into_iter().enumerate().collect();
    for_each(numbered, tracing.jobs, |(number, test)| {
        let traced = match test.kind {
            TestKind::Stochastic => stochastic(&test.found, tracing, &places, &gate),
            TestKind::Plain { controlled } => {
                plain(&test.found, tracing, &places, &gate, controlled)
            }
        };
        done(&test);
        locked(&results).push((number, (test, traced)));
    });
    let mut results = std::mem::take(&mut *locked(&results));
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

fn stochastic(
    test: &FoundTest<'_>,
    tracing: &Tracing<'_>,
    places: &Places,
    gate: &Gate,
) -> Result<TracedTest, CalibrationError> {
    let slowest = Slowest::default();
    let began = Instant::now();
    let worker = Worker {
        program: &test.program.program,
        test: &test.name,
        base: tracing.base,
        phase: Phase::Detect,
        // Where nobody states a limit, the process ends the run when its time is up.
        deadline: began
            .checked_add(TRACE_LIMIT)
            .filter(|_| tracing.timeout.is_none()),
        timeout: tracing.timeout,
        slowest: &slowest,
        gate,
        onlooker: &Nobody,
    };
    let recorded = worker.record(0..1)?;
    if recorded.hung.is_some() {
        return Err(hung(began));
    }
    let record = recorded.records.first().ok_or(CalibrationError::NoTime)?;
    let failed = record.runs().any(|(run, hits)| record.failed(run, hits));
    let died = !recorded.deaths.is_empty() || recorded.vanished.is_some();
    let touched = record
        .probe
        .clone()
        .map(|probe| (probe, record.stacks.clone()));
    let compiled = &record.test.place;
    let file = source_file(tracing.root, &test.program.package_folder, &compiled.file);
    Ok(traced(
        test,
        Place::new(file.display().to_string(), compiled.line),
        Outcome::of(failed || died),
        record.seconds_per_run().unwrap_or(0.0),
        touched,
        places,
    ))
}

fn plain(
    test: &FoundTest<'_>,
    tracing: &Tracing<'_>,
    places: &Places,
    gate: &Gate,
    controlled: bool,
) -> Result<TracedTest, CalibrationError> {
    let seed = SeedRequest {
        base: tracing.base.to_owned(),
        run: Some((Phase::Detect, 0)),
    };
    let mut command = plain_command(test, controlled.then_some(&seed));
    command.stderr(std::process::Stdio::null());
    let cannot = |error: std::io::Error| {
        let exe = test.program.program.exe.display();
        CalibrationError::Process(format!("cannot run {exe}: {error}"))
    };
    let probe = PlainProbe::of(&mut command).map_err(cannot)?;
    let started = Instant::now();
    let until = started.checked_add(tracing.timeout.unwrap_or(TRACE_LIMIT));
    let passed = match gate.run(until, &mut command).map_err(cannot)? {
        ProcessEnd::Itself(status) => status.success(),
        ProcessEnd::Late => return Err(hung(started)),
        ProcessEnd::Stopped => return Err(CalibrationError::Interrupted),
    };
    let seconds = started.elapsed().as_secs_f64();
    Ok(traced(
        test,
        place_of_test(test, tracing.root),
        Outcome::of(!passed),
        seconds,
        probe.read(),
        places,
    ))
}

/// The only run of a test began then, and did not end.
fn hung(began: Instant) -> CalibrationError {
    let words = in_words(0, rounded(began.elapsed()));
    CalibrationError::Hung(format!("{words}; `--timeout` allows a run more time"))
}

fn traced(
    test: &FoundTest<'_>,
    place: Place,
    outcome: Outcome,
    seconds: f64,
    touched: Touched,
    places: &Places,
) -> TracedTest {
    let exe = &test.program.program.exe;
    TracedTest {
        id: test.id(),
        package: Some(test.program.package.clone()),
        place,
        outcome,
        seconds,
        probe: touched.map(|(probe, stacks)| places.located(exe, &probe, &stacks)),
        calls: Vec::new(),
    }
}
