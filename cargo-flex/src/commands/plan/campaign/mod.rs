//! `flex-harness plan campaign`: expected reruns and time, of tests that are alike or of those in a trace.

mod alike;
mod plot;
mod priced;
mod words;

use std::path::PathBuf;

use clap::Args;

use super::planned::{Planned, usage};
use crate::exit::Failure;
use crate::number_args::{not_negative, probability};

/// The arguments of a campaign.
#[derive(Debug, Args)]
pub struct CampaignArgs {
    /// How many tests
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "from")]
    tests: u32,
    /// The most runs of each [with --from: 170]
    #[arg(long, value_name = "N", required_unless_present = "from")]
    runs: Option<u64>,
    /// The mean duration of a run, in seconds
    #[arg(long, value_name = "S", default_value_t = 1.0, conflicts_with = "from", value_parser = not_negative, allow_hyphen_values = true)]
    seconds: f64,
    /// The probability that a run fails; with --from, that of a flaky test [with --from: 0.1]
    #[arg(long, value_name = "P", default_value_t = 0.01, default_value_if("from", clap::builder::ArgPredicate::IsPresent, "0.1"), value_parser = not_negative, allow_hyphen_values = true)]
    fail: f64,
    /// The probability that a run is skipped
    #[arg(long, value_name = "P", default_value_t = 0.0, conflicts_with = "from", value_parser = not_negative, allow_hyphen_values = true)]
    skip: f64,

    /// Price strategies for the tests of these traces, a project each
    #[arg(long, value_name = "TRACE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// How often tests fail, by these records of `detect` [default: as --fail and --flaky-share assume]
    #[arg(long, value_name = "RECORD", num_args = 1.., requires = "from", conflicts_with_all = ["fail", "flaky_share"])]
    rates: Vec<PathBuf>,
    /// The assumed share of flaky tests
    #[arg(long, value_name = "P", default_value_t = 0.01, requires = "from", value_parser = probability)]
    flaky_share: f64,
    /// The hybrid always reruns tests that take less than this, in seconds
    #[arg(long, value_name = "S", default_value_t = 0.004, requires = "from", value_parser = not_negative)]
    short: f64,
}

/// Says what a campaign is expected to find and to cost.
pub fn plan(args: &CampaignArgs) -> Result<Planned, Failure> {
    if args.from.is_empty() {
        let runs = args.runs.unwrap_or_default();
        return alike::plan(args.tests, runs, args.seconds, (args.fail, args.skip));
    }
    if args.runs.is_some_and(|runs| runs < 2) {
        return Err(usage(
            "a single run disagrees with nothing: --runs is 2 at least",
        ));
    }
    let priced = priced::price_all(args)?;
    Ok(Planned {
        json: priced.json(),
        words: words::of(&priced),
    })
}
