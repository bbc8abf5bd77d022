//! One session of pytest, which makes runs of one version.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flex_detect::compare::SeenTest;
use flex_detect::record::{Reader, Record, VERSION};
use flex_run::model::Runner;
use flex_run::scratch::Scratch;
use flex_run::text_file;
use flex_shard::Shard;
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::git::Repository;
use crate::pytest::environment::Environment;
use crate::pytest::{PytestArgs, SessionEnd, has_test, is_case_of, run_pytest};
use crate::terminal;

/// The tests that are asked for, in whichever version.
pub struct Asked<'a> {
    /// Files, folders or node ids, as the user names them.
    pub paths: &'a [PathBuf],
    /// The node ids of the tests, without their cases, where they are known before pytest collects them.
    pub names: &'a [&'a str],
    /// Only tests that this expression names.
    pub keyword: Option<&'a str>,
    /// Only tests whose names contain one of these.
    pub words: &'a [String],
    /// Of all tests only those of this shard.
    pub shard: Option<Shard>,
    pub repository: &'a Repository,
    /// The folder that flex has in pytest's cache.
    pub flex: PathBuf,
}

impl Asked<'_> {
    /// The paths, for people.
    pub fn shown(&self) -> String {
        let paths = self.paths.iter().map(|path| path.display().to_string());
        paths.collect::<Vec<_>>().join(", ")
    }
}

impl<'a> Asked<'a> {
    /// The name by which a test is asked for that this is a case of; its own, where none is known.
    pub fn name_of<'n>(&self, node: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let mut names = self.names.iter();
        names
            .find(|name| is_case_of(node, name))
            .map_or(node, |name| *name)
    }
}

/// The tests of a session and what they showed.
pub type SeenTests = BTreeMap<String, SeenTest>;

/// What the tests of a record showed.
pub fn seen(record: &Record) -> SeenTests {
    let seen = |test| Some((SeenTest::of_observed(test)?, test.name().to_owned()));
    let tests = record.tests.iter().filter_map(seen);
    tests.map(|(test, name)| (name, test)).collect()
}

/// The runs that are wanted, by test; of every test, if none is named.
pub enum WantedBySession {
    Every(Range<u32>),
    Of(BTreeMap<String, Vec<u32>>),
}

impl WantedBySession {
    /// The runs that are wanted of a test.
    pub fn runs_of(&self, test: &str) -> Vec<u32> {
        match self {
            WantedBySession::Every(runs) => runs.clone().collect(),
            WantedBySession::Of(tests) => tests.get(test).cloned().unwrap_or_default(),
        }
    }
}

/// Makes runs of one version.
pub struct Session<'a> {
    pub environment: &'a Environment,
    /// What the version is called.
    pub version: &'a str,
    pub asked: &'a Asked<'a>,
    /// The base seed.
    pub base: &'a str,
    /// After how long a run hangs.
    pub timeout: Option<Duration>,
}

impl Session<'_> {
    /// Makes these runs, and returns their record; `None` if somebody interrupted them.
    pub fn make(
        &self,
        wanted: &WantedBySession,
        warm: bool,
        deadline: Option<Instant>,
    ) -> Result<Option<Record>, Failure> {
        let (environment, version, asked) = (self.environment, self.version, self.asked);
        let scratch = Scratch::within(&asked.flex)?;
        let record = std::path::absolute(scratch.file("record.json"))?;
        let order = std::path::absolute(scratch.file("order.json"))?;
        fs::write(
            &order,
            self.order(wanted, warm, deadline, &record).to_string(),
        )?;
        let mut options = PytestArgs::ordered("pairs", &order);
        options.timeout(self.timeout);
        let options = options.of_tests(asked.keyword, asked.words);
        let words = scratch.file("words");
        let said = File::create(&words)?;
        let cache = std::path::absolute(scratch.file("cache"))?;
        let paths = self.paths();
        if paths.is_empty() {
            return Ok(Some(self.nothing()));
        }
        let end = run_pytest(|command| {
            environment.add_to(command);
            command.args(&paths).args(&options).arg("-q");
            command.arg(format!("--override-ini=cache_dir={}", cache.display()));
            command.args(environment.options());
            if let Ok(said) = said.try_clone() {
                command.stdout(said);
            }
        });
        let tell = || -> Result<(), Failure> {
            let said = fs::read_to_string(&words).unwrap_or_default();
            Ok(write!(
                terminal::stderr(),
                "pytest says of the {version} version:\n{said}"
            )?)
        };
        match end {
            Ok(SessionEnd::Interrupted) => return Ok(None),
            Ok(SessionEnd::Passed | SessionEnd::Failed | SessionEnd::MoreRuns) => {}
            Ok(SessionEnd::NothingCollected) => return Ok(Some(self.nothing())),
            Ok(SessionEnd::Ended) => {
                tell()?;
                return Err(Failure::build(
                    format!("a run ended pytest itself in the {version} version"),
                    "see above; leave the test out with -k",
                ));
            }
            Err(failure) => {
                tell()?;
                return Err(failure);
            }
        }
        let text = text_file::read_text(&record).ok().flatten();
        let parsed = text.and_then(|text| Record::parse(&text).ok());
        let Some(parsed) = parsed else {
            tell()?;
            return Err(Failure::build(
                format!("pytest left no record of the {version} version"),
                "is pytest-flex installed in this environment, and of the same version as flex-harness?",
            ));
        };
        Ok(Some(parsed))
    }

    /// The record of no test.
    fn nothing(&self) -> Record {
        Record {
            version: VERSION,
            runner: Runner::Pytest,
            base: self.base.to_owned(),
            root: PathBuf::new(),
            rerun_marker: None,
            tests: Vec::new(),
            reader: Reader::default(),
        }
    }

    fn order(
        &self,
        wanted: &WantedBySession,
        warm: bool,
        deadline: Option<Instant>,
        record: &Path,
    ) -> Value {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        // A run at least, so that something is there to be paired.
        let seconds = deadline
            .map(left)
            .map(|left| left.max(Duration::from_secs(1)));
        let (every, tests) = match wanted {
            WantedBySession::Every(runs) => (runs.clone().collect(), None),
            WantedBySession::Of(tests) => (Vec::new(), Some(tests)),
        };
        json!({
            "base": self.base,
            "record": record,
            "every": every,
            "deal": self.asked.shard.map(|shard| [shard.place(), shard.total()]),
            "tests": tests,
            "seconds": seconds.map(|left| left.as_secs_f64()),
            "warm": warm,
        })
    }

    /// The paths of the tests in a version, without node ids that it does not have: pytest would refuse all of them.
    fn paths(&self) -> Vec<PathBuf> {
        let Some(tree) = &self.environment.tree else {
            return self.asked.paths.to_vec();
        };
        let folder = self.environment.folder().unwrap_or(tree);
        let there = |path: &PathBuf| {
            let text = path.to_string_lossy();
            // A node id begins with the file.
            let (file, node) = text
                .split_once("::")
                .map_or((&*text, None), |(f, n)| (f, Some(n)));
            let found = match path.is_absolute() {
                true => self.asked.repository.in_tree(Path::new(file), tree),
                false => None,
            };
            let found = found.unwrap_or_else(|| file.into());
            match node {
                Some(node) => {
                    let node = format!("{}::{node}", found.display());
                    has_test(folder, &node).then(|| node.into())
                }
                None => Some(found),
            }
        };
        self.asked.paths.iter().filter_map(there).collect()
    }
}
