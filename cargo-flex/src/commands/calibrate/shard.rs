//! `--shard K/N --out DIR`: a part of the runs is made and written down. Nothing is decided.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;

use flex_core::calibration::CalibrationPlan;
use flex_core::words::count;
use flex_run::calibrate::{
    CalibrationError, CalibrationSettings, FixedRun, Gate, Onlooker, Recorded, ReplayFirst,
    ReplayOrder, ReplayTimeouts, Worker, replay_orders,
};
use flex_run::model::{ProcessRecord, Runner, Site};
use flex_run::project::env;
use flex_run::watch::{Slowest, follow_parent};
use flex_shard::TestKey;
use flex_shard::file::{Frame, ShardContent, ShardKind, ShardWriter};
use flex_shard::folder::made_before;
use flex_shard::plan::Order;
use flex_shard::share::{BY_CARGO, ShardShare, for_claims, repeated};
use flex_shard::union::runs_of;

use super::COMMAND;
use super::args::CalibrateArgs;
use super::projects::Projects;
use super::unchanged::questions;
use crate::cargo::{FoundTest, build, find};
use crate::exit::{Exit, Failure};
use crate::session::{
    Display, Interrupt, Ran, Turn, exit_of, for_each, jobs, locked, most_urgent, run_all,
};
use crate::shards::{Making, key_of};
use crate::terminal;

/// Makes a shard.
pub fn make(args: &CalibrateArgs, making: &Making) -> Result<Exit, Failure> {
    let decides = [
        ("--accept", args.accept),
        ("--prune", args.prune),
        ("--tight", args.tight),
        ("--junit", args.junit.is_some()),
    ];
    args.shards.making.refuse(COMMAND, &decides)?;
    // A worker of a cluster that is lost takes along what it started.
    let parent = env::parent().map_err(|error| Failure::input(error, "nothing was run"))?;
    if let Some(parent) = parent {
        follow_parent(parent);
    }
    let programs = build(&args.cargo)?;
    let mut all = Vec::new();
    for program in &programs {
        all.extend(find(program)?);
    }
    let mut tests = args.filter().select(all.clone(), programs.len())?;
    tests.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    let projects = Projects::read(&all)?;
    let interrupt = Interrupt::listen();
    let jobs = jobs(args.jobs);
    let gate = Gate::new(jobs).closed_by(interrupt.flag());
    let mut before: BTreeMap<TestKey, Vec<Frame>> = BTreeMap::new();
    for (test, _, frame) in made_before(&making.folder, &making.header) {
        before.entry(test).or_default().push(frame);
    }
    let writer = making.begin()?;
    let shard = ShardOfTests {
        args,
        making,
        projects: &projects,
        before: &before,
        writer: &writer,
        gate: &gate,
        display: &Display::new(tests.len(), jobs, args.time_budget),
        short: Mutex::new(false),
    };
    let work = shard.work(tests, jobs)?;
    let exits = Mutex::new(Vec::new());
    let made = Mutex::new(0_usize);
    run_all(
        work,
        jobs,
        args.time_budget,
        |work, turn, begun| shard.make_one(work, turn, begun),
        |work: Work<'_>, outcome| match outcome {
            Ok(()) => *locked(&made) += 1,
            Err(CalibrationError::NoTime) => *locked(&shard.short) = true,
            Err(error) => {
                locked(&exits).push(exit_of(&error));
                // Nobody is left to tell where standard error is gone.
                let _ = writeln!(terminal::stderr(), "error: {}: {error}", work.test.label());
            }
        },
    );
    shard.display.finish();
    let is_short = *locked(&shard.short);
    let exits = std::mem::take(&mut *locked(&exits));
    let tests = count(*locked(&made), "test", "tests");
    let path = writer.path().to_owned();
    if interrupt.has_come() {
        writeln!(
            terminal::stderr(),
            "interrupted: what was made stays in {}, and the same command goes on",
            path.display()
        )?;
        return Ok(Exit::Interrupted);
    }
    let runs = writer
        .end(!is_short && exits.is_empty())
        .map_err(|error| making.unwritten(&error))?;
    let runs = count(usize::try_from(runs).unwrap_or(usize::MAX), "run", "runs");
    let number = making.header.shard;
    let why = match is_short {
        true => "; there was no time for the rest",
        false => "",
    };
    writeln!(
        terminal::stderr(),
        "shard {number}: {runs} of {tests}, seed {}; wrote {}{why}",
        making.header.base,
        path.display()
    )?;
    Ok(most_urgent(exits))
}

/// What all tests have in common.
struct ShardOfTests<'a> {
    args: &'a CalibrateArgs,
    making: &'a Making,
    projects: &'a Projects,
    /// What earlier tries of this shard left.
    before: &'a BTreeMap<TestKey, Vec<Frame>>,
    writer: &'a ShardWriter,
    gate: &'a Gate,
    display: &'a Display,
    /// Whether there was no time for all runs.
    short: Mutex<bool>,
}

