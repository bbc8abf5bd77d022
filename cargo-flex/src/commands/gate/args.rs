//! The arguments of `flex-harness gate`.

use std::path::PathBuf;

use std::num::NonZero;
use std::time::Duration;

use clap::{Args, Subcommand};
use flex_core::seed::SeedRequest;
use flex_run::project::duration::parse_duration;
use flex_run::project::env;
use regex::Regex;

use crate::cargo::CargoArgs;
use crate::exit::Failure;
use crate::number_args::share;
use crate::shards::MakingArgs;

/// Stops tests that a change makes flaky, before it is merged.
///
/// Example: cargo flex gate --time-bank 10m
///
/// Three stages: `diff` says which functions a change is about, `select` which tests can reach them, and `check` reruns
/// those. Without one of them all three are gone through. The exit code is 1 if a test is newly flaky, or fails.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct GateArgs {
    #[command(subcommand)]
    pub stage: Option<Stage>,

    #[command(flatten)]
    pub all: CheckArgs,
}

/// The stages.
#[derive(Debug, Subcommand)]
pub enum Stage {
    Diff(DiffArgs),
    Select(Box<SelectArgs>),
    Check(Box<CheckArgs>),
}

/// What is compared.
#[derive(Debug, Args)]
pub struct RangeArgs {
    /// Compare two commits with each other
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "branches")]
    pub commits: Option<Vec<String>>,

    /// Compare the branch B with what it has in common with A
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub branches: Option<Vec<String>>,
}

/// Says which files, functions and lines a change is about.
///
/// Example: cargo flex gate diff --branches main feature -vvv
///
/// Without options, the files as they are (also those that git does not know yet) are compared with the commit at which
/// this branch left the default one. Comments and spaces are no change. What is in no function is called `top-level`.
/// -v lists files, -vv functions (as without it), -vvv functions with their lines.
#[derive(Debug, Args)]
pub struct DiffArgs {
    #[command(flatten)]
    pub range: RangeArgs,

    /// Only files in this folder
    #[arg(long, short, value_name = "DIR")]
    pub path: Vec<PathBuf>,

    /// Only files whose path this regular expression finds
    #[arg(long, short, value_name = "REGEX")]
    pub filter: Option<Regex>,

    /// Everything that changed, as JSON for `gate select`
    #[arg(long)]
    pub json: bool,
}

/// Says which tests a change can affect, and why.
///
/// Example: cargo flex gate select --pytest tests
///
/// New and changed tests, tests that reach a changed function, directly or through others, and tests that a changed build
/// file, lock file or conftest governs. What tests execute is known from `trace --full` where that still holds, else from
/// the names in the sources; `flex.toml` adds what neither sees. In doubt a test is selected. Of stochastic tests with
/// bounds, calibration runs are made again: those that show what they showed are not affected.
#[derive(Debug, Args)]
pub struct SelectArgs {
    /// Changed functions, such as src/lib.rs:Sketch::merge, instead of what git says
    pub changed: Vec<String>,

    /// Read what changed from this file, `-` for standard input: the JSON or the lines of `gate diff`
    #[arg(long, value_name = "FILE", conflicts_with = "changed")]
    pub from: Option<PathBuf>,

    #[command(flatten)]
    pub selecting: SelectingArgs,

    /// Everything that was selected, as JSON for `gate check`
    #[arg(long)]
    pub json: bool,
}

/// How tests are selected.
#[derive(Debug, Args)]
pub struct SelectingArgs {
    #[command(flatten)]
    pub range: RangeArgs,

    /// The tests of pytest in this file or folder, instead of cargo packages
    #[arg(long, value_name = "PATH")]
    pub pytest: Option<PathBuf>,

    /// Only tests that are new or changed themselves
    #[arg(long)]
    pub only_new: bool,

    /// Also tests that failed when they were run last
    #[arg(long)]
    pub last_failed: bool,

    /// The trace that says what tests execute [default: that in pytest's cache]
    #[arg(long, value_name = "FILE", requires = "pytest")]
    pub trace: Option<PathBuf>,

    /// More dependencies of files, as JSON: {"dependent.py": ["dependency.py"]}
    #[arg(long, value_name = "FILE")]
    pub dependencies: Option<PathBuf>,

