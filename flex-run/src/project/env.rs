//! Every environment variable that the library reads, in one place.
//!
//! A value that cannot be understood is an error that names the variable, never a silent default.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use flex_core::seed::{Phase, SeedRequest};
use flex_core::visible::visible;

use super::duration::parse_duration;
use super::part::Part;

/// Who sets a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    /// People.
    People,
    /// A process of flex, for another.
    Flex,
    /// People, terminals and servers, for all programs: how things are shown.
    Terminal,
    /// Cargo, a runner of tests, a server.
    Others,
}

/// A variable that flex reads.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Who sets it.
    pub set_by: SetBy,
    /// What it means, in Markdown.
    pub meaning: &'static str,
}

/// Declares the variables: a constant and a row of [`VARIABLES`] each.
macro_rules! variables {
    ($($set_by:ident { $($(#[doc = $meaning:literal])* $access:vis $constant:ident = $name:literal;)* })*) => {
        $($($(#[doc = $meaning])* $access const $constant: &str = $name;)*)*

        /// Every variable.
        pub const VARIABLES: &[Variable] = &[
            $($(Variable {
                name: $name,
                set_by: SetBy::$set_by,
                meaning: concat!($($meaning),*),
            },)*)*
        ];
    };
}

variables! {
    People {
        /// The base seed: any text without `@`, such as a commit hash, which repeats a whole verdict; or `TEXT@calibrate:57`,
        /// which repeats one run and shows its values.
        pub SEED = "FLEX_SEED";
        /// `enforce` (the default); `calibrate` learns the bounds of the tests that are run; `off` runs every test once, without
        /// learned bounds. `record` is for `cargo flex` and for calibration itself.
        pub MODE = "FLEX_MODE";
        /// Calibration runs to begin with, instead of what the test says.
        pub RUNS = "FLEX_RUNS";
        /// The time after which a run hangs, such as `90s` or `5m`, instead of what the test says.
        pub TIMEOUT = "FLEX_TIMEOUT";
        /// What a site without an entry that fits does: `fail` (the default) or `warn`.
        pub UNCALIBRATED = "FLEX_UNCALIBRATED";
        /// What an entry does that was learned from another version of the test: `warn` in failures of that test (the default) or
        /// `fail`.
        pub STALE = "FLEX_STALE";
        /// The bounds file, instead of `flex-bounds.toml` in the folder of the package; relative to that folder.
        pub BOUNDS = "FLEX_BOUNDS";
        /// The kind of machine, where bounds differ between them.
        pub VARIANT = "FLEX_VARIANT";
        /// A seed, `TEXT` or `TEXT@detect:57`, that all entropy of the process follows: plain tests that use `rand::rng()` or the
        /// order of a `HashMap` can be repeated, which `cargo flex detect` does. Linux, with the feature `entropy`; reaches what
        /// `entropy = controlled` reaches.
        pub ENTROPY = "FLEX_ENTROPY";
        /// `1` shows the verdict of every test on standard error; `json` shows it as a line of JSON, failures too.
        pub LOG = "FLEX_LOG";
        /// `0` keeps nothing of what runs showed; otherwise it is kept for `report`, below the target folder or in pytest's cache.
        pub KEEP = "FLEX_KEEP";
        /// Where the values of test runs and calibrations are collected over many of them, for `drift` and `calibrate
        /// --with-history`: a folder, in which every process has a file of its own, or one file, whose name ends in `.jsonl`.
        pub HISTORY = "FLEX_HISTORY";
        /// The commit under test, for the history, where no server of those below says it.
        pub COMMIT = "FLEX_COMMIT";
        /// The shard that `--shard auto` makes: `3/16` for the third of sixteen. Without it, what a CI server or a cluster says
        /// counts ([clusters](../guide/how/clusters.md)).
        pub SHARD = "FLEX_SHARD";
        /// The number of this job, from 0, for `--shard auto` where a CI server does not tell jobs by itself.
        pub JOB_INDEX = "FLEX_JOB_INDEX";
        /// How many jobs there are, for `--shard auto`.
        pub JOB_TOTAL = "FLEX_JOB_TOTAL";
    }
    Flex {
        /// The file to write to, for a process in mode `record`.
        pub RECORD = "FLEX_RECORD";
        /// The runs to make: `0..20`, or `7,3,12`.
        pub RECORD_RUNS = "FLEX_RECORD_RUNS";
        /// Instead of file and runs: a file with a line for each test, its path, the file to write to, the runs and the base seed,
        /// with tabs between them. So one process records several tests.
        pub RECORD_ORDERS = "FLEX_RECORD_ORDERS";
        /// Instead of the runs: a part of those that the test itself begins a calibration with, such as `3/16`, the parts of a
        /// shard; `3/16/50` if there are 50 at most.
        pub RECORD_PART = "FLEX_RECORD_PART";
        /// A number of parts: of more runs than the test's own `runs`, only so many as one part has.
        pub RECORD_PARTS = "FLEX_RECORD_PARTS";
        /// What decides their seeds: `calibrate`, `check` or `detect`.
        pub RECORD_PHASE = "FLEX_RECORD_PHASE";
        /// Milliseconds after which no further run begins.
        pub RECORD_MILLIS = "FLEX_RECORD_MILLIS";
        /// The slowest run of the test so far, in milliseconds, by which it knows one that hangs.
        pub RECORD_SLOWEST = "FLEX_RECORD_SLOWEST";
        /// `1`: every run is written down before it begins, to find one that ends the process.
        pub RECORD_CAREFULLY = "FLEX_RECORD_CAREFULLY";
        /// `1`: the first run is the last if it touched nothing that could differ from run to run.
        pub RECORD_UNTIL_FIXED = "FLEX_RECORD_UNTIL_FIXED";
        /// The process that started it: it ends when that is gone.
        pub PARENT = "FLEX_PARENT";
        /// The index of a run and the file where a process that runs one plain test writes what its assertions compared, as in
        /// `7:/tmp/record`; only a test that `detect` compiled from a copy does.
        pub OBSERVED = "FLEX_OBSERVED";
        /// Where a process that runs one plain test writes what that touches. Needs the feature `probes`.
        pub PROBE = "FLEX_PROBE";
    }
    Others {
        /// The folder of the package, where the bounds file lies; by cargo and nextest.
        MANIFEST_DIR = "CARGO_MANIFEST_DIR";
        /// The number of the attempt, by nextest: a retry that fails says whether it made the same runs again.
        NEXTEST_ATTEMPT = "NEXTEST_ATTEMPT";
        /// Failures are annotated beside the source; by GitHub Actions.
        GITHUB_ACTIONS = "GITHUB_ACTIONS";
        /// The top of the repository; by GitHub Actions.
        GITHUB_WORKSPACE = "GITHUB_WORKSPACE";
        /// The commit under test, for the history; by GitHub Actions.
        GITHUB_SHA = "GITHUB_SHA";
        /// The same, by GitLab.
        CI_COMMIT_SHA = "CI_COMMIT_SHA";
        /// The same, by CircleCI.
        CIRCLE_SHA1 = "CIRCLE_SHA1";
        /// The same, by Buildkite.
        BUILDKITE_COMMIT = "BUILDKITE_COMMIT";
        /// The same, by Azure Pipelines.
        BUILD_SOURCEVERSION = "BUILD_SOURCEVERSION";
        /// The same, by Bitbucket.
        BITBUCKET_COMMIT = "BITBUCKET_COMMIT";
        /// The same, by Jenkins.
        GIT_COMMIT = "GIT_COMMIT";
    }
}

/// The name of the bounds file in the folder of a package.
pub const BOUNDS_FILE: &str = "flex-bounds.toml";

/// What a test process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Hold runs against the bounds file.
    Enforce,
    /// Learn bounds.
    Calibrate,
    /// Make runs for a calibration.
    Record,
    /// Run every test once, without learned bounds.
    Off,
}

/// What the environment says about a test.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What the process does.
    pub mode: Mode,
    /// The base seed, or the one run to replay.
    pub seed: Option<SeedRequest>,
    /// Calibration runs to begin with.
    pub runs: Option<u32>,
    /// After how long a run hangs.
    pub timeout: Option<Duration>,
    /// Whether a site without an entry fails its test.
    pub uncalibrated_fails: bool,
    /// Whether an entry of another version of the test fails it.
    pub stale_fails: bool,
    /// The kind of machine.
    pub variant: Option<String>,
    /// Whether every verdict is shown.
    pub log: bool,
    /// Whether verdicts are shown as JSON.
    pub log_json: bool,
    /// Whether what runs showed is kept for a report.
    pub keep: bool,
    /// Where it is collected over many runs.
    pub history: Option<PathBuf>,
}

impl Default for Settings {
    /// What an environment says in which no variable of ours is set.
    #[inline]
    fn default() -> Self {
        Settings {
            mode: Mode::Enforce,
            seed: None,
            runs: None,
            timeout: None,
            uncalibrated_fails: true,
            stale_fails: false,
            variant: None,
            log: false,
            log_json: false,
            keep: true,
            history: None,
        }
    }
}

impl Settings {
    /// Reads the environment. What is wrong in it is told in one line, whatever it holds.
    pub fn read() -> Result<Self, String> {
        Self::of_variables().map_err(|error| visible(&error).into_owned())
    }

    fn of_variables() -> Result<Self, String> {
        let fails = |name, default| {
            word(name, &[("fail", true), ("warn", false)]).map(|word| word.unwrap_or(default))
        };
        let log = text(LOG)?;
        Ok(Settings {
            mode: word(
                MODE,
                &[
                    ("enforce", Mode::Enforce),
                    ("calibrate", Mode::Calibrate),
                    ("record", Mode::Record),
                    ("off", Mode::Off),
                ],
            )?
            .unwrap_or(Mode::Enforce),
            seed: parsed(SEED)?,
            runs: number(RUNS)?,
            timeout: text(TIMEOUT)?
                .map(|text| parse_duration(&text).map_err(|error| format!("{TIMEOUT}: {error}")))
                .transpose()?,
            uncalibrated_fails: fails(UNCALIBRATED, true)?,
            stale_fails: fails(STALE, false)?,
            variant: variant()?,
            log: log.as_deref().is_some_and(|log| log != "0"),
            log_json: log.as_deref() == Some("json"),
            keep: keep()?,
            history: history(),
        })
    }
}

/// The bounds file of a test whose package was compiled in this folder.
pub fn bounds_file(compiled_in: &str) -> PathBuf {
    bounds_file_in(&package_folder(compiled_in))
}

/// The folder of a package that was compiled in this one.
pub fn package_folder(compiled_in: &str) -> PathBuf {
    // Archives of nextest run elsewhere than they were compiled; it sets the variable to where they are now.
    let now = std::env::var_os(MANIFEST_DIR).filter(|folder| !folder.is_empty());
    now.map_or_else(|| compiled_in.into(), PathBuf::from)
}

/// The bounds file of the package in this folder. A path that the environment states is relative to it.
pub fn bounds_file_in(package: &Path) -> PathBuf {
    let stated = std::env::var_os(BOUNDS).filter(|path| !path.is_empty());
    package.join(stated.unwrap_or_else(|| BOUNDS_FILE.into()))
}

/// Whether what runs showed is kept for a report.
pub fn keep() -> Result<bool, String> {
    word(KEEP, &[("1", true), ("0", false)]).map(|word| word.unwrap_or(true))
}

/// Where values are collected over many runs, if anywhere.
pub fn history() -> Option<PathBuf> {
    let stated = std::env::var_os(HISTORY).filter(|path| !path.is_empty());
    stated.map(PathBuf::from)
}

/// The commit under test, as far as variables say it.
pub fn commit() -> Option<String> {
    const NAMES: [&str; 8] = [
        COMMIT,
        GITHUB_SHA,
        CI_COMMIT_SHA,
        CIRCLE_SHA1,
        BUILDKITE_COMMIT,
        BUILD_SOURCEVERSION,
        BITBUCKET_COMMIT,
        GIT_COMMIT,
    ];
    NAMES.iter().find_map(|name| text(name).ok().flatten())
}

/// The kind of machine that the environment states.
pub fn variant() -> Result<Option<String>, String> {
    text(VARIANT)
}

/// The seed of all entropy of the process, if the environment states one.
pub fn entropy() -> Result<Option<SeedRequest>, String> {
    parsed(ENTROPY)
}

/// Where to write what a plain test touches, if anybody asks.
pub fn probe() -> Option<PathBuf> {
    let file = std::env::var_os(PROBE).filter(|file| !file.is_empty());
    file.map(PathBuf::from)
}

/// Which attempt of a runner this is that retries tests which fail, counted from 1.
pub fn attempt() -> Option<u32> {
    std::env::var(NEXTEST_ATTEMPT).ok()?.parse().ok()
}

/// Whether the environment states a seed.
pub fn states_seed() -> bool {
    std::env::var_os(SEED).is_some_and(|seed| !seed.is_empty())
}

/// The index of the run, and where to write what the assertions of a plain test compared, if anybody asks.
pub fn observed() -> Option<(u32, PathBuf)> {
    let stated = std::env::var(OBSERVED).ok()?;
    let (index, file) = stated.split_once(':')?;
    Some((index.parse().ok()?, file.into()))
}

/// The top of the repository, in GitHub Actions.
pub fn github_repository() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    set(GITHUB_ACTIONS)?;
    Some(set(GITHUB_WORKSPACE).unwrap_or_default().into())
}

/// What a process in mode `record` is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRequest {
    /// The file to write to.
    pub file: PathBuf,
    /// The base seed of the runs; `None` if any will do.
    pub base: Option<String>,
    /// The runs to make, in this order.
    pub runs: Vec<u32>,
    /// What decides their seeds.
    pub phase: Phase,
    /// The part to make of the runs that the test begins a calibration with, instead of these runs.
    pub part: Option<Part>,
    /// No more runs than one of so many parts of what the test asks for.
    pub parts: Option<u32>,
    /// Milliseconds after which no further run begins.
    pub millis: Option<u64>,
    /// Every run is written down before it begins.
    pub carefully: bool,
    /// The first run is the last if it touched nothing that could differ.
    pub until_fixed: bool,
    /// The slowest run so far, in other processes.
    pub slowest: Option<Duration>,
}

impl RecordRequest {
    /// Reads what the environment asks of a test; `None` if that is nothing.
    pub fn read(test: &str) -> Result<Option<Self>, String> {
        match text(RECORD_ORDERS)? {
            Some(orders) => Self::among(&orders, test),
            None => Self::of_variables().map(Some),
        }
    }

    /// The order of a test in a file of orders.
    fn among(orders: &str, test: &str) -> Result<Option<Self>, String> {
        let text = std::fs::read_to_string(orders)
            .map_err(|error| format!("{RECORD_ORDERS}: cannot read {orders}: {error}"))?;
        let mut lines = text
            .lines()
            .filter_map(|line| line.strip_prefix(test)?.strip_prefix('\t'));
        let Some(order) = lines.next() else {
            return Ok(None);
        };
        let fields: Vec<&str> = order.split('\t').collect();
        let [file, runs, base] = fields[..] else {
            return Err(format!("{orders}: the order of {test} is not one"));
        };
        Ok(Some(RecordRequest {
            file: file.into(),
            base: Some(base.to_owned()),
            runs: runs_of(runs).ok_or_else(|| format!("{orders}: {runs} are no runs"))?,
            phase: Phase::Calibrate,
            part: None,
            parts: None,
            millis: None,
            carefully: false,
            until_fixed: false,
            slowest: None,
        }))
    }

    fn of_variables() -> Result<Self, String> {
        let file = std::env::var_os(RECORD).ok_or_else(|| {
            format!(
                "{MODE}=record is for `cargo flex`, which sets {RECORD} too; use {MODE}=calibrate"
            )
        })?;
        let part = parsed::<Part>(RECORD_PART)?;
        let runs = match part {
            Some(_) => "0..0".to_owned(),
            None => text(RECORD_RUNS)?.unwrap_or_default(),
        };
        Ok(RecordRequest {
            file: file.into(),
            base: parsed::<SeedRequest>(SEED)?.map(|seed| seed.base),
            runs: runs_of(&runs).ok_or_else(|| {
                format!("{RECORD_RUNS}={runs} is neither like 0..20 nor like 7,3")
            })?,
            phase: word(
                RECORD_PHASE,
                &[
                    ("calibrate", Phase::Calibrate),
                    ("check", Phase::Check),
                    ("detect", Phase::Detect),
                ],
            )?
            .unwrap_or(Phase::Calibrate),
            part,
            parts: number(RECORD_PARTS)?,
            millis: number(RECORD_MILLIS)?,
            carefully: text(RECORD_CAREFULLY)?.is_some(),
            until_fixed: text(RECORD_UNTIL_FIXED)?.is_some(),
            slowest: number(RECORD_SLOWEST)?.map(Duration::from_millis),
        })
    }
}

/// The process that started this one, if it wants to be followed to its end.
pub fn parent() -> Result<Option<u32>, String> {
    number(PARENT)
}

fn runs_of(text: &str) -> Option<Vec<u32>> {
    match text.split_once("..") {
        Some((from, to)) => Some((from.parse().ok()?..to.parse().ok()?).collect()),
        None => text.split(',').map(|run| run.parse().ok()).collect(),
    }
}

fn text(name: &str) -> Result<Option<String>, String> {
    match std::env::var(name) {
        Ok(text) if text.is_empty() => Ok(None),
        Ok(text) => Ok(Some(text)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(format!("{name} is not valid text")),
    }
}

fn parsed<T: FromStr<Err = String>>(name: &str) -> Result<Option<T>, String> {
    let parse = |text: String| text.parse().map_err(|error| format!("{name}: {error}"));
    text(name)?.map(parse).transpose()
}

fn number<T: FromStr + PartialOrd + Default>(name: &str) -> Result<Option<T>, String> {
    let Some(text) = text(name)? else {
        return Ok(None);
    };
    match text.parse() {
        Ok(number) if number > T::default() => Ok(Some(number)),
        _ => Err(format!("{name}={text} is not a whole number of at least 1")),
    }
}

fn word<T: Copy>(name: &str, words: &[(&str, T)]) -> Result<Option<T>, String> {
    let Some(text) = text(name)? else {
        return Ok(None);
    };
    let found = words.iter().find(|(word, _)| *word == text);
    match found {
        Some((_, value)) => Ok(Some(*value)),
        None => {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            Err(format!("{name}={text} is not one of {}", known.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_a_range_or_a_list() {
        assert_eq!(runs_of("3..6"), Some(vec![3, 4, 5]));
        assert_eq!(runs_of("7,3"), Some(vec![7, 3]));
        assert_eq!(runs_of(""), None);
        assert_eq!(runs_of("1..x"), None);
    }
}