/// What is to be made of one test.
struct Work<'a> {
    test: FoundTest<'a>,
    orders: Vec<Order>,
    /// Its share of the first round.
    share: Option<ShardShare>,
}

/// How far a test is.
#[derive(Default)]
struct Begun {
    /// Orders that are done.
    done: usize,
    /// What the first of them showed.
    first: Option<ProcessRecord>,
    runs: u32,
    processes: usize,
}

impl<'a> ShardOfTests<'a> {
    /// What this shard makes, test by test. Tests that are probably unchanged are left out.
    fn work<'t>(&self, tests: Vec<FoundTest<'t>>, jobs: usize) -> Result<Vec<Work<'t>>, Failure> {
        let shard = self.making.header.shard;
        if let Some(plan) = &self.making.plan {
            let mut planned: BTreeMap<TestKey, Vec<Order>> =
                plan.share(shard).into_iter().collect();
            let mut work = Vec::new();
            for test in tests {
                if let Some(orders) = planned.remove(&key_of(&test)) {
                    work.push(Work {
                        test,
                        orders,
                        share: None,
                    });
                }
            }
            if let Some(gone) = planned.keys().next() {
                return Err(Failure::input(
                    format!("the plan names {gone}, which is not here"),
                    "give the options and filters of the first round",
                ));
            }
            return Ok(work);
        }
        let all = tests.len();
        let mut work = Vec::new();
        for (place, test) in tests.into_iter().enumerate() {
            let share = ShardShare::of(shard, (place, all), self.args.max_runs, Runner::Cargo);
            if !share.is_empty() {
                work.push(Work {
                    test,
                    orders: share.parts.iter().copied().map(Order::Part).collect(),
                    share: Some(share),
                });
            }
        }
        let same = self.replay(&work, jobs)?;
        if !self.args.full {
            let mut places = same.iter();
            work.retain(|_| !places.next().copied().unwrap_or(false));
        }
        Ok(work)
    }

    /// Replays runs of the last calibration: all that decide whether a test is unchanged, or one to see whether that is
    /// probable. Returns which probably are.
    fn replay(&self, work: &[Work<'_>], jobs: usize) -> Result<Vec<bool>, Failure> {
        let program = |work: &Work<'_>| {
            let (package, target) = work.test.program.key();
            (package.to_owned(), target.to_owned())
        };
        let same = Mutex::new(vec![false; work.len()]);
        let failed = Mutex::new(None);
        let mut programs = Vec::new();
        let mut from = 0;
        for of_program in work.chunk_by(|a, b| program(a) == program(b)) {
            programs.push((from, of_program));
            from += of_program.len();
        }
        for_each(programs, jobs, |(from, work)| {
            let found = self.replay_program(from, work);
            match found {
                Ok(found) => {
                    let mut same = locked(&same);
                    found.into_iter().for_each(|place| same[place] = true);
                }
                Err(error) => *locked(&failed) = Some(error),
            }
        });
        let failed = locked(&failed).take();
        match failed {
            Some(error) => Err(self.making.unwritten(&error)),
            None => Ok(std::mem::take(&mut *locked(&same))),
        }
    }

    fn replay_program(&self, from: usize, work: &[Work<'_>]) -> std::io::Result<Vec<usize>> {
        let tests: Vec<FoundTest<'_>> = work.iter().map(|work| work.test.clone()).collect();
        let asked = questions(self.args, &tests, self.projects);
        let mut same = Vec::new();
        let mut wanted: Vec<(usize, &FoundTest<'_>, &ReplayFirst, bool)> = Vec::new();
        for (test, replay) in &asked {
            let place = work
                .iter()
                .position(|w| w.test.sort_key() == test.sort_key());
            let Some((place, share)) =
                place.and_then(|place| Some((place, work[place].share.as_ref()?)))
            else {
                continue;
            };
            if !share.replays && (self.args.full || share.parts.is_empty()) {
                continue;
            }
            match self.replayed_before(test, replay).filter(|_| share.replays) {
                Some(record) if replay.is_answered_by(record) => same.push(from + place),
                Some(_) => {}
                None => wanted.push((place, test, replay, share.replays)),
            }
        }
        let orders: Vec<ReplayOrder<'_>> = wanted
            .iter()
            .map(|(_, test, replay, whole)| {
                let mut order = replay.order(&test.name);
                if !whole {
                    order.runs.truncate(1);
                }
                order
            })
            .collect();
        if orders.is_empty() {
            return Ok(same);
        }
        let timeouts = ReplayTimeouts {
            run: self.args.timeout,
            all: self.args.deadline(),
        };
        let shown = replay_orders(&tests[0].program.program, &orders, timeouts, self.gate);
        for ((place, test, replay, whole), record) in wanted.into_iter().zip(shown) {
            let Some(record) = record else { continue };
            let is_same = match whole {
                true => replay.is_answered_by(&record),
                false => replay.may_be_answered_by(&record),
            };
            if is_same {
                same.push(from + place);
            }
            if whole {
                let kind = ShardKind::Replay(replay.base().to_owned());
                self.write(test, kind, record.into())?;
            }
        }
        Ok(same)
    }

    fn replayed_before(
        &self,
        test: &FoundTest<'_>,
        replay: &ReplayFirst,
    ) -> Option<&ProcessRecord> {
        let frames = self.before.get(&key_of(test))?;
        frames
            .iter()
            .find_map(|frame| match (&frame.kind, &frame.content) {
                (ShardKind::Replay(base), ShardContent::Recorded(recorded))
                    if base == replay.base() =>
                {
                    recorded.records.first()
                }
                _ => None,
            })
    }

    fn write(
        &self,
        test: &FoundTest<'_>,
        kind: ShardKind,
        recorded: Recorded,
    ) -> std::io::Result<()> {
        let runs = runs_of(&recorded).len() as u64;
        let frame = Frame {
            test: key_of(test),
            kind,
            content: ShardContent::Recorded(recorded),
        };
        self.writer.push(&frame, runs)
    }

    /// Makes what is to be made of one test, order by order.
    fn make_one(
        &self,
        work: &Work<'_>,
        turn: Turn,
        begun: Option<Begun>,
    ) -> Result<Ran<(), Begun>, CalibrationError> {
        let settings = CalibrationSettings {
            deadline: turn.deadline,
            timeout: self.args.timeout,
            base: self.making.header.base.clone(),
            check: self.args.check,
            ..CalibrationSettings::default()
        };
        let slowest = Slowest::default();
        let program = &work.test.program.program;
        let bar = self.display.begin(&work.test.label());
        let shown = (self.gate, &bar as &dyn Onlooker);
        let worker = Worker::new(program, &work.test.name, &settings, &slowest, shown);
        let mut begun = begun.unwrap_or_default();
        loop {
            let seconds = begun
                .first
                .as_ref()
                .and_then(ProcessRecord::seconds_per_run);
            if let Some(seconds) = seconds {
                slowest.took(Duration::from_secs_f64(seconds));
            }
            let Some(order) = self.next(work, &begun) else {
                break;
            };
            if worker.time_is_up() {
                return match turn.last {
                    true => Err(CalibrationError::NoTime),
                    false => Ok(Ran::Short(begun)),
                };
            }
            bar.taken(begun.runs);
            bar.wants(begun.runs + self.runs_in(&order), None);
            let (kind, recorded) = match self.made_before(&work.test, &order, &begun) {
                Some(known) => (None, known),
                None => {
                    let (kind, recorded) = self.obey(&worker, order)?;
                    (Some(kind), recorded)
                }
            };
            let is_time = |site: &Site| site.is_time;
            let mut records = recorded.records.iter();
            if records.any(|record| record.sites.iter().any(is_time)) && !turn.alone {
                return Err(CalibrationError::NotAlone);
            }
            let late = recorded.hung.is_some_and(|hung| !hung.is_hang);
            let hangs = recorded.hung.is_some_and(|hung| hung.is_hang);
            let shown = recorded.records.first();
            if shown.is_some_and(|record| record.runs().next().is_some() || begun.first.is_none()) {
                begun.first = begun.first.or_else(|| shown.cloned());
            }
            begun.runs += runs_of(&recorded).len() as u32;
            begun.processes += recorded.records.len();
            begun.done += 1;
            if let Some(kind) = kind
                && !recorded.records.is_empty()
            {
                self.write(&work.test, kind, recorded).map_err(|error| {
                    CalibrationError::Process(self.making.unwritten(&error).to_string())
                })?;
            }
            if hangs {
                // Nothing will be learned of it, and each further run that hangs costs as long as its limit is.
                break;
            }
            if late {
                return Err(CalibrationError::NoTime);
            }
        }
        bar.done("made", begun.runs, begun.processes);
        Ok(Ran::Done(()))
    }

    /// How many runs an order is about, as far as is known before the test has told.
    fn runs_in(&self, order: &Order) -> u32 {
        let usual = CalibrationPlan::default().min_runs;
        match order {
            Order::Part(part) => part.runs(self.args.runs.unwrap_or(usual)).len() as u32,
            Order::Runs(runs) => runs.len() as u32,
            Order::Repeat(runs) | Order::Confirm(runs) => runs.len() as u32,
        }
    }

    /// The next order of a test; in the first round some follow from what the first part showed.
    fn next(&self, work: &Work<'_>, begun: &Begun) -> Option<Order> {
        let Some(share) = &work.share else {
            return work.orders.get(begun.done).cloned();
        };
        let first = begun.first.as_ref();
        let is_fixed = !self.args.full && first.is_some_and(|first| FixedRun::of(first).is_some());
        if !is_fixed && let Some(order) = work.orders.get(begun.done) {
            return Some(order.clone());
        }
        let parts = match is_fixed {
            true => begun.done.min(1),
            false => work.orders.len(),
        };
        let runs = first.map_or(0, |first| {
            let options = first.test.options;
            let runs = self
                .args
                .runs
                .unwrap_or_else(|| options.runs_to_begin_with());
            self.args.max_runs.map_or(runs, |most| runs.min(most))
        });
        let mut then = Vec::new();
        if share.repeats && runs > 0 {
            let seconds = first.and_then(ProcessRecord::seconds_per_run);
            then.push(Order::Repeat(match is_fixed {
                true => vec![0],
                false => repeated(runs, seconds.unwrap_or(0.0), BY_CARGO),
            }));
        }
        if let Some(first) = first.filter(|_| !is_fixed) {
            let most = first.test.options.max_runs.or(self.args.max_runs);
            let more = for_claims(first, runs, most);
            let range = |part: &flex_run::project::part::Part| {
                let part = part.runs(more.end - more.start);
                more.start + part.start..more.start + part.end
            };
            let ours = share
                .parts
                .iter()
                .map(range)
                .filter(|range| !range.is_empty());
            then.extend(ours.map(Order::Runs));
        }
        then.into_iter().nth(begun.done.checked_sub(parts)?)
    }

    /// Carries an order out.
    fn obey(
        &self,
        worker: &Worker<'_>,
        order: Order,
    ) -> Result<(ShardKind, Recorded), CalibrationError> {
        let until_fixed = !self.args.full;
        let none = || Recorded {
            records: Vec::new(),
            deaths: Vec::new(),
            vanished: None,
            hung: None,
        };
        Ok(match order {
            Order::Part(part) => {
                let recorded = match self.args.runs.map(|runs| part.runs(runs)) {
                    None => worker.record_share(part, until_fixed)?,
                    Some(runs) if runs.is_empty() => none(),
                    Some(runs) => worker.record_until_fixed(runs)?,
                };
                (ShardKind::Runs, recorded)
            }
            Order::Runs(runs) => (ShardKind::Runs, worker.record(runs)?),
            Order::Repeat(runs) => {
                let seconds = worker
                    .slowest
                    .get()
                    .map_or(1.0, |slowest| slowest.as_secs_f64());
                let record = worker.patient(&runs, seconds).repeat(&runs)?;
                (ShardKind::Repeat(runs), record.into())
            }
            Order::Confirm(runs) => {
                let record = worker.repeat(&runs)?;
                (ShardKind::Confirm(runs), record.into())
            }
        })
    }

    /// What an earlier try of this shard left of an order, if that is all of it.
    fn made_before(&self, test: &FoundTest<'_>, order: &Order, begun: &Begun) -> Option<Recorded> {
        let frames = self.before.get(&key_of(test))?;
        let of_kind = |meant: &ShardKind| -> Vec<&Recorded> {
            let frames = frames.iter().filter(|frame| frame.kind == *meant);
            let recorded = frames.filter_map(|frame| match &frame.content {
                ShardContent::Recorded(recorded) => Some(recorded),
                ShardContent::Text(_) => None,
            });
            recorded.collect()
        };
        let known = match order {
            Order::Repeat(runs) => of_kind(&ShardKind::Repeat(runs.clone())).into_iter().next(),
            Order::Confirm(runs) => of_kind(&ShardKind::Confirm(runs.clone()))
                .into_iter()
                .next(),
            Order::Part(_) | Order::Runs(_) => {
                let made = of_kind(&ShardKind::Runs);
                let runs = match order {
                    Order::Runs(runs) => runs.clone(),
                    Order::Part(part) => {
                        let first = made.first()?.records.first()?;
                        let all = first.test.options.runs_to_begin_with();
                        part.runs(self.args.runs.unwrap_or(all))
                    }
                    _ => return None,
                };
                let is_of_order = |recorded: &&Recorded| {
                    let shown = runs_of(recorded);
                    let all = runs.clone().all(|run| shown.contains(&run));
                    let fixed = recorded.records.first().and_then(FixedRun::of).is_some();
                    all || (fixed && begun.done == 0 && shown.first() == Some(&runs.start))
                };
                made.into_iter().find(is_of_order)
            }
        };
        known.map(|known| Recorded {
            records: known.records.clone(),
            deaths: known.deaths.clone(),
            vanished: known.vanished.clone(),
            hung: known.hung,
        })
    }
}
