//! The published method's answer as JSON.

use flex_core::published::{PERCENTILES, Published, PublishedDecision};
use flex_core::tail::Side;
use serde::Serialize;

use super::fit::Fit;
use super::{PublishedBounds, used};

/// The answer as JSON, with the keys of the default method and those of the published one.
#[derive(Debug, Serialize)]
pub struct PublishedAnswer {
    method: &'static str,
    confidence: f64,
    #[serde(flatten)]
    sides: Sides,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Sides {
    One(Box<SideAnswer>),
    Both(Box<Pair>),
}

#[derive(Debug, Serialize)]
struct Pair {
    lower: SideAnswer,
    upper: SideAnswer,
}

#[derive(Debug, Serialize)]
struct SideAnswer {
    samples: usize,
    tail: &'static str,
    strategy: &'static str,
    ceiling: Option<f64>,
    guard: Option<()>,
    reason: Option<String>,
    fit: Option<Fit>,
    power: Option<()>,
    extra_runs: f64,
    /// light, exponential or heavy.
    kind: Option<String>,
    box_cox: Option<f64>,
    percentiles: Option<[(f64, f64); PERCENTILES.len()]>,
    empirical: Option<(f64, f64)>,
    /// Runs of which one must pass, with `rerun`.
    runs: Option<u64>,
    failure_rate: Option<f64>,
}

impl PublishedBounds {
    /// The answer for programs.
    pub fn answer(&self) -> PublishedAnswer {
        PublishedAnswer {
            method: "flex",
            confidence: self.confidence.value(),
            sides: match self.sides.as_slice() {
                [lower, upper] => Sides::Both(Box::new(Pair {
                    lower: SideAnswer::new(lower),
                    upper: SideAnswer::new(upper),
                })),
                one => Sides::One(Box::new(SideAnswer::new(&one[0]))),
            },
        }
    }
}

impl SideAnswer {
    fn new((side, published): &(Side, Published)) -> Self {
        let tail = used(published);
        let (runs, failure_rate) = match published.decision {
            PublishedDecision::Rerun {
                runs, failure_rate, ..
            } => (Some(runs), Some(failure_rate)),
            _ => (None, None),
        };
        SideAnswer {
            samples: published.samples,
            tail: side.as_str(),
            strategy: published.decision.strategy().as_str(),
            ceiling: published.decision.bound(),
            guard: None,
            reason: match &published.decision {
                PublishedDecision::Refuse { reason } => Some(reason.clone()),
                _ => None,
            },
            fit: tail.map(|tail| Fit::new(&tail.fit, tail.threshold())),
            power: None,
            extra_runs: 0.0,
            kind: tail.map(|tail| tail.kind.to_string()),
            box_cox: tail
                .and_then(|tail| tail.transform)
                .map(|transform| transform.lambda),
            percentiles: published
                .percentiles
                .map(|values| std::array::from_fn(|i| (100.0 * PERCENTILES[i], values[i]))),
            empirical: match &published.empirical {
                Some(Ok(empirical)) => Some(empirical.interval),
                _ => None,
            },
            runs,
            failure_rate,
        }
    }
}
