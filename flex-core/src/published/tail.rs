//! The tail of the published method: its threshold, its kind and its quantiles (FLEX: Dutta, Shi & Misailovic 2021;
//! docs/design/published.md, "The tail").
//!
//! Each threshold needs 50 exceedances and a maximum likelihood fit; the lowest is taken that a rule over all their
//! Anderson–Darling tests does not reject. Candidates are spaced evenly in the logarithm of the number
//! of exceedances, because it is their ratio that moves a fit.

use std::fmt;

use crate::published::boxcox::{BoxCox, NoTransform};
use crate::published::gof::NoBootstrap;
use crate::published::threshold::{LEVEL, ThresholdRule};
use crate::sample::Samples;
use crate::tail::Side;

use super::threshold_fit::{LikelihoodRatio, NoThresholdFit, PValuesBy, ThresholdFit};

/// The fewest exceedances that the published method fits.
pub const FEWEST_EXCEEDANCES: usize = 50;

/// The largest number of thresholds tried.
const CANDIDATES: i32 = 16;

/// How heavy a tail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailKind {
    /// ξ < 0: the tail ends.
    Light,
    /// ξ ≥ 0, and the likelihood ratio does not tell it from an exponential.
    Exponential,
    /// ξ > 0, significantly.
    Heavy,
}

impl fmt::Display for TailKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TailKind::Light => "light",
            TailKind::Exponential => "exponential",
            TailKind::Heavy => "heavy",
        })
    }
}

/// A tail whose threshold was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedTail {
    /// The accepted fit, of the transformed samples where there is a transform, seen as an upper tail.
    pub fit: ThresholdFit,
    /// How heavy it is.
    pub kind: TailKind,
    /// Against the exponential.
    pub ratio: LikelihoodRatio,
    /// What the samples went through before.
    pub transform: Option<BoxCox>,
    /// Every threshold that could be fitted, from the highest downward.
    pub candidates: Vec<Candidate>,
    samples: usize,
    side: Side,
}

/// A threshold that was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The samples beyond it.
    pub exceedances: usize,
    /// The p-value of its Anderson–Darling test.
    pub p_value: f64,
    /// What the rule compares with its level.
    pub stop: f64,
}

/// Why there is no tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoTail {
    /// No threshold has 50 exceedances.
    TooFewExceedances {
        /// Samples there are.
        samples: usize,
    },
    /// Samples are NaN or infinite in the direction of the tail.
    NotFinite {
        /// How many.
        count: usize,
    },
    /// No threshold has a maximum likelihood fit.
    NoFit,
    /// No fit was accepted.
    Rejected {
        /// Thresholds tested.
        tested: usize,
    },
    /// The bootstrap gave no p-values.
    NoPValues(NoBootstrap),
    /// The samples cannot be transformed.
    NoTransform(NoTransform),
}

impl fmt::Display for NoTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoTail::TooFewExceedances { samples } => write!(
                f,
                "no threshold in a sample of {samples} has {FEWEST_EXCEEDANCES} different ones beyond it; take more samples"
            ),
            NoTail::NotFinite { count } => write!(
                f,
                "{} NaN or infinite; look at the runs they came from",
                crate::words::count(*count, "sample is", "samples are")
            ),
            NoTail::NoFit => f.write_str(
                "no threshold has a maximum likelihood fit; the largest values pile up at an end point",
            ),
            NoTail::Rejected { tested } => write!(
                f,
                "Anderson–Darling tests reject a generalised Pareto tail over all of {tested} thresholds"
            ),
            NoTail::NoPValues(why) => why.fmt(f),
            NoTail::NoTransform(why) => why.fmt(f),
        }
    }
}

impl PublishedTail {
    /// The tail of the samples as they are.
    pub(super) fn of(
        samples: &Samples,
        (side, rule): (Side, ThresholdRule),
        p_values: &mut PValuesBy<'_>,
    ) -> Result<PublishedTail, NoTail> {
        PublishedTail::choose(samples, (side, rule), None, p_values)
    }

    /// The tail of the samples after a Box–Cox transform.
    pub(super) fn of_transformed(
        samples: &Samples,
        (side, rule): (Side, ThresholdRule),
        p_values: &mut PValuesBy<'_>,
    ) -> Result<PublishedTail, NoTail> {
        let values: Vec<f64> = samples.finite().iter().map(|s| s.value).collect();
        let transform = BoxCox::maximum_likelihood(&values).map_err(NoTail::NoTransform)?;
        PublishedTail::choose(samples, (side, rule), Some(transform), p_values)
    }

