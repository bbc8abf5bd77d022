//! The arguments of `flex-harness compare`.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use flex_core::seed::SeedRequest;
use flex_detect::compare::{Margin, SeriesRule};
use flex_run::project::duration::parse_duration;
use flex_run::project::env;

use crate::cargo::CargoArgs;
use crate::exit::Failure;
use crate::number_args::{NumberError, positive, probability};
use crate::session::{TestArgs, TestFilter, check_request};
use crate::shards::ShardArgs;

/// Compares old and new code under the same seeds: which assertions see something else, and is that worse?
///
/// Example: cargo flex compare --base main
///
/// The old version is checked out in a worktree in the target folder, or in pytest's cache, and built with the same options.
/// Both versions make runs with the same seeds, and whatever both assert is compared pair by pair: what is equal in three
/// pairs is identical; all else is rerun until it is shown to be worse or better, or to lie within --margin. Which way is
/// worse follows from the assertion. No bounds file is needed. With --pytest also assertions of ordinary tests are compared.
/// What is identical is counted, and listed with -v. The exit code is 1 if something is worse.
#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub tests: TestArgs,

    /// The commit with the old code: a branch, a tag or a hash
    #[arg(long, value_name = "REV")]
    pub base: String,

    /// Pairs of runs that all tests make; what is equal in all of them is identical
    #[arg(long, value_name = "N", default_value_t = SeriesRule::default().first, value_parser = clap::value_parser!(u32).range(1..))]
    pub pairs: u32,

    /// Pairs of runs at most
    #[arg(long, value_name = "N", default_value_t = SeriesRule::default().most, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_pairs: u32,

    /// The difference that does not matter: in the unit of the values such as 0.01, or in standard deviations of old values
    /// such as 0.1sd
    #[arg(long, value_name = "MARGIN", value_parser = margin)]
    pub margin: Option<Margin>,

    /// The probability that anything unchanged is called worse or better, for all assertions together
    #[arg(long, value_name = "P", default_value_t = 1e-4, value_parser = probability)]
    pub alpha: f64,

    /// Compare how long runs take, too: for pytest in processor time; tests run one by one
    #[arg(long)]
    pub time: bool,

    /// Make do with the runs that fit into this time, such as 90s, 5m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_budget: Option<Duration>,

    /// A run that has not ended after this time hangs, such as 90s or 5m
    #[arg(long, value_name = "TIME", env = env::TIMEOUT, value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// The base seed, any text [default: a fresh one]
    #[arg(long, value_name = "TEXT", env = env::SEED)]
    pub seed: Option<SeedRequest>,

    /// Test processes at a time [default: one per processor]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,

    /// All that was compared, as JSON
    #[arg(long)]
    pub json: bool,

    /// Also write what changed as Markdown into this file, at its end
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,

    #[command(flatten)]
    pub shards: ShardArgs,

    #[command(flatten)]
    pub cargo: CargoArgs,
}

impl CompareArgs {
    /// Refuses what clap cannot see.
    pub fn check(&self) -> Result<(), Failure> {
        check_request("a comparison", self.seed.as_ref(), None, None)?;
        let shards = &self.shards;
        let has_shards = shards.making.shard.is_some() || !shards.from.is_empty();
        if self.time && has_shards {
            return Err(Failure::input(
                "--time compares durations, which are those of one machine",
                "leave out --time, or compare without shards",
            ));
        }
        if self.tests.pytest.is_some() && self.time_budget.is_some() && has_shards {
            return Err(Failure::input(
                "shards of pytest make all runs that their tests need",
                "leave out --time-budget, or compare without shards",
            ));
        }
        match self.pairs > self.max_pairs {
            true => Err(Failure::input(
                format!(
                    "{} pairs to begin with are more than {} at most",
                    self.pairs, self.max_pairs
                ),
                "lower --pairs or raise --max-pairs",
            )),
            false => Ok(()),
        }
    }

    /// The stochastic tests that are named.
    pub fn filter(&self) -> TestFilter<'_> {
        TestFilter {
            nouns: ["stochastic test", "stochastic tests"],
            hint: "annotate tests with #[stochastic_test]; ordinary tests are compared with --pytest only",
            ..self.tests.filter("compares")
        }
    }

    /// When series are decided.
    pub fn rule(&self) -> SeriesRule {
        SeriesRule {
            first: self.pairs,
            most: self.max_pairs,
            margin: self.margin,
        }
    }
}

/// Reads a margin: a number, or a number of standard deviations.
fn margin(text: &str) -> Result<Margin, NumberError> {
    match text.strip_suffix("sd") {
        Some(number) => positive(number.trim()).map(Margin::Sd),
        None => positive(text).map(Margin::Unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_in_the_unit_or_in_standard_deviations() {
        assert_eq!(margin("0.5"), Ok(Margin::Unit(0.5)));
        assert_eq!(margin("0.1sd"), Ok(Margin::Sd(0.1)));
        assert_eq!(margin("2 sd"), Ok(Margin::Sd(2.0)));
        for wrong in ["0", "-1sd", "sd", "much"] {
            assert!(margin(wrong).is_err(), "{wrong}");
        }
    }
}
