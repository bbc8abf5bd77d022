//! The tests of cargo: two programs each, which make the same runs.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;
use std::time::Instant;

use flex_core::seed::Phase;
use flex_detect::compare::{ComparedTest, SeenTest, Shares, TestPairs};
use flex_run::calibrate::{CalibrationError, Gate, Onlooker, Recorded, TestProgram, Worker};
use flex_run::watch::Slowest;
use flex_shard::TestKey;
use flex_shard::deal::is_whole;
use flex_shard::plan::Order;

use super::seconds::{self, Clock};
use super::{ComparedTests, Plan};
use crate::cargo::FoundTest;
use crate::exit::{Exit, Failure};
use crate::session::{Display, Ran, TestBar, Turn, exit_of, locked, run_all};
use crate::shards::{Making, Runs, TestRuns, key_of};
use crate::terminal;

/// After so many runs that hang no further ones are made.
const MOST_HANGS: usize = 3;

/// A test that both versions have.
struct Both<'a> {
    old: FoundTest<'a>,
    new: FoundTest<'a>,
}

impl Both<'_> {
    /// Its key in shards.
    fn key(&self) -> TestKey {
        key_of(&self.new)
    }
}

/// A test with its first pairs.
struct Begun<'a> {
    test: Both<'a>,
    pairs: TestPairs,
    seconds_per_run: f64,
    slowest: [Slowest; 2],
}

/// Compares the tests that both have.
pub fn compare(plan: &Plan<'_>, old: Vec<FoundTest<'_>>, new: Vec<FoundTest<'_>>) -> ComparedTests {
    let mut outcome = ComparedTests::default();
    let tests = matched(old, new, &mut outcome);
    compare_all(plan, tests, &mut outcome);
    outcome
}

/// Makes a shard of the tests that both have: of each all runs by which it is decided, or those that a plan names. Returns
/// how many there are, and what those say about the exit code of which nothing came.
pub fn make(
    plan: &Plan<'_>,
    making: &Making,
    (old, new): (Vec<FoundTest<'_>>, Vec<FoundTest<'_>>),
) -> Result<(usize, Vec<Exit>), Failure> {
    let mut outcome = ComparedTests::default();
    let tests = making.deal(matched(old, new, &mut outcome), Both::key)?;
    let all = tests.len();
    let (whole, planned): (Vec<_>, Vec<_>) =
        tests.into_iter().partition(|(_, orders)| is_whole(orders));
    compare_all(
        plan,
        whole.into_iter().map(|(test, _)| test).collect(),
        &mut outcome,
    );
    let outcome = Mutex::new(outcome);
    let gate = Gate::new(plan.jobs).closed_by(plan.interrupt.flag());
    let display = Display::new(planned.len(), plan.jobs, plan.time_budget);
    run_all(
        planned,
        plan.jobs,
        plan.time_budget,
        |(test, orders), turn, _: Option<()>| {
            make_planned((plan, &gate), test, orders, turn, &display).map(Ran::Done)
        },
        |(test, _), result| {
            if let Err(error) = result {
                let (failed, exit) = failed(&test, &error);
                let mut outcome = locked(&outcome);
                outcome.tests.push(failed);
                outcome.exits.push(exit);
            }
        },
    );
    display.finish();
    let outcome = outcome
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    for test in &outcome.tests {
        if let Some(error) = &test.error {
            writeln!(terminal::stderr(), "error: {}: {error}", test.id.name())?;
        }
    }
    Ok((all, outcome.exits))
}

/// Compares these tests.
fn compare_all(plan: &Plan<'_>, tests: Vec<Both<'_>>, outcome: &mut ComparedTests) {
    let began = Instant::now();
    let gate = Gate::new(plan.jobs).closed_by(plan.interrupt.flag());
    let results = Mutex::new(Vec::new());
    let keep = |test: Both<'_>, result: Result<ComparedTest, CalibrationError>| {
        let key = |test: &Both<'_>| {
            let (package, target, name) = test.new.sort_key();
            [package, target, name].map(str::to_owned)
        };
        locked(&results).push((key(&test), result.map_err(|error| failed(&test, &error))));
    };

    let display = Display::new(tests.len(), plan.jobs, plan.time_budget);
    let begun = Mutex::new(Vec::new());
    run_all(
        tests,
        plan.jobs,
        plan.time_budget,
        |test, turn, _: Option<()>| first_pairs((plan, &gate), test, turn, &display).map(Ran::Done),
        |test, result| match result {
            Ok((pairs, seconds_per_run, slowest)) => locked(&begun).push(Begun {
                test,
                pairs,
                seconds_per_run,
                slowest,
            }),
            Err(error) => keep(test, Err(error)),
        },
    );
    display.finish();

    let mut begun = begun
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let timed = if plan.time { begun.len() } else { 0 };
    let differing: usize = begun.iter().map(|begun| begun.pairs.differing()).sum();
    let shares = Shares::new(plan.alpha_here(), differing + timed);
    begun
        .iter_mut()
        .for_each(|begun| begun.pairs.begin(&shares));
    let left = plan
        .time_budget
        .map(|budget| budget.saturating_sub(began.elapsed()));
    // Beside others, nobody can be timed.
    let jobs = if plan.time { 1 } else { plan.jobs };
    let display = Display::new(begun.len(), jobs, left);
    run_all(
        begun,
        jobs,
        left,
        |begun, turn, pairs| {
            let pairs = pairs.unwrap_or_else(|| begun.pairs.clone());
            go_on((plan, &gate), begun, turn, (pairs, &shares), &display)
        },
        |begun, result| keep(begun.test, result),
    );
    display.finish();

    let mut results = results
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (_, result) in results {
        match result {
            Ok(test) => outcome.tests.push(test),
            Err((test, exit)) => {
                outcome.tests.push(test);
                outcome.exits.push(exit);
            }
        }
    }
}

