//! Tests of pytest: its plugin makes the trials that it is told to make.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use flex_detect::record::{ObservedTest, Reader, Record, VERSION};
use flex_detect::trace::Durations;
use flex_gate::bank::share_of_measuring;
use flex_run::model::{Place, Runner, TestId};
use flex_shard::TestKey;
use flex_shard::file::ShardKind;
use serde_json::json;

use super::Checking;
use super::engine::Engine;
use super::made::Made;
use crate::compare::pytest::{Asked, Versions};
use crate::compare::{self, OLD, Plan};
use crate::exit::{Exit, Failure};
use crate::git::{Commit, Repository, Worktree};
use crate::pytest::environment::Environment;
use crate::pytest::{
    CACHED_RECORD, CACHED_TRACE, PytestArgs, SessionEnd, has_test, in_caches, is_case_of,
    run_pytest,
};
use crate::record::file::{RecordFile, default_file};
use crate::shards::{Playing, Source, key_of_node, shown};
use crate::terminal;
use crate::trace::TraceFile;

/// The tests that are checked, as node ids without parameters.
pub struct Pytest<'a> {
    checking: &'a Checking<'a>,
    names: Vec<String>,
    folder: tempfile::TempDir,
    base: Option<BaseCode>,
}

/// The code before the change, importable.
struct BaseCode {
    repository: Repository,
    environment: Environment,
    /// The folder of flex.
    flex: PathBuf,
    /// Nobody else checks something else out there meanwhile.
    _worktree: Worktree,
}

/// What a session is asked for.
struct Trials<'t> {
    /// Each test with the number of trials, and the seconds that one takes.
    tests: &'t [(usize, u32, f64)],
    until: Option<Instant>,
    timeout: Option<Duration>,
    /// Whether it is only asked how long runs take.
    measures: bool,
    /// Whether it is the code before the change.
    is_old: bool,
}

/// What a shard keeps of what a session showed.
#[derive(Debug, PartialEq, Eq)]
enum Kept {
    /// All, and of tests that it does not show, that they are not there.
    All,
    /// What it shows: a process can be gone, and with it all of a test.
    Seen,
    /// Why nothing is known of any test.
    Why(String),
    /// Nothing: of the tests that it shows, some may be cut short.
    Nothing,
}

impl Kept {
    fn of(end: &Result<SessionEnd, Failure>, is_old: bool) -> Self {
        match end {
            Ok(SessionEnd::Passed) => Kept::All,
            // As on one machine, what cannot be run of the old version is not there.
            Ok(SessionEnd::Failed | SessionEnd::NothingCollected | SessionEnd::Ended)
            | Err(Failure::Input { .. })
                if is_old =>
            {
                Kept::All
            }
            Err(failure) if is_old => Kept::Why(failure.first_line()),
            Ok(SessionEnd::Failed) => Kept::Seen,
            _ => Kept::Nothing,
        }
    }
}

impl<'a> Pytest<'a> {
    pub fn new(checking: &'a Checking<'a>, names: Vec<String>) -> Result<Self, Failure> {
        // A worker of xdist that is ended because a run hangs takes with it what it has seen.
        if checking.args.jobs.is_some_and(|jobs| jobs.get() > 1) {
            return Err(Failure::input(
                "runs of pytest are checked one after the other",
                "leave out --jobs, or call it for some of the tests at a time",
            ));
        }
        let names = match checking.source.making() {
            None => names,
            Some(making) => {
                let ours = making.deal(names, |name| key_of_node(name, false))?;
                ours.into_iter().map(|(name, _)| name).collect()
            }
        };
        Ok(Pytest {
            checking,
            names,
            folder: tempfile::tempdir()?,
            base: None,
        })
    }

    /// The test that a node id, relative to some folder, is a case of.
    fn index_of(&self, node: &str) -> Option<usize> {
        self.names.iter().position(|name| is_case_of(node, name))
    }