    /// Select stochastic tests like others, without a replay
    #[arg(long)]
    pub no_replay: bool,

    #[command(flatten)]
    pub cargo: CargoArgs,
}

/// Reruns the tests that a change can affect, and says which are flaky.
///
/// Example: cargo flex gate check --pytest tests --catch 1% --time-bank 10m
///
/// Every test is run until two runs disagree, or there are enough to say that it fails in less than some share of its
/// runs; tests in which nothing varies are run twice. Of a test that fails, the code before the change is run too: new
/// flakiness ends with exit code 1, old is named. Seeds that a source states are left as they are.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A file: read the tests from it, the JSON of `gate select`, `-` for standard input. A folder: put together what shards
    /// left in it, and decide; exit code 5 if more runs are needed. Both may be given, and several folders
    #[arg(long, value_name = "FILE|DIR")]
    pub from: Vec<PathBuf>,

    #[command(flatten)]
    pub selecting: SelectingArgs,

    /// Also run the code before the change under the same seeds, and compare what stochastic tests see
    ///
    /// For pytest that is what assertions see in all tests in which something varies. Something worse is a finding.
    #[arg(long)]
    pub compare: bool,

    #[command(flatten)]
    pub trials: TrialArgs,

    #[command(flatten)]
    pub making: MakingArgs,
}

impl CheckArgs {
    /// What the tests are read from, if anything is named, and the folders of shards that are put together.
    pub fn sources(&self) -> Result<(Option<&PathBuf>, Vec<PathBuf>), Failure> {
        let (folders, files): (Vec<_>, Vec<_>) = self.from.iter().partition(|path| path.is_dir());
        if let [one, other, ..] = files[..] {
            let (one, other) = (one.display(), other.display());
            return Err(Failure::input(
                format!("--from names two files, {one} and {other}, and one selection is checked"),
                "name one file of `gate select --json`, and folders that shards were made in",
            ));
        }
        if self.making.shard.is_some() && !folders.is_empty() {
            return Err(Failure::input(
                "a shard makes runs, and --from with a folder puts them together",
                "give --shard, or --from with a folder",
            ));
        }
        Ok((
            files.first().copied(),
            folders.into_iter().cloned().collect(),
        ))
    }
}

/// Reruns tests and says whether they are flaky.
///
/// Example: flex-harness check tests/test_x.py::test_y -n 10000
///
/// Tests of pytest are named as tests/test_x.py::test_y, dir/test_x.py:test_y or test_x.test_y, tests of Rust by their
/// path. Each is run until two runs disagree, or there are enough. The exit code is 1 if a test is flaky, or fails.
#[derive(Debug, Args)]
pub struct CheckTestsArgs {
    /// The tests
    #[arg(required = true, value_name = "TESTS")]
    pub named: Vec<String>,

    #[command(flatten)]
    pub trials: TrialArgs,

    #[command(flatten)]
    pub cargo: CargoArgs,
}

/// How often tests are run, and who is told.
#[derive(Debug, Args)]
pub struct TrialArgs {
    /// Trials of each test [default: as many as --catch and --confidence need, 459]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub trials: Option<u32>,

    /// The failure rate that is to be seen
    #[arg(long, value_name = "RATE", default_value = "1%", value_parser = share)]
    pub catch: f64,

    /// With this confidence
    #[arg(long, value_name = "SHARE", default_value = "99%", value_parser = share)]
    pub confidence: f64,

    /// Spend no more than this time on runs, such as 90s, 10m or 1h, where it finds most
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_bank: Option<Duration>,

    /// A run that has not ended after this time hangs, such as 90s or 5m [default: what the test says, else none for
    /// its first run, then 60s or 20 times its slowest run]
    #[arg(long, value_name = "TIME", env = env::TIMEOUT, value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// The base seed, any text [default: a fresh one]
    #[arg(long, short, value_name = "TEXT", env = env::SEED)]
    pub seed: Option<SeedRequest>,

    /// All trials of plain tests under one seed, which finds what no seed controls
    #[arg(long)]
    pub same_seed: bool,

    /// Test processes at a time [default: one per processor]; pytest has one
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,

    /// Everything that was found, as JSON
    #[arg(long)]
    pub json: bool,

    /// Write what was found for CI servers, as JUnit does
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Append what was found to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
}
