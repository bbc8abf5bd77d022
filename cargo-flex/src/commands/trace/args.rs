//! The arguments of `flex-harness trace`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use flex_run::project::duration::parse_duration;
use flex_run::project::env;

use super::learn::LearnArgs;
use crate::cargo::CargoArgs;
use crate::session::{TestArgs, TestFilter};

/// Says which tests can vary at all, and by what: every test is run once and watched.
///
/// Example: cargo flex trace --test sketch
///
/// A test that touches nothing that can differ from run to run (random numbers, clocks, threads, sockets, files of others)
/// is fixed. One that touches only what its seed decides is controlled. Any other can vary, and it is said what it touched,
/// how often and where first. What was seen goes into a file that `trace learn` and `plan campaign` read.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct TraceArgs {
    #[command(subcommand)]
    pub subject: Option<TraceSubject>,

    #[command(flatten)]
    pub tests: TestArgs,

    /// Trace every function that a test executes, of Python and in C, on all threads; for pytest
    #[arg(long)]
    pub full: bool,

    /// A run that has not ended after this time hangs, such as 90s or 5m [default: what the test says, but at most 10m; for
    /// pytest, what the test says]
    #[arg(long, value_name = "TIME", env = env::TIMEOUT, value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Test processes at a time [default: one per processor; for pytest one]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<std::num::NonZero<usize>>,

    /// Everything that was seen, as JSON
    #[arg(long)]
    pub json: bool,

    /// The functions that tests executed, as comma-separated values
    #[arg(long, requires = "full", conflicts_with = "json")]
    pub csv: bool,

    /// The file for what was seen [default: flex/trace.json in the target folder; for pytest in its cache]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub cargo: CargoArgs,
}

/// What can be done with traces.
#[derive(Debug, Subcommand)]
pub enum TraceSubject {
    Learn(LearnArgs),
}

impl TraceArgs {
    /// The tests of cargo that are named.
    pub fn filter(&self) -> TestFilter<'_> {
        self.tests.filter("traces")
    }
}
