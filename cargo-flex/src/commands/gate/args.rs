//! The arguments of `flex-harness gate`.

use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand};
use regex::Regex;

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

    /// Only files in this folder
    #[arg(long, short, value_name = "DIR")]
    pub path: Vec<PathBuf>,

    /// Only files whose path this regular expression finds
    #[arg(long, short, value_name = "REGEX")]
    pub filter: Option<Regex>,
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

    /// Files (-v), functions (-vv, which is the default), or functions with their lines (-vvv)
    #[arg(long, short, action = ArgAction::Count)]
    pub verbose: u8,

    /// Everything that changed, as JSON for `gate select`
    #[arg(long)]
    pub json: bool,
}
