//! Tests of pytest: its plugin makes the trials that it is told to make.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use flex_detect::record::{ObservedTest, Reader, Record, VERSION};
use flex_detect::trace::Durations;
use flex_gate::bank::share_of_measuring;
use flex_run::model::{Runner, TestId};
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
    CACHED_RECORD, CACHED_TRACE, PytestArgs, SessionEnd, has_test, in_caches, run_pytest,
};
use crate::record::file::RecordFile;
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
        Ok(Pytest {
            checking,
            names,
            folder: tempfile::tempdir()?,
            base: None,
        })
    }

    /// The test that a node id, relative to some folder, is a case of.
    fn index_of(&self, node: &str) -> Option<usize> {
        let function = node.split('[').next().unwrap_or_default();
        let is_it = |name: &String| {
            let name = name.split('[').next().unwrap_or_default();
            let ends = |whole: &str, part: &str| {
                whole
                    .strip_suffix(part)
                    .is_some_and(|before| before.ends_with('/'))
            };
            function == name
                || ends(name, function)
                || ends(function, name)
                || function.starts_with(&format!("{name}::"))
        };
        self.names.iter().position(is_it)
    }

    /// Lets pytest make trials, of this or another version; what it wrote down.
    fn run(
        &self,
        asked: &Trials<'_>,
        environment: &Environment,
    ) -> Result<(Option<Record>, SessionEnd), Failure> {
        let tests = asked.tests;
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
        })?;
        Ok((RecordFile::at(record).read()?, end))
    }

    /// Whether a record has runs of all these tests.
    fn has_all(&self, record: Option<&Record>, tests: &[(usize, u32, f64)]) -> bool {
        let seen = record.iter().flat_map(|record| &record.tests);
        let seen = seen.filter(|test| !test.runs.is_empty());
        let seen: BTreeSet<usize> = seen.filter_map(|test| self.index_of(test.name())).collect();
        tests.iter().all(|(index, ..)| seen.contains(index))
    }

    fn made(&self, record: Option<Record>, exits: Vec<Exit>) -> Made {
        let mut record = record.unwrap_or_else(|| Record {
            version: VERSION,
            runner: Runner::Pytest,
            base: self.checking.base.clone(),
            root: PathBuf::new(),
            rerun_marker: None,
            tests: Vec::new(),
            reader: Reader::default(),
        });
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
            SessionEnd::Passed | SessionEnd::Failed => Vec::new(),
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
        let paths = tests.iter().map(|index| PathBuf::from(&self.names[*index]));
        let paths: Vec<PathBuf> = paths.collect();
        let Some(base) = self.base.as_ref().filter(|_| !paths.is_empty()) else {
            let flex = self.folder.path().to_owned();
            return Ok((Runner::Pytest, flex, compare::ComparedTests::default()));
        };
        let versions = Versions {
            old: base.environment.clone(),
            new: Environment::default(),
            asked: Asked {
                paths: &paths,
                keyword: None,
                words: &[],
                repository: &base.repository,
                flex: base.flex.clone(),
            },
        };
        let outcome = compare::pytest::compare(plan, &versions)?;
        Ok((Runner::Pytest, base.flex.clone(), outcome))
    }
}
