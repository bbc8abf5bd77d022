//! The arguments of `flex-harness bound`.

use std::path::PathBuf;

use clap::Args;
use flex_core::bound::Question;
use flex_core::bound::ceiling::Promise;
use flex_core::bound::confidence::{Confidence, DEFAULT_EFFORT, Share};
use flex_core::tail::{Domain, Tail};

use super::inquiry::{Inquiry, InquiryError, settling};
use crate::method::{Method, Rule};
use crate::number_args::{finite, not_negative};

/// Learns a bound from numbers and explains it.
///
/// Example: flex-harness bound --confidence 0.9999 --tail upper errors.txt
///
/// The input holds one number per run of unchanged code, separated by white space or commas; `#` starts a comment.
/// Runs are counted from 0 in the order of the input. `nan` and `inf` are values beyond every bound.
#[derive(Debug, Args)]
#[command(after_long_help = JSONL)]
pub struct BoundArgs {
    /// The file with the numbers; `-` or nothing for standard input
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The probability that a run of unchanged code passes
    #[arg(long, value_name = "C", default_value_t = Confidence::DEFAULT, conflicts_with = "jsonl")]
    pub confidence: Confidence,

    /// Which values are suspicious: large (`upper`), small (`lower`), or `both`
    #[arg(long, value_name = "TAIL", default_value_t = Tail::Upper, conflicts_with = "jsonl")]
    pub tail: Tail,

    /// The range that the metric can take, like `0..1` or `0..`
    #[arg(
        long,
        value_name = "LO..HI",
        allow_hyphen_values = true,
        conflicts_with = "jsonl"
    )]
    pub domain: Option<Domain>,

    /// Promise that the tail falls off at least exponentially: a tighter ceiling, and a wrong one if it does not
    #[arg(long, conflicts_with = "jsonl")]
    pub light: bool,

    /// Keep the false-alarm rate on average over many bounds, instead of in 99% of calibrations
    #[arg(long, conflicts_with_all = ["jsonl", "light"])]
    pub predictive: bool,

    /// Expected extra runs per run that the guard may cost; 0 for a ceiling only
    #[arg(long, value_name = "RUNS", default_value_t = DEFAULT_EFFORT, value_parser = not_negative, allow_hyphen_values = true, conflicts_with = "jsonl")]
    pub effort: f64,

    /// Runs do not depend on their seed alone: no replay can clear a value, and its reruns count as effort
    #[arg(long, conflicts_with = "jsonl")]
    pub uncontrolled: bool,

    /// How often would this bound fail?
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = finite, conflicts_with = "jsonl")]
    pub declared: Option<f64>,

    /// How to learn the bound
    #[arg(long, value_enum, default_value_t, conflicts_with = "jsonl")]
    pub method: Method,

    /// With --method flex: p-values from this many bootstrap replicates instead of the table
    #[arg(long, value_name = "N", conflicts_with = "jsonl", value_parser = clap::value_parser!(u32).range(99..=100_000))]
    pub bootstrap: Option<u32>,

    /// With --method flex: the rule by which thresholds are rejected
    #[arg(long, value_enum, conflicts_with = "jsonl")]
    pub rule: Option<Rule>,

    /// With --method flex: as its tool collects runs, the first 100 numbers, and 50 more at a time, 3000 at most, until
    /// there is a light or exponential tail
    #[arg(long, conflicts_with_all = ["jsonl", "exceedances"])]
    pub grow: bool,

    /// Fit the published method's tail at exactly this many exceedances, and print the fit
    #[arg(long, value_name = "K", conflicts_with_all = ["jsonl", "domain", "declared", "light", "predictive"])]
    pub exceedances: Option<usize>,

    /// Print one JSON object instead of words
    #[arg(long, conflicts_with = "jsonl")]
    pub json: bool,

    /// Answer a stream of questions, one JSON object a line
    #[arg(long)]
    pub jsonl: bool,
}

const JSONL: &str = "\
With --jsonl, a line of the input is an object like
  {\"id\": 1, \"samples\": [0.1, 0.2], \"confidence\": 0.9999, \"tail\": \"upper\"}
Optional keys: domain ([0, 1] or \"0..1\"), light, predictive, effort,
uncontrolled, declared, method (\"default\" or \"flex\"). A sample may be NaN or Infinity, as
Python writes them, or null for NaN. Each line is answered by one line, in
order; a line that cannot be read by {\"id\": …, \"error\": …}. With tail
\"both\", ceiling, guard, fit and power are under \"lower\" and \"upper\". Each
answer carries its own verdict, so the exit code is 0.";

impl BoundArgs {
    /// Puts the options together as a question, or says why they do not fit.
    pub fn inquiry(&self) -> Result<Inquiry, InquiryError> {
        let published = self.method == Method::Flex || self.exceedances.is_some();
        if self.bootstrap.is_some() && !published {
            return Err(InquiryError::OnlyPublished("--bootstrap"));
        } else if self.rule.is_some() && self.method != Method::Flex {
            return Err(InquiryError::OnlyPublished("--rule"));
        } else if self.grow && self.method != Method::Flex {
            return Err(InquiryError::OnlyPublished("--grow"));
        } else if self.light && published {
            return Err(InquiryError::OnlyDefault("--light"));
        } else if self.predictive && published {
            return Err(InquiryError::OnlyDefault("--predictive"));
        }
        let question = Question {
            share: Share {
                confidence: self.confidence,
                effort: self.effort,
            },
            domain: self.domain,
            light: self.light,
            promise: match self.predictive {
                true => Promise::Expected,
                false => Promise::Assured,
            },
            settling: settling(self.uncontrolled),
            ..Question::new(self.tail, self.confidence)
        };
        Inquiry::new(question, self.declared)
    }
}
