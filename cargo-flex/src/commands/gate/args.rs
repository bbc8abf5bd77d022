//! The arguments of `flex-harness gate`.

use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand};
use regex::Regex;

use crate::cargo::CargoArgs;

/// Stops tests that a change makes flaky, before it is merged.
///
/// Example: cargo flex gate diff
///
/// Three stages: `diff` says which functions a change is about, `select` which tests can reach them, and `check` reruns
/// those.
#[derive(Debug, Args)]
pub struct GateArgs {
    #[command(subcommand)]
    pub stage: Stage,
}

/// The stages.
#[derive(Debug, Subcommand)]
pub enum Stage {
    Diff(DiffArgs),
    Select(Box<SelectArgs>),
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

    /// Files (-v), functions (-vv, which is the default), or functions with their lines (-vvv)
    #[arg(long, short, action = ArgAction::Count)]
    pub verbose: u8,

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
