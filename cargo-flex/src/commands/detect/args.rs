//! The arguments of `flex-harness detect`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use flex_core::search::convergence::{Assurance, StopRule};
use flex_core::search::geweke::Yardstick;
use flex_core::seed::SeedRequest;
use flex_detect::search::SearchRule;
use flex_detect::verdict::JudgeRule;
use flex_run::project::duration::parse_duration;
use flex_run::project::env;

use crate::cargo::CargoArgs;
use crate::exit::Failure;
use crate::number_args::{positive, probability};
use crate::session::{TestArgs, TestFilter, check_request};
use crate::shards::ShardArgs;

/// Finds flaky tests by running them under varied seeds, and says how often each assertion fails.
///
/// Example: cargo flex detect --test sketch
///
/// All tests are run that the filters name. Of those annotated with #[stochastic_test], every assertion with a bound that
/// is written out is judged by its values. All others have a process for each run: where the program links flex-harness their
/// assertions are seen too, elsewhere how they end. Their randomness can be repeated on Linux, where the test program links
/// flex-harness with the feature `entropy`. Bounds that are learned are left to `calibrate`. What the runs showed goes into a
/// file that `fix` reads. -v lists assertions too that are constant or steady. The exit code is 1 if a test is flaky.
#[derive(Debug, Args)]
pub struct DetectArgs {
    #[command(flatten)]
    pub tests: TestArgs,

    /// Runs to begin with
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,

    /// Runs to add at a time
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub step: u32,

    /// Runs at most [default: 500, with --tight 3000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_runs: Option<u32>,

    /// The largest |z| of Geweke's test that counts as converged
    #[arg(long, value_name = "Z", default_value_t = 1.0, value_parser = positive)]
    pub threshold: f64,

    /// What z is measured in: standard errors, or plain variances as the paper has it
    #[arg(long, value_name = "KIND", default_value = "standard")]
    pub geweke: Geweke,

    /// End a test when its failure rate is known to be below this
    #[arg(long, value_name = "P", default_value_t = 0.02, value_parser = probability)]
    pub catch: f64,

    /// Also end a test when the fitted tails have its bounds broken more rarely than this; misses rare second modes
    #[arg(long, value_name = "P", value_parser = probability)]
    pub tail: Option<f64>,

    /// End a test at its first two runs that disagree
    #[arg(long)]
    pub fast: bool,

    /// Go on until bounds can be learned that hold in a single run, for `fix`
    #[arg(long, conflicts_with = "fast")]
    pub tight: bool,

    /// Make all runs, also of tests in which nothing varies
    #[arg(long)]
    pub full: bool,

    /// Of plain tests only how they end: they are built as they are, and not from a copy in which their assertions are seen
    #[arg(long, conflicts_with = "pytest")]
    pub outcomes: bool,

    /// Also report steady assertions that fail with more than this probability, by the fitted tail
    #[arg(long, value_name = "P", value_parser = probability)]
    pub probability: Option<f64>,

    /// Make do with the runs that fit into this time, such as 90s, 5m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_budget: Option<Duration>,

    /// A run that has not ended after this time hangs, such as 90s or 5m [default: what the test says, else none for
    /// its first run, then 60s or 20 times its slowest run]
    #[arg(long, value_name = "TIME", env = env::TIMEOUT, value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// The base seed, any text [default: a fresh one]
    #[arg(long, value_name = "TEXT", env = env::SEED)]
    pub seed: Option<SeedRequest>,

    /// Test processes at a time [default: one per processor]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<std::num::NonZero<usize>>,

    /// Which tests are searched first; the smallest by the last trace or record, or else by a run of their own
    #[arg(long, value_name = "ORDER", default_value = "listed")]
    pub order: SearchOrder,

    /// Everything that was judged, as JSON
    #[arg(long)]
    pub json: bool,

    /// The file for what the runs showed [default: flex/detect.json in the target folder; for pytest in its cache]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    #[command(flatten)]
    pub shards: ShardArgs,

    #[command(flatten)]
    pub cargo: CargoArgs,
}

/// What Geweke's z is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Geweke {
    /// Standard errors of the means
    Standard,
    /// Plain variances, as in the paper
    Paper,
}

/// Which tests are searched first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchOrder {
    /// In the order of their names, or of pytest
    Listed,
    /// Those that take the least time
    SmallestFirst,
}

impl DetectArgs {
    /// Refuses what clap cannot see.
    pub fn check(&self) -> Result<(), Failure> {
        let (seed, most) = (self.seed.as_ref(), self.most());
        check_request("a search", seed, Some(self.runs), Some(most))
    }

    /// The tests that are named.
    pub fn filter(&self) -> TestFilter<'_> {
        self.tests.filter("searches")
    }

    fn most(&self) -> u32 {
        self.max_runs.unwrap_or(SearchRule::default().stop.most)
    }

    /// When searches end.
    pub fn rule(&self) -> SearchRule {
        let usual = SearchRule::default();
        SearchRule {
            stop: StopRule {
                first: self.runs,
                step: self.step,
                most: self.most(),
                threshold: self.threshold,
                yardstick: match self.geweke {
                    Geweke::Standard => Yardstick::StandardErrors,
                    Geweke::Paper => Yardstick::PlainVariances,
                },
                assurance: Some(Assurance {
                    catch: self.catch,
                    tail: self.tail,
                }),
            },
            fast: self.fast,
            broken_after: None,
            tight: self.tight,
            most_tight: self.max_runs.unwrap_or(usual.most_tight),
        }
    }

    /// What counts as a finding.
    pub fn judge_rule(&self) -> JudgeRule {
        JudgeRule {
            probability: self.probability,
        }
    }
}