    /// Lets pytest make trials, of this or another version; what it wrote down.
    fn run(
        &self,
        asked: &Trials<'_>,
        environment: &Environment,
    ) -> Result<(Option<Record>, SessionEnd), Failure> {
        let tests = asked.tests;
        if let Source::Shards(playing) = &self.checking.source {
            return Ok((self.held(playing, asked)?, SessionEnd::Passed));
        }
        let (record, trials) = (
            self.folder.path().join("record.json"),
            self.folder.path().join("trials.json"),
        );
        let _ = std::fs::remove_file(&record);
        // To start Python takes time, too, so that it is told the hour.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_secs_f64();
        let left = asked.until.map(|until| {
            until
                .saturating_duration_since(Instant::now())
                .as_secs_f64()
        });
        let of_tests: BTreeMap<&str, (u32, f64)> = tests
            .iter()
            .map(|(index, trials, seconds)| (self.names[*index].as_str(), (*trials, *seconds)))
            .collect();
        let order = json!({
            "began": now,
            "seconds": left,
            "same_seed": self.checking.args.same_seed,
            "measures": asked.measures.then(|| share_of_measuring(tests.len())),
            "tests": of_tests,
        });
        std::fs::write(&trials, order.to_string())?;
        let mut options = PytestArgs::mode("record");
        options.option("flex-trials", Some(trials.display()));
        options.option("flex-record", Some(record.display()));
        options.option("flex-seed", Some(&self.checking.base));
        options.timeout(asked.timeout);
        options.flag("flex-fast", true);
        // A test is asked whether it is flaky as it is written.
        options.flag("flex-keep-seeds", true);
        let options = options.of_tests(None, &[]);
        let end = run_pytest(|command| {
            command
                .args(tests.iter().map(|(index, ..)| &self.names[*index]))
                .args(&options);
            command.stdout(Stdio::from(io::stderr()));
            environment.add_to(command);
            command.args(environment.options());
        });
        let record = RecordFile::at(record).read()?;
        if let Source::Shard(keeping) = &self.checking.source {
            let name = |index: usize| self.names[index].as_str();
            let all = || tests.iter().map(|(index, ..)| name(*index)).collect();
            let mut kept = record.clone().unwrap_or_else(|| self.nothing());
            let asked_for: Vec<&str> = match Kept::of(&end, asked.is_old) {
                Kept::Nothing => return Ok((record, end?)),
                Kept::Seen => Vec::new(),
                Kept::All => all(),
                Kept::Why(why) => {
                    let unknown = all().into_iter().map(|name| ObservedTest {
                        notes: vec![why.clone()],
                        ..ObservedTest::new(TestId::pytest(name), Place::default())
                    });
                    kept.tests = unknown.collect();
                    Vec::new()
                }
            };
            let shown = shown(&kept, asked_for, |node| self.index_of(node).map(name));
            let place = |name: &str| (key_of_node(name, asked.is_old), ShardKind::Runs);
            keeping.keep_record(&kept, &shown, place)?;
        }
        Ok((record, end?))
    }

    /// What shards hold of these tests; what they do not is noted.
    fn held(&self, playing: &Playing, asked: &Trials<'_>) -> Result<Option<Record>, Failure> {
        let is_meant = |key: &TestKey| !key.compared && key.old == asked.is_old;
        let mut held = playing.records(is_meant, |_| ShardKind::Runs)?;
        let mut all: Option<Record> = None;
        for (index, ..) in asked.tests {
            match (held.remove(&self.names[*index]), &mut all) {
                (None, _) => playing.miss_all(&self.names[*index]),
                (Some(record), Some(all)) => all.tests.extend(record.tests),
                (Some(record), none) => *none = Some(record),
            }
        }
        if let Some(all) = &mut all {
            all.tests.sort_by(|a, b| a.name().cmp(b.name()));
        }
        Ok(all)
    }

    /// Whether a record has runs of all these tests.
    fn has_all(&self, record: Option<&Record>, tests: &[(usize, u32, f64)]) -> bool {
        let seen = record.iter().flat_map(|record| &record.tests);
        let seen = seen.filter(|test| !test.runs.is_empty());
        let seen: BTreeSet<usize> = seen.filter_map(|test| self.index_of(test.name())).collect();
        tests.iter().all(|(index, ..)| seen.contains(index))
    }

    /// The record of no test.
    fn nothing(&self) -> Record {
        Record {
            version: VERSION,
            runner: Runner::Pytest,
            base: self.checking.base.clone(),
            root: PathBuf::new(),
            rerun_marker: None,
            tests: Vec::new(),
            reader: Reader::default(),
        }
    }

    fn made(&self, record: Option<Record>, exits: Vec<Exit>) -> Made {
        let mut record = record.unwrap_or_else(|| self.nothing());
        record.reader.folder = std::env::current_dir().ok();
        let is_named = |test: &ObservedTest| self.index_of(test.name()).is_some();
        record.tests.retain(is_named);
        let of = record
            .tests
            .iter()
            .filter_map(|test| self.index_of(test.name()));
        Made {
            of: of.collect(),
            record,
            exits,
        }
    }
}