fn failed(test: &Both<'_>, error: &CalibrationError) -> (ComparedTest, Exit) {
    let (id, package) = (test.new.id(), test.new.program.package.clone());
    let failed = ComparedTest::failed(id, Some(package), error.to_string());
    (failed, exit_of(error))
}

/// Tests by package, target and path; those that only one version has are noted.
fn matched<'a>(
    old: Vec<FoundTest<'a>>,
    new: Vec<FoundTest<'a>>,
    outcome: &mut ComparedTests,
) -> Vec<Both<'a>> {
    let key = |test: &FoundTest<'a>| {
        let (package, target, name) = test.sort_key();
        [package, target, name].map(str::to_owned)
    };
    let mut old: BTreeMap<_, _> = old.into_iter().map(|test| (key(&test), test)).collect();
    let mut both = Vec::new();
    for new in new {
        match old.remove(&key(&new)) {
            Some(old) => both.push(Both { old, new }),
            None => outcome.added.push(new.id()),
        }
    }
    outcome.gone.extend(old.values().map(FoundTest::id));
    both
}

/// The versions of one test, ready to run.
struct Workers<'a> {
    old: Runs<'a>,
    new: Runs<'a>,
}

impl<'a> Workers<'a> {
    fn new(
        plan: &'a Plan<'_>,
        gate: &'a Gate,
        (test, onlooker): (&'a Both<'_>, &'a dyn Onlooker),
        slowest: &'a [Slowest; 2],
        turn: Turn,
    ) -> Result<Self, CalibrationError> {
        let runs = |program: &'a TestProgram, key, slowest| {
            let worker = Worker {
                program,
                test: &test.new.name,
                base: plan.base,
                phase: Phase::Detect,
                deadline: turn.deadline,
                timeout: plan.timeout,
                slowest,
                gate,
                onlooker,
            };
            let known = TestRuns::new(plan.source, key, &program.exe, turn.alone)?;
            Ok(Runs::new(worker, known))
        };
        let (old, new) = (&test.old.program.program, &test.new.program.program);
        let key = test.key().compared();
        Ok(Workers {
            old: runs(old, key.clone().of_old(), &slowest[0])?,
            new: runs(new, key, &slowest[1])?,
        })
    }

    /// Makes these runs of both versions.
    fn record(&self, runs: Range<u32>) -> Result<[Recorded; 2], CalibrationError> {
        let old = self.old.record(runs.clone()).map_err(of_old)?;
        Ok([old, self.new.record(runs)?])
    }
}

