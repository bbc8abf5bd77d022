//! The arguments of `flex-harness bisect`.

use std::time::Duration;

use clap::Args;
use flex_core::seed::SeedRequest;
use flex_detect::compare::SeriesRule;
use flex_run::project::duration::parse_duration;
use flex_run::project::env;

use crate::cargo::CargoArgs;
use crate::number_args::probability;

/// Finds the commit that moved the distribution of what a test sees.
///
/// Example: cargo flex bisect sketch::tests::error --good v1.2 --bad HEAD
///
/// `git bisect` chooses the commits, in a worktree in the target folder or in pytest's cache: the checkout is not touched.
/// Each commit is compared with the good and the bad one under the same seeds, until it is shown to differ from one of them.
/// Commits that do not build, or do not have the test, are skipped.
#[derive(Debug, Args)]
pub struct BisectArgs {
    /// The path of a stochastic test, or a node id of pytest such as tests/test_a.py::test_b
    #[arg(value_name = "TEST")]
    pub tested: String,

    /// A commit where the test saw what it should
    #[arg(long, value_name = "REV")]
    pub good: String,

    /// A later commit where it sees something else
    #[arg(long, value_name = "REV")]
    pub bad: String,

    /// Pairs of runs that each commit makes; what is equal in all of them is the same
    #[arg(long, value_name = "N", default_value_t = SeriesRule::default().first, value_parser = clap::value_parser!(u32).range(1..))]
    pub pairs: u32,

    /// Pairs of runs at most
    #[arg(long, value_name = "N", default_value_t = SeriesRule::default().most, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_pairs: u32,

    /// The probability of a wrong turn, for all steps together
    #[arg(long, value_name = "P", default_value_t = 1e-4, value_parser = probability)]
    pub alpha: f64,

    /// A run that has not ended after this time hangs, such as 90s or 5m
    #[arg(long, value_name = "TIME", env = env::TIMEOUT, value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// The base seed, any text [default: a fresh one]
    #[arg(long, value_name = "TEXT", env = env::SEED)]
    pub seed: Option<SeedRequest>,

    /// The commit and all steps, as JSON
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub cargo: CargoArgs,
}

impl BisectArgs {
    /// When series are decided.
    pub fn rule(&self) -> SeriesRule {
        SeriesRule {
            first: self.pairs,
            most: self.max_pairs.max(self.pairs),
            margin: None,
        }
    }

    /// Whether the test is one of pytest.
    pub fn is_pytest(&self) -> bool {
        let file = self.tested.split("::").next().unwrap_or_default();
        file.ends_with(".py")
    }
}
