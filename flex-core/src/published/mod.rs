//! The published method, for comparison and for who wants the paper's numbers (FLEX: Dutta, Shi & Misailovic 2021;
//! docs/design/published.md).
//!
//! A point estimate of a quantile of the tail, without a margin for the error of the estimate: see
//! docs/evidence/truth.md for how often its bounds fail, and [`crate::bound`] for the default. What it tries, in this
//! order: a light or exponential tail; the same after a Box–Cox transform; the bootstrapped extreme; reruns; keeping the
//! declared bound.

mod algorithm;
pub mod boxcox;
mod empirical;
pub mod gof;
mod gof_table;
pub mod gpd_fit;
mod tail;
pub mod threshold;
mod threshold_fit;

use std::fmt;

use crate::bound::confidence::Confidence;
use crate::bound::strategy::Strategy;
use crate::sample::Samples;
use crate::search::reruns::runs_until_pass;
use crate::tail::{Domain, Side};

pub use algorithm::{
    PublishedCalibrated, PublishedCalibration, PublishedPlan, PublishedSite, PublishedStep,
};
pub use empirical::{Empirical, NoEmpirical};
pub use tail::{Candidate, FEWEST_EXCEEDANCES, NoTail, PublishedTail, TailKind};
pub use threshold::ThresholdRule;
pub use threshold_fit::{LikelihoodRatio, NoThresholdFit, PValuesBy, ThresholdFit, fit_at};

/// The percentiles that are reported with every tail.
pub const PERCENTILES: [f64; 5] = [0.9, 0.95, 0.99, 0.999, 0.9999];

/// What is asked of the method. A two-sided site asks twice, each side with half of its false-alarm rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedQuestion {
    /// The side to bound.
    pub side: Side,
    /// The probability that unchanged code passes.
    pub confidence: Confidence,
    /// The range that the metric can take.
    pub domain: Option<Domain>,
    /// The bound that the source declares, if it does.
    pub declared: Option<f64>,
    /// The rule by which thresholds are rejected.
    pub rule: ThresholdRule,
}

/// What the method says of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The number of samples.
    pub samples: usize,
    /// The tail of the samples as they are.
    pub tail: Result<PublishedTail, NoTail>,
    /// The tail after a Box–Cox transform; `None` if the samples as they are gave a bound.
    pub transformed: Option<Result<PublishedTail, NoTail>>,
    /// [`PERCENTILES`] of the tail that gave a bound: values that so large a part of the runs do not pass.
    pub percentiles: Option<[f64; PERCENTILES.len()]>,
    /// The bootstrapped extreme; `None` if a tail gave a bound.
    pub empirical: Option<Result<Empirical, NoEmpirical>>,
    /// What to do.
    pub decision: PublishedDecision,
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum PublishedDecision {
    /// Use the quantile of the tail.
    Tail {
        /// The bound.
        bound: f64,
    },
    /// Use the bootstrapped extreme.
    Empirical {
        /// The bound.
        bound: f64,
    },
    /// Keep the declared bound and rerun a test that fails.
    Rerun {
        /// The probability that a run fails.
        failure_rate: f64,
        /// Where that is known from.
        evidence: RateSource,
        /// Runs, the first included, of which one must pass.
        runs: u64,
    },
    /// Keep the declared bound.
    Keep {
        /// The declared bound.
        declared: f64,
        /// The bound that it is looser than, if there is one.
        bound: Option<f64>,
    },
    /// Nothing can be done.
    Refuse {
        /// Why, and what would help.
        reason: String,
    },
}

/// Where a failure rate is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateSource {
    /// Samples that failed.
    Observed,
    /// The fitted tail at the declared bound.
    Tail,
}

impl PublishedDecision {
    /// The word for it in files and messages.
    pub fn strategy(&self) -> Strategy {
        match self {
            PublishedDecision::Tail { .. } => Strategy::Tail,
            PublishedDecision::Empirical { .. } => Strategy::Empirical,
            PublishedDecision::Rerun { .. } => Strategy::Rerun,
            PublishedDecision::Keep { .. } => Strategy::Keep,
            PublishedDecision::Refuse { .. } => Strategy::Refuse,
        }
    }

    /// The learned bound, where there is one.
    pub fn bound(&self) -> Option<f64> {
        match self {
            PublishedDecision::Tail { bound } | PublishedDecision::Empirical { bound } => {
                Some(*bound)
            }
            _ => None,
        }
    }
}

/// Why a tail gives no bound.
enum NoBound<'a> {
    NoTail(&'a NoTail),
    Heavy,
    NotInside(f64),
}

impl fmt::Display for NoBound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoBound::NoTail(why) => why.fmt(f),
            NoBound::Heavy => f.write_str("the tail is heavy"),
            NoBound::NotInside(bound) => {
                write!(f, "a bound of {bound} is not inside of the domain")
            }
        }
    }
}