/// Makes the runs of both versions that a plan names.
fn make_planned(
    (plan, gate): (&Plan<'_>, &Gate),
    test: &Both<'_>,
    orders: &[Order],
    turn: Turn,
    display: &Display,
) -> Result<(), CalibrationError> {
    let slowest = [Slowest::default(), Slowest::default()];
    let bar = display.begin(&test.new.label()).of_versions(2);
    let workers = Workers::new(plan, gate, (test, &bar), &slowest, turn)?;
    for order in orders {
        if workers.new.time_is_up() {
            plan.source.was_short();
            return Ok(());
        }
        match order {
            Order::Runs(runs) => drop(workers.record(runs.clone())?),
            Order::Repeat(runs) => {
                workers.old.repeat(runs, None).map_err(of_old)?;
                workers.new.repeat(runs, None)?;
            }
            Order::Part(_) | Order::Confirm(_) => {}
        }
    }
    Ok(())
}

/// Says that it is the old version of which something is wrong.
fn of_old(error: CalibrationError) -> CalibrationError {
    match error {
        CalibrationError::Process(words) => {
            CalibrationError::Process(format!("the old version: {words}"))
        }
        other => other,
    }
}

fn seen(recorded: &Recorded) -> Result<SeenTest, CalibrationError> {
    for record in &recorded.records {
        if !record.mistakes.is_empty() {
            return Err(CalibrationError::Test(record.mistakes.clone()));
        }
    }
    SeenTest::of_recorded(recorded).ok_or(CalibrationError::NoTime)
}

/// The first pairs of a test, and if they differ a few runs once more: does the seed decide what they show?
fn first_pairs(
    (plan, gate): (&Plan<'_>, &Gate),
    test: &Both<'_>,
    turn: Turn,
    display: &Display,
) -> Result<(TestPairs, f64, [Slowest; 2]), CalibrationError> {
    let slowest = [Slowest::default(), Slowest::default()];
    let bar = display.begin(&test.new.label()).of_versions(2);
    let workers = Workers::new(plan, gate, (test, &bar), &slowest, turn)?;
    bar.wants(plan.rule.first, None);
    let [old, new] = workers.record(0..plan.rule.first)?;
    let (old, new) = (seen(&old)?, seen(&new)?);
    if (old.measures_time || new.measures_time) && !turn.alone {
        return Err(CalibrationError::NotAlone);
    }
    let mut pairs = TestPairs::new(plan.rule, &old, &new);
    if pairs.differing() > 0 {
        for (version, worker, once) in [("old", &workers.old, &old), ("new", &workers.new, &new)] {
            let runs: Vec<u32> = once.runs.keys().rev().copied().collect();
            let mut again = SeenTest {
                runs: BTreeMap::new(),
                ..once.clone()
            };
            again.take_record(&worker.repeat(&runs, None)?);
            pairs.repeated(version, once, &again);
        }
    }
    let seconds = old.seconds_per_run.max(new.seconds_per_run);
    Ok((pairs, seconds, slowest))
}

/// Makes pairs until all is decided, or the time is up.
fn go_on(
    (plan, gate): (&Plan<'_>, &Gate),
    begun: &Begun<'_>,
    turn: Turn,
    (mut pairs, shares): (TestPairs, &Shares),
    display: &Display,
) -> Result<Ran<ComparedTest, TestPairs>, CalibrationError> {
    let bar = display.begin(&begun.test.new.label()).of_versions(2);
    let (test, slowest) = ((&begun.test, &bar as &dyn Onlooker), &begun.slowest);
    let workers = Workers::new(plan, gate, test, slowest, turn)?;
    let mut hangs = 0;
    while let Some(runs) = pairs.wanted() {
        if workers.new.time_is_up() {
            pairs.not_made(runs.start);
            if !turn.last {
                return Ok(Ran::Short(pairs));
            }
            plan.source.was_short();
            pairs.out_of_time();
            pairs.note("the time was up before all was decided");
            break;
        }
        bar.taken(runs.start);
        bar.wants(runs.end, None);
        let recorded = workers.record(runs)?;
        hangs += recorded.iter().filter(|part| part.hung.is_some()).count();
        let [old, new] = recorded;
        if old.records.is_empty() || new.records.is_empty() {
            continue;
        }
        pairs.take(&seen(&old)?, &seen(&new)?, shares);
        if hangs >= MOST_HANGS {
            pairs.out_of_time();
            pairs.note(format!(
                "{MOST_HANGS} runs hang, so that no further ones were made"
            ));
        }
    }
    if plan.time {
        let clock = Took {
            workers: &workers,
            runs: seconds::runs_a_pair(begun.seconds_per_run),
        };
        time(plan, &clock, &mut pairs, shares, &bar)?;
    }
    let compared = pairs.compared();
    bar.done("compared", 2 * compared.pairs, 2);
    Ok(Ran::Done(compared))
}

fn time(
    plan: &Plan<'_>,
    clock: &Took<'_>,
    pairs: &mut TestPairs,
    shares: &Shares,
    bar: &TestBar<'_>,
) -> Result<(), CalibrationError> {
    let name = pairs.id().name().to_owned();
    for pair in 0..plan.rule.most {
        if clock.workers.new.time_is_up() {
            pairs.note("the time was up before durations were decided");
            return Ok(());
        }
        bar.show(pair, plan.rule.most);
        let Some(seconds) = seconds::pair(clock, plan.base, &name, pair)? else {
            pairs.note("runs that fail or hang cannot be timed");
            return Ok(());
        };
        if seconds::decided(pairs, &[seconds], shares) {
            return Ok(());
        }
    }
    Ok(())
}

/// How long runs took, without the start of their process.
struct Took<'a> {
    workers: &'a Workers<'a>,
    runs: u32,
}

impl Clock for Took<'_> {
    fn seconds(&self, is_new: bool, pair: u32) -> Result<Option<f64>, CalibrationError> {
        let worker = match is_new {
            true => &self.workers.new,
            false => &self.workers.old,
        };
        let from = pair.saturating_mul(self.runs);
        let recorded = worker.record(from..from.saturating_add(self.runs))?;
        let took = recorded.records.first().and_then(|record| record.took);
        Ok(took
            .filter(|_| recorded.is_whole())
            .map(|took| took.as_secs_f64()))
    }
}
