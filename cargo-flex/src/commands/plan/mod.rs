//! `flex-harness plan`: what a number of runs can show, and what it costs.

mod calibrate;
mod campaign;
mod catch;
mod claim;
mod planned;

use std::io::{self, Write};

use clap::{Args, Subcommand};
use flex_core::bound::confidence::{Confidence, DEFAULT_EFFORT};

use crate::exit::{Exit, Failure};
use crate::number_args::not_negative;
use crate::terminal;
use planned::Planned;

/// Says how many runs are needed, what they can show, and what they cost.
///
/// Example: flex-harness plan catch --rate 0.01 --confidence 0.99
#[derive(Debug, Args)]
pub struct PlanArgs {
    #[command(subcommand)]
    subject: Subject,

    /// Print one JSON object instead of words
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Subject {
    /// Runs needed to see a test fail that fails at a given rate.
    ///
    /// Example: flex-harness plan catch --rate 0.01 --confidence 0.99
    Catch {
        /// The failure rate to catch
        #[arg(long, value_name = "RATE", value_parser = not_negative, allow_hyphen_values = true)]
        rate: f64,
        /// The probability of catching it
        #[arg(long, value_name = "C", default_value = "0.99")]
        confidence: Confidence,
    },
    /// Runs that a calibration needs, and what its bound can then catch.
    ///
    /// Example: flex-harness plan calibrate --confidence 0.9999 --sites 3
    Calibrate {
        /// The probability that a run of unchanged code passes
        #[arg(long, value_name = "C", default_value_t = Confidence::DEFAULT)]
        confidence: Confidence,
        /// Learned sites of the test
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        sites: u16,
        /// Expected extra runs per run that the test's guards may cost
        #[arg(long, value_name = "RUNS", default_value_t = DEFAULT_EFFORT, value_parser = not_negative, allow_hyphen_values = true)]
        effort: f64,
    },
    /// Runs that decide a claim about a mean or a rate, for true values inside, at the bound, near it and far from it.
    ///
    /// Example: flex-harness plan claim --at-least 0.95
    ///
    /// Example: flex-harness plan claim --at-most 0.1 --sd 0.03 --domain 0..1
    Claim(claim::ClaimArgs),
    /// Expected reruns and time of a campaign that ends each test at its first disagreement.
    ///
    /// Example: flex-harness plan campaign --tests 200 --runs 459 --seconds 1.5
    ///
    /// With --from, the strategies are compared for the tests of traces: rerunning everything; only tests that call a
    /// function which tells of variation; those and all short ones; everything, smallest first; and under probes, where
    /// tests that touched nothing are run twice.
    ///
    /// Example: flex-harness plan campaign --from target/flex/trace.json
    Campaign(campaign::CampaignArgs),
}

/// Runs the command.
pub fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let Planned { json, words } = match &args.subject {
        Subject::Catch { rate, confidence } => catch::plan(*rate, *confidence)?,
        Subject::Calibrate {
            confidence,
            sites,
            effort,
        } => calibrate::plan(*confidence, usize::from(*sites), *effort)?,
        Subject::Claim(args) => claim::plan(args)?,
        Subject::Campaign(args) => campaign::plan(args)?,
    };
    let mut output = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut output, &json)?;
        writeln!(output)?;
    } else {
        write!(terminal::stdout(), "{words}")?;
    }
    Ok(Exit::Fine)
}