impl Engine for Pytest<'_> {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn jobs(&self) -> usize {
        1
    }

    fn seconds(&mut self, until: Option<Instant>) -> Result<Vec<f64>, Failure> {
        let first = PathBuf::from(self.names.first().map_or(".", String::as_str));
        let nearest = |file: &'static str| {
            in_caches(&first, file)
                .into_iter()
                .find(|file| file.is_file())
        };
        let trace =
            nearest(CACHED_TRACE).and_then(|file| TraceFile::at(file).read().ok().flatten());
        let record =
            nearest(CACHED_RECORD).and_then(|file| RecordFile::at(file).read().ok().flatten());
        let known = Durations::known(trace.as_ref(), record.as_ref());
        let mut seconds = vec![0.0; self.names.len()];
        let tests = trace
            .iter()
            .flat_map(|trace| trace.tests.iter().map(|test| &test.id));
        let tests = tests.chain(
            record
                .iter()
                .flat_map(|record| record.tests.iter().map(|test| &test.id)),
        );
        // Both may know a test.
        let tests: BTreeMap<&str, &TestId> = tests.map(|id| (id.name(), id)).collect();
        for (name, id) in tests {
            if let (Some(index), Some(took)) = (self.index_of(name), known.of(None, id)) {
                seconds[index] += took;
            }
        }
        let new: Vec<usize> = (0..seconds.len())
            .filter(|index| seconds[*index] == 0.0)
            .collect();
        if new.is_empty() {
            return Ok(seconds);
        }
        // A run of each, which the time bank pays for.
        let tests: Vec<(usize, u32, f64)> = new.iter().map(|index| (*index, 1, 0.0)).collect();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let measuring = Trials {
            tests: &tests,
            until,
            timeout: self.checking.args.timeout.into_iter().chain(left).min(),
            measures: true,
            is_old: false,
        };
        let (record, end) = self.run(&measuring, &Environment::default())?;
        for index in new {
            // What could not be measured in its share of the time takes longer than there is; what ends pytest says so when
            // it is begun.
            let has_ended = matches!(end, SessionEnd::Passed | SessionEnd::Failed);
            seconds[index] = if has_ended { f64::MAX } else { 0.0 };
        }
        let mut took: BTreeMap<usize, f64> = BTreeMap::new();
        for test in record.iter().flat_map(|record| &record.tests) {
            if let Some(index) = self.index_of(test.name()) {
                *took.entry(index).or_default() += test.seconds_per_run;
            }
        }
        for (index, took) in took {
            seconds[index] = took;
        }
        Ok(seconds)
    }

    fn trials(
        &mut self,
        trials: &[u32],
        seconds: &[f64],
        until: Option<Instant>,
    ) -> Result<Made, Failure> {
        let mut tests: Vec<(usize, u32, f64)> = (0..trials.len())
            .map(|index| (index, trials[index], seconds[index]))
            .filter(|(_, trials, _)| *trials > 0)
            .collect();
        tests.sort_by(|a, b| a.2.total_cmp(&b.2));
        if tests.is_empty() {
            return Ok(self.made(None, Vec::new()));
        }
        let asked = Trials {
            tests: &tests,
            until,
            timeout: self.checking.args.timeout,
            measures: false,
            is_old: false,
        };
        let (record, end) = self.run(&asked, &Environment::default())?;
        let is_late = until.is_some_and(|until| Instant::now() >= until);
        let exits = match end {
            // Where the project itself asks for xdist, a worker can be gone, and with it all of a test.
            SessionEnd::Failed if !is_late && !self.has_all(record.as_ref(), &tests) => {
                writeln!(
                    terminal::stderr(),
                    "error: nothing is known of some tests: the process that ran them hangs or crashed; see above"
                )?;
                vec![Exit::Findings]
            }
            SessionEnd::Passed | SessionEnd::Failed | SessionEnd::MoreRuns => Vec::new(),
            SessionEnd::Ended => vec![Exit::Findings],
            SessionEnd::Interrupted => vec![Exit::Interrupted],
            SessionEnd::NothingCollected => {
                let names = self.names.join("`, `");
                return Err(Failure::input(
                    format!("there is no test `{names}`"),
                    "`python -m pytest --collect-only` lists them",
                ));
            }
        };
        Ok(self.made(record, exits))
    }

    fn keep(&self, made: &Made) -> Result<(), Failure> {
        // What trials show is known to `report` and to `fix`; without a cache, nobody wants that.
        let first = PathBuf::from(self.names.first().map_or(".", String::as_str));
        let mut caches = in_caches(&first, ".pytest_cache").into_iter();
        if let Some(cache) = caches.find(|cache| cache.is_dir() && !made.record.tests.is_empty()) {
            let file = default_file(&cache.join("d/flex"));
            RecordFile::at(file).merge(&made.record, |_| false)?;
        }
        Ok(())
    }

    fn build_base(&mut self, repository: &Repository, commit: &Commit) -> Result<(), Failure> {
        let first = PathBuf::from(self.names.first().map_or(".", String::as_str));
        let flex = compare::folder_of_pytest(&first, repository);
        let worktree = compare::check_out(repository, &flex, OLD, commit.id())?;
        self.base = Some(BaseCode {
            environment: compare::base_of_pytest(repository, &flex, &worktree)?,
            repository: repository.clone(),
            flex,
            _worktree: worktree,
        });
        Ok(())
    }

    fn before(
        &mut self,
        tests: &[usize],
        trials: u32,
        until: Option<Instant>,
    ) -> Result<BTreeMap<usize, ObservedTest>, Failure> {
        let Some(environment) = self.base.as_ref().map(|base| &base.environment) else {
            return Ok(BTreeMap::new());
        };
        let is_there = |name: &str| {
            let folder = environment.folder();
            folder.is_some_and(|folder| has_test(folder, name))
        };
        let there: Vec<(usize, u32, f64)> = tests
            .iter()
            .filter(|index| is_there(&self.names[**index]))
            .map(|index| (*index, trials, 0.0))
            .collect();
        if there.is_empty() {
            return Ok(BTreeMap::new());
        }
        let asked = Trials {
            tests: &there,
            until,
            timeout: self.checking.args.timeout,
            measures: false,
            is_old: true,
        };
        let (record, end) = match self.run(&asked, environment) {
            // A test that is not there is said to be wrong usage.
            Err(Failure::Input { .. }) => return Ok(BTreeMap::new()),
            ran => ran?,
        };
        if end == SessionEnd::Interrupted {
            return Err(Failure::build("it was interrupted", ""));
        }
        let made = self.made(record, Vec::new());
        let mut found: BTreeMap<usize, ObservedTest> = BTreeMap::new();
        for (index, test) in made.of.into_iter().zip(made.record.tests) {
            // Cases of one function count together.
            match found.get_mut(&index) {
                Some(known) => known.runs.extend(test.runs),
                None => {
                    found.insert(index, test);
                }
            }
        }
        Ok(found)
    }

    fn compare(
        &mut self,
        tests: &[usize],
        plan: &Plan<'_>,
    ) -> Result<(Runner, PathBuf, compare::ComparedTests), Failure> {
        let names: Vec<&str> = tests.iter().map(|index| &*self.names[*index]).collect();
        let paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
        let Some(base) = self.base.as_ref().filter(|_| !paths.is_empty()) else {
            let flex = self.folder.path().to_owned();
            return Ok((Runner::Pytest, flex, compare::ComparedTests::default()));
        };
        let versions = Versions {
            old: base.environment.clone(),
            new: Environment::default(),
            asked: Asked {
                paths: &paths,
                names: &names,
                keyword: None,
                words: &[],
                shard: None,
                repository: &base.repository,
                flex: base.flex.clone(),
            },
        };
        let outcome = compare::pytest::compare(plan, &versions)?;
        Ok((Runner::Pytest, base.flex.clone(), outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_cut_short_is_not_kept_and_what_the_old_version_cannot_run_is_known() {
        let wrong = || Err(Failure::input("there is no such test", ""));
        let broken = || Err(Failure::build("cannot be imported", ""));
        let why = || Kept::Why("cannot be imported".to_owned());
        for (end, new, old) in [
            (Ok(SessionEnd::Passed), Kept::All, Kept::All),
            (Ok(SessionEnd::Failed), Kept::Seen, Kept::All),
            (Ok(SessionEnd::Interrupted), Kept::Nothing, Kept::Nothing),
            (Ok(SessionEnd::Ended), Kept::Nothing, Kept::All),
            (Ok(SessionEnd::NothingCollected), Kept::Nothing, Kept::All),
            (wrong(), Kept::Nothing, Kept::All),
            (broken(), Kept::Nothing, why()),
        ] {
            assert_eq!(Kept::of(&end, false), new, "{end:?}");
            assert_eq!(Kept::of(&end, true), old, "{end:?}");
        }
    }
}
