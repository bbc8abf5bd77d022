//! The arguments of `cargo flex calibrate`.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use flex_core::seed::{Phase, SeedRequest};
use flex_run::project::duration::parse_duration;
use flex_run::project::env;

use crate::cargo::CargoArgs;
use crate::engine::EngineOptions;
use crate::method::{Method, Rule};
use crate::session::TestFilter;
use crate::shards::ShardArgs;

/// Learns the bounds of stochastic tests from runs under varied seeds, and writes them into flex-bounds.toml.
///
/// Example: cargo flex calibrate --test sketch
///
/// Only tests annotated with #[stochastic_test] are run. Each is spread over at least five processes, to see what runs
/// share. A test of which three runs, replayed, show what they showed at the last calibration is unchanged and stays as it
/// is (--full calibrates it nevertheless). A merge conflict in flex-bounds.toml is resolved: entries of both sides stay, and those on which they differ are
/// learned anew.
#[derive(Debug, Clone, Args)]
pub struct CalibrateArgs {
    /// Calibrate only tests whose path contains one of these words
    pub filters: Vec<String>,

    /// Calibrate the tests of pytest in this file or folder, or with this node id, instead of cargo packages
    #[arg(long, value_name = "PATH", conflicts_with_all = ["exact", "include_ignored", "tight", "prune"])]
    pub pytest: Option<PathBuf>,

    /// Filters are whole paths
    #[arg(long)]
    pub exact: bool,

    /// Calibrate ignored tests too
    #[arg(long)]
    pub include_ignored: bool,

    /// Runs to begin with [default: what the test says, else 100]
    #[arg(long, value_name = "N", env = env::RUNS, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,

    /// Runs at most [default: what the test says, else 3000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_runs: Option<u32>,

    /// Go on until the ceilings are tight
    #[arg(long)]
    pub tight: bool,

    /// Make all runs, also of tests that do what they did at their last calibration, or in which nothing varies
    #[arg(long)]
    pub full: bool,

    /// How to learn bounds; those of `flex` are printed and not written, since they keep no promise
    #[arg(long, value_enum, default_value_t)]
    pub method: Method,

    /// With --method flex: the rule by which thresholds are rejected
    #[arg(long, value_enum)]
    pub rule: Option<Rule>,

    /// Let ceilings rest on values of earlier test runs too, as far as nothing moved: those in this history
    /// [default: that of FLEX_HISTORY]; makes all runs, like --full
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true, conflicts_with = "check")]
    #[expect(
        clippy::option_option,
        reason = "clap's form of an option whose value may be left out"
    )]
    pub with_history: Option<Option<PathBuf>>,

    /// Make do with the runs that fit into this time, such as 90s, 5m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_budget: Option<Duration>,

    /// A run that has not ended after this time hangs, such as 90s or 5m [default: what the test says, else none for
    /// its first run, then 60s or 20 times its slowest run]
    #[arg(long, value_name = "TIME", env = env::TIMEOUT, value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Test processes at a time [default: one per processor]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,

    /// Learn bounds also where runs share state or values look like a bug, and write what would wait for a review
    #[arg(long)]
    pub accept: bool,

    /// Write nothing; compare fresh runs with the bounds files, and exit with 1 if they disagree
    #[arg(long, conflicts_with_all = ["accept", "prune"])]
    pub check: bool,

    /// Drop entries whose test is gone, after listing them; with filters, only those that they name
    #[arg(long)]
    pub prune: bool,

    /// Also write what came of each test into this file, as JUnit XML for CI servers
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// The base seed, any text [default: a fresh one]
    #[arg(long, value_name = "TEXT", env = env::SEED)]
    pub seed: Option<SeedRequest>,

    /// Build the tests and write down how they are run, for --programs on other machines; make no run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pytest", "programs", "check", "prune"])]
    pub build_only: Option<PathBuf>,

    #[command(flatten)]
    pub shards: ShardArgs,

    #[command(flatten)]
    pub engine: EngineOptions,

    #[command(flatten)]
    pub cargo: CargoArgs,
}

impl CalibrateArgs {
    /// What decides the seeds of the runs, besides the base.
    pub fn phase(&self) -> Phase {
        match self.check {
            true => Phase::Check,
            false => Phase::Calibrate,
        }
    }

    /// When what comes before the runs must have ended, if it begins now.
    pub fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.time_budget?)
    }

    /// Whether also tests are run that do what they did.
    pub fn makes_all_runs(&self) -> bool {
        self.full || self.with_history.is_some()
    }

    /// The tests that are named.
    pub fn filter(&self) -> TestFilter<'_> {
        TestFilter {
            words: &self.filters,
            exact: self.exact,
            include_ignored: self.include_ignored,
            nouns: ["stochastic test", "stochastic tests"],
            verb: "calibrates",
            hint: "annotate a test with #[stochastic_test]; see `cargo doc -p flex-harness`",
        }
    }
}
