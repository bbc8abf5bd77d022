//! The tests of pytest: the plugin makes the same runs in an environment for each version.

mod session;

use std::collections::BTreeMap;
use std::time::Instant;

use flex_detect::compare::{SeenTest, SeriesKey, Shares, TestPairs};
use flex_run::model::TestId;
use flex_shard::TestKey;
use flex_shard::file::ShardKind;

use super::seconds;
use super::{ComparedTests, Plan};
use crate::exit::{Exit, Failure};
use crate::pytest::environment::Environment;
use crate::shards::{Playing, Source, key_of_node, shown};
pub use session::{Asked, SeenTests, Session, WantedBySession, seen};

/// Which tests of which versions.
pub struct Versions<'a> {
    pub old: Environment,
    pub new: Environment,
    pub asked: Asked<'a>,
}

/// Compares the tests that both versions have.
pub fn compare(plan: &Plan<'_>, versions: &Versions<'_>) -> Result<ComparedTests, Failure> {
    let mut comparing = Comparing {
        plan,
        versions,
        deadline: plan.time_budget.map(|budget| Instant::now() + budget),
    };
    let mut outcome = ComparedTests::default();
    let first = comparing.first();
    let Some([mut old, new]) = comparing.both(&first, false)? else {
        outcome.exits.push(Exit::Interrupted);
        return Ok(outcome);
    };
    let mut tests = Vec::new();
    for (name, new) in new {
        match old.remove(&name) {
            Some(old) => tests.push(Begun {
                pairs: TestPairs::new(plan.rule, &old, &new),
                name,
                old,
                new,
            }),
            None => outcome.added.push(TestId::pytest(name)),
        }
    }
    outcome.gone.extend(old.into_keys().map(TestId::pytest));
    let decides = plan.source.making().is_none() && !plan.source.misses();
    if tests.is_empty() && outcome.added.is_empty() && decides {
        return Err(Failure::input(
            format!(
                "there are no tests that both versions have in {}",
                versions.asked.shown()
            ),
            "check the path, and the expression after -k",
        ));
    }
    let is_whole = comparing.go_on(&mut tests)?;
    if !is_whole {
        outcome.exits.push(Exit::Interrupted);
    }
    outcome.tests = tests.iter().map(|test| test.pairs.compared()).collect();
    Ok(outcome)
}

/// A test with its first pairs.
struct Begun {
    name: String,
    pairs: TestPairs,
    old: SeenTest,
    new: SeenTest,
}

struct Comparing<'a> {
    plan: &'a Plan<'a>,
    versions: &'a Versions<'a>,
    deadline: Option<Instant>,
}

