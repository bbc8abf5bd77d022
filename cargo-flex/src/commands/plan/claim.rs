//! Runs that decide a claim about a mean or a rate, for what may be true.

use clap::Args;
use flex_core::bound::confidence::Confidence;
use flex_core::sequential::{Claim, Expected, Levels, Process, Truth, expected_runs};
use flex_core::tail::Domain;
use flex_core::words::{block, percent, short, thousands};
use flex_run::model::{ClaimSpec, Claimed, Comparison, Limit, MOST_RUNS, Operator};
use serde_json::{Value, json};

use super::planned::{Planned, usage};
use crate::exit::Failure;
use crate::number_args::{finite, positive};

/// The part of its test's false alarms that the claims of the first run share.
const SHARED: f64 = 15.0 / 16.0;

#[derive(Debug, Args)]
pub struct ClaimArgs {
    /// The mean or the rate is at most this
    #[arg(long, value_name = "BOUND", value_parser = finite, allow_hyphen_values = true, required_unless_present = "at_least", conflicts_with = "at_least")]
    at_most: Option<f64>,
    /// It is at least this
    #[arg(long, value_name = "BOUND", value_parser = finite, allow_hyphen_values = true)]
    at_least: Option<f64>,
    /// The standard deviation from run to run, of a mean; without it, the claim is about a rate
    #[arg(long, value_name = "SD", value_parser = positive, requires = "domain")]
    sd: Option<f64>,
    /// The range that no value ever leaves, of a mean
    #[arg(
        long,
        value_name = "LOW..HIGH",
        requires = "sd",
        allow_hyphen_values = true
    )]
    domain: Option<Domain>,
    /// The smallest excess that is worth finding
    #[arg(long, value_name = "MARGIN", value_parser = positive)]
    margin: Option<f64>,
    /// The probability that a test of unchanged code passes
    #[arg(long, value_name = "C", default_value_t = Confidence::DEFAULT)]
    confidence: Confidence,
    /// Claims that share it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    claims: u16,
    /// Runs after which it stays undecided
    #[arg(long, value_name = "RUNS", default_value_t = MOST_RUNS, value_parser = clap::value_parser!(u32).range(1..))]
    max_runs: u32,
}

/// Something that may be true, and what is then expected.
struct Row {
    truth: f64,
    expected: Expected,
}

/// Says how many runs decide.
pub fn plan(args: &ClaimArgs) -> Result<Planned, Failure> {
    let claim = args.claim()?;
    let levels = Levels::new(args.confidence.false_alarm_rate() * SHARED / f64::from(args.claims));
    // What cannot be decided is no plan, whatever is true.
    Process::new(&claim, levels).map_err(usage)?;
    let rows = args.rows(&claim, levels)?;
    let (bound, _) = args.bound();
    let what = if args.sd.is_some() { "mean" } else { "rate" };
    let most = args.at_most.map_or("at least", |_| "at most");
    let mut words = block(&format!(
        "That a {what} is {most} {} is called broken by chance once in {} tests at most, and fine once in {} though it is off by \
         {} or more.",
        short(bound),
        thousands((1.0 / levels.broken).round()),
        thousands((1.0 / levels.fine).round()),
        short(margin(&claim)),
    ));
    words += &format!(
        "  {:<10}{:>9}{:>9}{:>9}\n",
        format!("true {what}"),
        "broken",
        "fine",
        "runs"
    );
    for Row { truth, expected } in &rows {
        words += &format!(
            "  {:<10}{:>9}{:>9}{:>9}\n",
            short(*truth),
            percent(expected.broken),
            percent(expected.fine),
            thousands(expected.runs.round())
        );
    }
    let row = |row: &Row| -> Value {
        let Expected { runs, broken, fine } = row.expected;
        json!({ "truth": row.truth, "runs": runs, "broken": broken, "fine": fine })
    };
    let json = json!({
        "bound": bound,
        "margin": margin(&claim),
        "broken_by_chance": levels.broken,
        "fine_by_chance": levels.fine,
        "at": rows.iter().map(row).collect::<Vec<Value>>(),
    });
    Ok(Planned { json, words })
}

fn margin(claim: &Claim) -> f64 {
    match claim {
        Claim::Mean(claim) => claim.margin,
        Claim::Rate(claim) => claim.margin,
        _ => 0.0,
    }
}

impl ClaimArgs {
    /// The bound, and the direction in which it is passed.
    fn bound(&self) -> (f64, f64) {
        match (self.at_most, self.at_least) {
            (Some(bound), _) => (bound, 1.0),
            (None, bound) => (bound.unwrap_or(0.0), -1.0),
        }
    }

    fn claim(&self) -> Result<Claim, Failure> {
        let (bound, outward) = self.bound();
        let operator = match outward > 0.0 {
            true => Operator::AtMost,
            false => Operator::AtLeast,
        };
        let limit = Limit::Declared(Comparison::new(operator, bound));
        let claimed = match self.sd {
            Some(_) => Claimed::Mean(limit),
            None => Claimed::Rate(limit),
        };
        let spec = ClaimSpec {
            domain: self.domain,
            margin: self.margin,
            ..ClaimSpec::new(claimed)
        };
        spec.claim().map_err(usage)
    }

    /// What is expected of true values inside, at the bound, near it and far from it.
    fn rows(&self, claim: &Claim, levels: Levels) -> Result<Vec<Row>, Failure> {
        let (bound, outward) = self.bound();
        let (ends, steps) = match (self.sd, self.domain) {
            (Some(sd), Some(domain)) => {
                let ends = (domain.lower(), domain.upper());
                (
                    ends,
                    [-1.0, -0.5, 0.0, 0.25, 0.5, 1.0].map(|part| part * sd),
                )
            }
            _ => {
                let margin = margin(claim);
                let inside = (if outward > 0.0 { bound } else { 1.0 - bound }) / margin;
                let parts = [-inside, -0.5 * inside, 0.0, 1.0, 3.0, 10.0];
                ((0.0, 1.0), parts.map(|part| part * margin))
            }
        };
        let mut rows = Vec::new();
        for step in steps {
            let truth = bound + outward * step;
            let is_possible = match self.sd {
                Some(_) => ends.0 < truth && truth < ends.1,
                None => (0.0..=1.0).contains(&truth),
            };
            if !is_possible {
                continue;
            }
            let supposed = match self.sd {
                Some(sd) => Truth::Spread { mean: truth, sd },
                None => Truth::Rate(truth),
            };
            let expected = expected_runs(claim, levels, supposed, u64::from(self.max_runs));
            rows.push(Row {
                truth,
                expected: expected.map_err(usage)?,
            });
        }
        Ok(rows)
    }
}
