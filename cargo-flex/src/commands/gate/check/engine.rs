//! The course of a check, whoever runs the tests: durations, trials, the code before the change, and a comparison with it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use flex_detect::compare::{Compared, SeriesRule};
use flex_detect::record::{ObservedTest, Outcome};
use flex_gate::bank::allocate;
use flex_gate::trials::Before;
use flex_run::model::Runner;

use super::Checking;
use super::checked::Checked;
use super::made::Made;
use crate::compare::{self, ComparedTests, Plan};
use crate::exit::{Exit, Failure};
use crate::git::{Commit, Repository};
use crate::session::{Interrupt, jobs};
use crate::shards::Source;
use crate::terminal;

/// The share of the time for trials that measuring unknown durations may take.
const FOR_MEASURING: f64 = 0.5;

/// The share of a time bank that is kept for checks of the base.
const FOR_BASE: f64 = 0.2;

/// The share that is kept for a comparison with it.
const FOR_COMPARISON: f64 = 0.3;

/// The probability that a comparison calls anything worse or better that has not changed.
const ALPHA: f64 = 1e-4;

/// Whoever runs tests.
pub trait Engine {
    /// The tests, for people; none is there twice.
    fn names(&self) -> Vec<String>;

    /// How long a run of each takes, as far as it can be found out until then.
    fn seconds(&mut self, until: Option<Instant>) -> Result<Vec<f64>, Failure>;

    /// How many runs are made at a time.
    fn jobs(&self) -> usize;

    /// Makes so many trials of each test, until the time is up; each test with the number of its name.
    fn trials(
        &mut self,
        trials: &[u32],
        seconds: &[f64],
        until: Option<Instant>,
    ) -> Result<Made, Failure>;

    /// Lets others know of what trials showed.
    fn keep(&self, made: &Made) -> Result<(), Failure>;

    /// Checks out the code before the change, and builds it.
    fn build_base(&mut self, repository: &Repository, commit: &Commit) -> Result<(), Failure>;

    /// Makes so many trials of some tests before the change; nothing for a test that was not there.
    fn before(
        &mut self,
        tests: &[usize],
        trials: u32,
        until: Option<Instant>,
    ) -> Result<BTreeMap<usize, ObservedTest>, Failure>;

    /// Compares some tests with what they were before the change, those that are stochastic; returns the folder of flex,
    /// too.
    fn compare(
        &mut self,
        tests: &[usize],
        plan: &Plan<'_>,
    ) -> Result<(Runner, PathBuf, ComparedTests), Failure>;
}

/// The code before the change.
pub struct Base {
    pub repository: Repository,
    pub commit: Commit,
    /// Whether it is compared with the code after it.
    pub compares: bool,
}

/// When the parts of a check end.
#[derive(Clone, Copy)]
struct Ends {
    trials: Option<Instant>,
    base: Option<Instant>,
    all: Option<Instant>,
}

impl Ends {
    fn of(bank: Option<Duration>, base: Option<&Base>) -> Self {
        let began = Instant::now();
        let at = |share: f64| bank.and_then(|bank| began.checked_add(bank.mul_f64(share)));
        let compared = match base {
            Some(Base { compares: true, .. }) => FOR_COMPARISON,
            _ => 0.0,
        };
        let for_base = base.map_or(0.0, |_| FOR_BASE);
        Ends {
            trials: at(1.0 - for_base - compared),
            base: at(1.0 - compared),
            all: at(1.0),
        }
    }

    /// The same, if so much of the time was not spent on runs.
    fn later(self, by: Duration) -> Self {
        let later = |end: Option<Instant>| end.and_then(|end| end.checked_add(by));
        Ends {
            trials: later(self.trials),
            base: later(self.base),
            all: later(self.all),
        }
    }
}

fn left(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now())
}

/// What all runs of a check showed.
struct Shown {
    made: Made,
    befores: BTreeMap<usize, Before>,
    compared: Option<Found>,
}

/// What a comparison with the code before the change found.
struct Found {
    runner: Runner,
    /// The folder of flex.
    flex: PathBuf,
    outcome: ComparedTests,
}

/// Checks all tests of an engine; `None` if shards hold too few of their runs, which is said.
pub fn check(
    checking: &Checking<'_>,
    engine: &mut dyn Engine,
    base: Option<&Base>,
) -> Result<Option<Checked>, Failure> {
    let Shown {
        mut made,
        mut befores,
        compared,
    } = run(checking, engine, base)?;
    if let Source::Shards(playing) = &checking.source {
        let (more_runs, _) = playing.ended(|_| false)?;
        if more_runs.is_some() {
            return Ok(None);
        }
        engine.keep(&made)?;
    }
    let mut told = None;
    if let (Some(found), Some(base)) = (compared, base) {
        let (compared, exits) = found.told(base, checking)?;
        made.exits.extend(exits);
        told = Some(compared);
    }
    let names = engine.names();
    let same_seed = checking.args.same_seed;
    let checked = Checked::of(&names, made, same_seed, |index| {
        let nobody_asked = || unknown("");
        befores.remove(&index).unwrap_or_else(nobody_asked)
    });
    Ok(Some(Checked {
        compared: told,
        ..checked
    }))
}

/// Makes a shard of the tests of an engine; how many there are, and what those say about the exit code that could not be
/// run.
pub fn make(
    checking: &Checking<'_>,
    engine: &mut dyn Engine,
    base: Option<&Base>,
) -> Result<(usize, Vec<Exit>), Failure> {
    let shown = run(checking, engine, base)?;
    let compared = shown.compared.into_iter();
    let of_compared = compared.flat_map(|found| found.outcome.exits);
    let exits = shown.made.exits.into_iter().chain(of_compared);
    Ok((engine.names().len(), exits.collect()))
}