    fn choose(
        samples: &Samples,
        (side, rule): (Side, ThresholdRule),
        transform: Option<BoxCox>,
        p_values: &mut PValuesBy<'_>,
    ) -> Result<PublishedTail, NoTail> {
        let oriented = samples.orient(side);
        if !oriented.unbounded.is_empty() {
            return Err(NoTail::NotFinite {
                count: oriented.unbounded.len(),
            });
        }
        let mut ascending = oriented.values;
        if let Some(transform) = transform {
            for value in &mut ascending {
                *value = side.orient(transform.forward(side.orient(*value)));
            }
        }
        // A transform with a λ far out leaves the range of floats.
        if !ascending.iter().all(|value| value.is_finite()) {
            return Err(NoTail::NoFit);
        }
        let (fits, tried) = fit_candidates(&ascending, p_values)?;
        if tried == 0 {
            return Err(NoTail::TooFewExceedances {
                samples: samples.len(),
            });
        }
        let p_of = |fit: &ThresholdFit| fit.p_values.anderson_darling;
        let tests: Vec<f64> = fits.iter().map(p_of).collect();
        let accepted = rule
            .lowest_accepted(&tests)
            .and_then(|index| fits.get(index));
        let Some(fit) = accepted else {
            return Err(match fits.len() {
                0 => NoTail::NoFit,
                tested => NoTail::Rejected { tested },
            });
        };
        let ratio = fit.against_exponential();
        let kind = if fit.fit.gpd.shape() < 0.0 {
            TailKind::Light
        } else if ratio.p_value > LEVEL {
            TailKind::Exponential
        } else {
            TailKind::Heavy
        };
        let candidates = fits.iter().zip(rule.values(&tests));
        Ok(PublishedTail {
            fit: *fit,
            kind,
            ratio,
            transform,
            candidates: candidates
                .map(|(fit, stop)| Candidate {
                    exceedances: fit.exceedances,
                    p_value: p_of(fit),
                    stop,
                })
                .collect(),
            samples: samples.len(),
            side,
        })
    }

    /// The part of the samples that are beyond the threshold.
    pub fn rate(&self) -> f64 {
        self.fit.exceedances as f64 / self.samples as f64
    }

    /// The threshold in the units of the samples.
    pub fn threshold(&self) -> f64 {
        self.back(self.fit.threshold)
    }

    /// The value that a run is beyond with probability p (Coles 2001, eq. 4.12); `None` if that is not in the tail.
    pub fn quantile_above(&self, p: f64) -> Option<f64> {
        let conditional = p / self.rate();
        if conditional.is_nan() || conditional > 1.0 {
            return None;
        }
        let excess = match self.kind {
            TailKind::Exponential => -self.fit.mean_excess * conditional.ln(),
            TailKind::Light | TailKind::Heavy => self.fit.fit.gpd.quantile_above(conditional),
        };
        Some(self.back(self.fit.threshold + excess))
    }

    /// The probability that a run is beyond `bound`; `None` if that is not in the tail.
    pub fn probability_beyond(&self, bound: f64) -> Option<f64> {
        let image = match self.transform {
            Some(transform) => transform.forward(bound),
            None => bound,
        };
        let excess = self.side.orient(image) - self.fit.threshold;
        if excess.is_nan() || excess < 0.0 {
            return None;
        }
        let conditional = match self.kind {
            TailKind::Exponential => (-excess / self.fit.mean_excess).exp(),
            TailKind::Light | TailKind::Heavy => self.fit.fit.gpd.survival(excess),
        };
        Some(self.rate() * conditional)
    }

    /// From the upper-tail view of the transformed samples to the units of the samples.
    fn back(&self, value: f64) -> f64 {
        let value = self.side.orient(value);
        self.transform
            .map_or(value, |transform| transform.back(value))
    }
}

/// The fits over the candidate thresholds, from the highest downward, and how many candidates there were.
fn fit_candidates(
    ascending: &[f64],
    p_values: &mut PValuesBy<'_>,
) -> Result<(Vec<ThresholdFit>, usize), NoTail> {
    let Some(most) = ascending.len().checked_sub(1) else {
        return Ok((Vec::new(), 0));
    };
    let ratio = most as f64 / FEWEST_EXCEEDANCES as f64;
    let (mut fits, mut tried, mut last) = (Vec::new(), 0, 0);
    for step in 0..CANDIDATES {
        let share = f64::from(step) / f64::from(CANDIDATES - 1);
        let wanted = (FEWEST_EXCEEDANCES as f64 * ratio.powf(share)).round() as usize;
        let wanted = wanted.min(most);
        // Where the threshold is tied, fewer samples are beyond it.
        let threshold = ascending[most - wanted];
        let beyond = ascending.len() - ascending.partition_point(|x| *x <= threshold);
        if beyond < FEWEST_EXCEEDANCES || beyond == last {
            continue;
        }
        last = beyond;
        tried += 1;
        match ThresholdFit::over(ascending, beyond, p_values) {
            Ok(fit) => fits.push(fit),
            // Another threshold may do; without p-values none will.
            Err(NoThresholdFit::NoPValues(why)) => return Err(NoTail::NoPValues(why)),
            Err(_) => {}
        }
    }
    Ok((fits, tried))
}