impl Comparing<'_> {
    /// The first pairs: of every test, or of those that a plan names.
    fn first(&self) -> WantedBySession {
        let runs = 0..self.plan.rule.first;
        let making = self.plan.source.making();
        let plan = making.and_then(|making| Some((making, making.plan.as_ref()?)));
        match plan.filter(|_| self.versions.asked.shard.is_some()) {
            None => WantedBySession::Every(runs),
            Some((making, plan)) => {
                let ours = plan.share_of_whole_tests(making.header.shard).into_iter();
                WantedBySession::Of(
                    ours.map(|(key, _)| (key.test, runs.clone().collect()))
                        .collect(),
                )
            }
        }
    }

    /// Makes pairs until all is decided; returns whether nobody interrupted it.
    fn go_on(&mut self, tests: &mut [Begun]) -> Result<bool, Failure> {
        let timed = if self.plan.time { tests.len() } else { 0 };
        let differing: usize = tests.iter().map(|test| test.pairs.differing()).sum();
        let shares = Shares::new(self.plan.alpha_here(), differing + timed);
        if !self.repeat(tests)? {
            return Ok(false);
        }
        tests.iter_mut().for_each(|test| test.pairs.begin(&shares));
        loop {
            let mut wanted = BTreeMap::new();
            for test in tests.iter_mut() {
                if let Some(runs) = test.pairs.wanted() {
                    wanted.insert(test.name.clone(), runs.collect());
                }
            }
            if wanted.is_empty() {
                break;
            }
            if self.is_late() {
                for test in tests
                    .iter_mut()
                    .filter(|test| wanted.contains_key(&test.name))
                {
                    test.pairs.out_of_time();
                    test.pairs.note("the time was up before all was decided");
                }
                break;
            }
            let Some([old, new]) = self.both(&WantedBySession::Of(wanted), false)? else {
                return Ok(false);
            };
            for test in tests.iter_mut() {
                if let (Some(old), Some(new)) = (old.get(&test.name), new.get(&test.name)) {
                    test.pairs.take(old, new, &shares);
                }
            }
        }
        match self.plan.time {
            true => self.time(tests, &shares),
            false => Ok(true),
        }
    }

    /// Makes the first runs of tests that differ once more: does the seed decide what they show?
    fn repeat(&self, tests: &mut [Begun]) -> Result<bool, Failure> {
        let differing = tests.iter().filter(|test| test.pairs.differing() > 0);
        let runs = |test: &Begun| {
            let runs = (0..self.plan.rule.first).rev().collect();
            (test.name.clone(), runs)
        };
        let wanted: BTreeMap<_, _> = differing.map(runs).collect();
        if wanted.is_empty() {
            return Ok(true);
        }
        let Some([old, new]) = self.both(&WantedBySession::Of(wanted), false)? else {
            return Ok(false);
        };
        for test in tests {
            if let (Some(old), Some(new)) = (old.get(&test.name), new.get(&test.name)) {
                test.pairs.repeated("old", &test.old, old);
                test.pairs.repeated("new", &test.new, new);
            }
        }
        Ok(true)
    }

    /// Compares processor times, a session of each version at a time.
    fn time(&self, tests: &mut [Begun], shares: &Shares) -> Result<bool, Failure> {
        let mut open: Vec<&mut Begun> = tests.iter_mut().collect();
        for pair in 0..self.plan.rule.most {
            if open.is_empty() {
                break;
            }
            if self.is_late() {
                let note = "the time was up before durations were decided";
                open.iter_mut().for_each(|test| test.pairs.note(note));
                break;
            }
            let runs = |test: &&mut Begun| {
                let count = seconds::runs_a_pair(mean_seconds(&test.new));
                let from = pair.saturating_mul(count);
                (
                    test.name.clone(),
                    (from..from.saturating_add(count)).collect(),
                )
            };
            let wanted = WantedBySession::Of(open.iter().map(runs).collect());
            let new_first = seconds::new_goes_first(self.plan.base, "", pair);
            let mut made = [None, None];
            for is_new in [new_first, !new_first] {
                made[usize::from(is_new)] = self.session(is_new, &wanted, true)?;
            }
            let [Some(old), Some(new)] = made else {
                return Ok(false);
            };
            open.retain_mut(|test| {
                let of = |seen: &SeenTests| seen.get(&test.name).map(all_seconds);
                let (Some(old), Some(new)) = (of(&old), of(&new)) else {
                    test.pairs.note("runs that are skipped cannot be timed");
                    return false;
                };
                !seconds::decided(&mut test.pairs, &[(old, new)], shares)
            });
        }
        Ok(true)
    }

    fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Makes runs of both versions, beside each other if there may be two processes; `None` if somebody interrupted them.
    fn both(
        &self,
        wanted: &WantedBySession,
        warm: bool,
    ) -> Result<Option<[SeenTests; 2]>, Failure> {
        let (old, new) = match self.plan.jobs {
            1 => (
                self.session(false, wanted, warm),
                self.session(true, wanted, warm),
            ),
            _ => std::thread::scope(|scope| {
                let old = scope.spawn(|| self.session(false, wanted, warm));
                let new = self.session(true, wanted, warm);
                let old = old.join();
                (
                    old.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                    new,
                )
            }),
        };
        Ok(old?.zip(new?).map(|(old, new)| [old, new]))
    }

    fn session(
        &self,
        is_new: bool,
        wanted: &WantedBySession,
        warm: bool,
    ) -> Result<Option<SeenTests>, Failure> {
        let (environment, version) = match is_new {
            true => (&self.versions.new, "new"),
            false => (&self.versions.old, "old"),
        };
        let session = Session {
            environment,
            version,
            asked: &self.versions.asked,
            base: self.plan.base,
            timeout: self.plan.timeout,
        };
        if let Source::Shards(playing) = self.plan.source {
            return self.held(playing, is_new, wanted).map(Some);
        }
        let record = session.make(wanted, warm, self.deadline)?;
        if let (Source::Shard(keeping), Some(record)) = (self.plan.source, &record) {
            let asked = &self.versions.asked;
            let shown = match wanted {
                WantedBySession::Every(_) => shown(record, asked.names.iter().copied(), |node| {
                    Some(asked.name_of(node))
                }),
                WantedBySession::Of(tests) => shown(record, tests.keys().map(String::as_str), Some),
            };
            let place = |name: &str| {
                let key = key_of_node(name, !is_new).compared();
                (key, ShardKind::Repeat(wanted.runs_of(name)))
            };
            keeping.keep_record(record, &shown, place)?;
        }
        Ok(record.as_ref().map(seen))
    }

    /// What shards hold of these runs; what they do not is noted.
    fn held(
        &self,
        playing: &Playing,
        is_new: bool,
        wanted: &WantedBySession,
    ) -> Result<SeenTests, Failure> {
        let is_meant = |key: &TestKey| key.compared && key.old != is_new;
        let kind = |name: &str| ShardKind::Repeat(wanted.runs_of(name));
        let records = playing.records(is_meant, kind)?;
        let asked = &self.versions.asked;
        let names: Vec<&str> = match wanted {
            WantedBySession::Every(_) => asked.names.to_vec(),
            WantedBySession::Of(tests) => tests.keys().map(String::as_str).collect(),
        };
        let missing = names
            .into_iter()
            .filter(|name| !records.contains_key(*name));
        missing.for_each(|name| playing.miss_all(asked.name_of(name)));
        Ok(records.values().flat_map(seen).collect())
    }
}

fn all_seconds(test: &SeenTest) -> f64 {
    let runs = test.runs.values();
    let seconds = runs.filter_map(|run| run.values.get(&SeriesKey::SECONDS));
    seconds.map(|seconds| seconds.value).sum()
}

/// The processor time of a run, without the first, which may import a lot.
fn mean_seconds(test: &SeenTest) -> f64 {
    let first = test.runs.values().next();
    let first = first.and_then(|run| run.values.get(&SeriesKey::SECONDS));
    let others = test.runs.len().saturating_sub(1).max(1) as f64;
    (all_seconds(test) - first.map_or(0.0, |first| first.value)).max(0.0) / others
}