impl Published {
    /// Applies the method to the samples of one site.
    pub fn learn(
        samples: &Samples,
        question: &PublishedQuestion,
        mut p_values: PValuesBy<'_>,
    ) -> Published {
        let side = question.side;
        let tail = PublishedTail::of(samples, (side, question.rule), &mut p_values);
        let mut published = Published {
            samples: samples.len(),
            tail,
            transformed: None,
            percentiles: None,
            empirical: None,
            decision: PublishedDecision::Refuse {
                reason: String::new(),
            },
        };
        let outside = question.domain.and_then(|domain| samples.outside(domain));
        published.decision = match outside {
            Some(outside) => PublishedDecision::Refuse {
                reason: outside.to_string(),
            },
            None if question.declared.is_some_and(f64::is_nan) => PublishedDecision::Refuse {
                reason: "the declared bound is NaN, which every value fails; declare a number"
                    .to_owned(),
            },
            None => published.decide(samples, question, &mut p_values),
        };
        published
    }

    /// Whether the decision rests on a light or exponential tail, so that more samples are not needed.
    pub fn rests_on_tail(&self) -> bool {
        self.percentiles.is_some()
    }

    fn decide(
        &mut self,
        samples: &Samples,
        question: &PublishedQuestion,
        p_values: &mut PValuesBy<'_>,
    ) -> PublishedDecision {
        let keep_or = |bound: f64, decision: PublishedDecision| match question.declared {
            Some(declared) if !question.side.is_beyond(bound, declared) => {
                PublishedDecision::Keep {
                    declared,
                    bound: Some(bound),
                }
            }
            _ => decision,
        };
        let mut reasons = Vec::new();
        match usable(&self.tail, samples, question) {
            Ok((bound, percentiles)) => {
                self.percentiles = Some(percentiles);
                return keep_or(bound, PublishedDecision::Tail { bound });
            }
            Err(why) => reasons.push(format!("tail: {why}")),
        }
        let transformed =
            PublishedTail::of_transformed(samples, (question.side, question.rule), p_values);
        let outcome = usable(&transformed, samples, question)
            .map_err(|why| reasons.push(format!("after a Box–Cox transform: {why}")));
        self.transformed = Some(transformed);
        if let Ok((bound, percentiles)) = outcome {
            self.percentiles = Some(percentiles);
            return keep_or(bound, PublishedDecision::Tail { bound });
        }
        let empirical = Empirical::learn(samples, question.side, question.domain);
        self.empirical = Some(empirical);
        match empirical {
            Ok(Empirical { bound, .. }) => {
                return keep_or(bound, PublishedDecision::Empirical { bound });
            }
            Err(why) => reasons.push(format!("extreme: {why}")),
        }
        match question.declared {
            Some(declared) => self.rerun(samples, question, declared),
            None => {
                reasons.push("reruns: they need the bound that the source declares".to_owned());
                PublishedDecision::Refuse {
                    reason: reasons.join("; "),
                }
            }
        }
    }

    /// Reruns for the observed failure rate, or without failures for that of the tail at the declared bound.
    fn rerun(
        &self,
        samples: &Samples,
        question: &PublishedQuestion,
        declared: f64,
    ) -> PublishedDecision {
        let keep = PublishedDecision::Keep {
            declared,
            bound: None,
        };
        let unknown = |samples: usize| PublishedDecision::Refuse {
            reason: format!(
                "no tail can be fitted, and that none of {samples} samples fails the declared bound does not show that it is looser than needed; take more samples"
            ),
        };
        let failures = samples.count_beyond(question.side, declared);
        let tails = [Some(&self.tail), self.transformed.as_ref()];
        let (failure_rate, evidence) = if failures > 0 {
            let rate = failures as f64 / samples.len() as f64;
            (rate, RateSource::Observed)
        } else {
            let fitted = tails.into_iter().flatten().flatten().next();
            match fitted.and_then(|tail| tail.probability_beyond(declared)) {
                Some(rate) => (rate, RateSource::Tail),
                None => return unknown(samples.len()),
            }
        };
        if failure_rate <= question.confidence.false_alarm_rate() {
            return keep;
        }
        match runs_until_pass(failure_rate, question.confidence.value()) {
            Ok(runs) => PublishedDecision::Rerun {
                failure_rate,
                evidence,
                runs,
            },
            Err(_) => PublishedDecision::Refuse {
                reason: format!(
                    "all {} samples fail the declared bound {declared}, so that no number of reruns helps; correct the bound or the code",
                    samples.len()
                ),
            },
        }
    }
}

/// The bound and the percentiles of a tail that can bear them.
fn usable<'a>(
    tail: &'a Result<PublishedTail, NoTail>,
    samples: &Samples,
    question: &PublishedQuestion,
) -> Result<(f64, [f64; PERCENTILES.len()]), NoBound<'a>> {
    let tail = tail.as_ref().map_err(NoBound::NoTail)?;
    if tail.kind == TailKind::Heavy {
        return Err(NoBound::Heavy);
    }
    // Nearer to the middle than the threshold the samples speak for themselves.
    let quantile = |beyond: f64| {
        let of_samples = || match question.side {
            Side::Lower => samples.quantile(beyond),
            Side::Upper => samples.quantile(1.0 - beyond),
        };
        let value = tail.quantile_above(beyond).or_else(of_samples);
        value.unwrap_or(f64::NAN)
    };
    let bound = quantile(question.confidence.false_alarm_rate());
    let inside = question
        .domain
        .is_none_or(|domain| domain.leaves_room_beyond(question.side, bound));
    if !bound.is_finite() || !inside {
        return Err(NoBound::NotInside(bound));
    }
    Ok((bound, PERCENTILES.map(|p| quantile(1.0 - p))))
}

#[cfg(test)]
mod tests;