/// Makes all runs of a check. What is built is no trial.
fn run(
    checking: &Checking<'_>,
    engine: &mut dyn Engine,
    base: Option<&Base>,
) -> Result<Shown, Failure> {
    // A shard can have none of the tests.
    let base = base.filter(|_| !engine.names().is_empty());
    let mut ends = Ends::of(checking.args.time_bank, base);
    let seconds = match ends.trials {
        Some(end) => engine.seconds(Some(end - left(end).mul_f64(1.0 - FOR_MEASURING)))?,
        None => vec![0.0; engine.names().len()],
    };
    let capacity = ends
        .trials
        .map(|end| left(end).as_secs_f64() * engine.jobs() as f64);
    let trials = allocate(&seconds, checking.args.most(), capacity);
    let mut made = engine.trials(&trials, &seconds, ends.trials)?;
    if matches!(checking.source, Source::Here) {
        engine.keep(&made)?;
    }

    let failed = made.numbers(|test| {
        let ran = test.runs.iter().map(|run| run.outcome);
        let again = test.repeats.iter().map(|again| again.outcome);
        ran.chain(again).any(|outcome| outcome == Outcome::Fail)
    });
    let mut befores: BTreeMap<usize, Before> = BTreeMap::new();
    let mut compared = None;
    if let Some(base) = base.filter(|base| base.compares || !failed.is_empty()) {
        let building = Instant::now();
        let built = engine.build_base(&base.repository, &base.commit);
        ends = ends.later(building.elapsed());
        let is_built = built.is_ok();
        befores = before(checking, engine, &failed, built, ends.base)?;
        if base.compares && is_built {
            let varying = made.numbers(|test| !test.is_shown_fixed());
            match compared_with(checking, engine, &varying, ends.all) {
                Ok(Some(found)) => compared = Some(found),
                Ok(None) if checking.source.misses() => {}
                Ok(None) => writeln!(
                    terminal::stderr(),
                    "note: nothing to compare: no stochastic test is selected"
                )?,
                // What the trials showed is told in any case.
                Err(failure) => {
                    write!(terminal::stderr(), "{failure}")?;
                    made.exits.push(failure.exit());
                }
            }
        }
    }
    Ok(Shown {
        made,
        befores,
        compared,
    })
}

/// What tests that fail showed before the change.
fn before(
    checking: &Checking<'_>,
    engine: &mut dyn Engine,
    failed: &[usize],
    built: Result<(), Failure>,
    end: Option<Instant>,
) -> Result<BTreeMap<usize, Before>, Failure> {
    if let Err(failure) = &built {
        write!(terminal::stderr(), "{failure}")?;
    }
    let found = built.and_then(
        |()| match end.is_none_or(|end| left(end) > Duration::ZERO) {
            _ if failed.is_empty() => Ok(BTreeMap::new()),
            true => engine.before(failed, checking.args.most(), end),
            false => Err(Failure::input("no time was left", "")),
        },
    );
    let state = |index: &usize| match &found {
        Ok(found) => found.get(index).map_or(Before::Absent, before_of),
        Err(failure) => unknown(&failure.first_line()),
    };
    Ok(failed.iter().map(|index| (*index, state(index))).collect())
}

fn unknown(why: &str) -> Before {
    Before::Unknown {
        why: why.to_owned(),
    }
}

/// What a test showed before the change.
fn before_of(test: &ObservedTest) -> Before {
    let ran = test.runs.iter().filter(|run| run.outcome != Outcome::Skip);
    let failed = test
        .runs
        .iter()
        .filter(|run| run.outcome == Outcome::Fail)
        .count() as u32;
    let runs = ran.count() as u32;
    match (runs, failed) {
        (0, _) if test.runs.is_empty() => unknown(test.notes.first().map_or("", |why| why)),
        (0, _) => unknown("its run was skipped"),
        (runs, 0) => Before::Stable { runs },
        (runs, failed) => Before::Failed { runs, failed },
    }
}

/// Compares tests with what they were before the change; `None` if none of them can be.
fn compared_with(
    checking: &Checking<'_>,
    engine: &mut dyn Engine,
    tests: &[usize],
    end: Option<Instant>,
) -> Result<Option<Found>, Failure> {
    let interrupt = Interrupt::listen();
    let plan = plan(checking, end, &interrupt);
    let (runner, flex, outcome) = engine.compare(tests, &plan)?;
    Ok((!outcome.is_empty()).then_some(Found {
        runner,
        flex,
        outcome,
    }))
}

/// How tests are compared.
fn plan<'a>(
    checking: &'a Checking<'_>,
    end: Option<Instant>,
    interrupt: &'a Interrupt,
) -> Plan<'a> {
    Plan {
        rule: SeriesRule::default(),
        alpha: ALPHA,
        base: &checking.base,
        time: false,
        time_budget: end.map(left),
        timeout: checking.args.timeout,
        jobs: jobs(checking.args.jobs),
        interrupt,
        source: &checking.source,
    }
}

impl Found {
    /// The comparison as a value, which is kept, and what it says about the exit code.
    fn told(self, base: &Base, checking: &Checking<'_>) -> Result<(Compared, Vec<Exit>), Failure> {
        let interrupt = Interrupt::listen();
        let plan = plan(checking, None, &interrupt);
        let old = (base.commit.to_string(), &base.commit);
        let old = (old.0.as_str(), old.1);
        let told = self
            .outcome
            .told(&plan, self.runner, &base.repository, old)?;
        compare::keep(&told.0, &self.flex)?;
        Ok(told)
    }
}
