//! The ceiling: a bound that a single run of unchanged code does not pass (docs/design/bound.md, "The ceiling").
//!
//! With enough samples it is an order statistic. With fewer, it extrapolates: a tolerance limit from the posterior
//! of a generalised Pareto tail, guarded against data that such a tail does not describe.

use std::borrow::Cow;
use std::fmt;

use crate::bound::confidence::ASSURANCE;
use crate::numeric::gamma::gamma_upper;
use crate::numeric::root::crossing;
use crate::numeric::special::largest_rank_within;
use crate::sample::second_mode::{LIKELY, SecondMode};
use crate::sample::ties::Ties;
use crate::sample::{Oriented, OutsideDomain, Samples};
use crate::tail::Side;
use crate::tail::gpd::{Gpd, hazard};
use crate::tail::posterior::{TailPosterior, exceedance_rates};
use crate::words::{count, run_list};

/// How sure it is to be that the true quantile lies under the ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Limit {
    /// With the assurance, whatever the model makes of the data.
    #[default]
    Assured,
    /// With this probability, if the model is right.
    Likely(f64),
}

impl Limit {
    /// The probability for an order statistic, which needs no model.
    fn of_order(self) -> f64 {
        match self {
            Limit::Assured => ASSURANCE,
            Limit::Likely(sure) => sure,
        }
    }

    /// The posterior probability for a tail fitted to n samples.
    ///
    /// It is more than the assurance, so that the assurance is kept by data whose tail the model describes only roughly;
    /// all the more if their excesses reach into the middle of the distribution, as those of few samples do.
    fn of_tail(self, n: usize) -> f64 {
        match self {
            Limit::Assured => 1.0 - 0.005 * (n as f64 / 100.0).min(1.0),
            Limit::Likely(sure) => sure,
        }
    }
}

/// The fewest excesses that a tail is fitted to.
pub(super) const FEWEST_EXCESSES: usize = 8;

/// A ceiling is tight when its margin over the typical quantile is at most this factor
/// (docs/design/bound.md, "When a ceiling is tight").
pub const TIGHT: f64 = 2.0;

/// The gap test refuses at this level.
const SECOND_MODE: f64 = 0.005;

/// What the false-alarm rate of the ceiling is a promise about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Promise {
    /// Each calibration keeps its rate with probability 0.99.
    #[default]
    Assured,
    /// The rates of many calibrations keep theirs on average (the predictive variant).
    Expected,
}

/// What is known of a tail beside its samples.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct TailKnowledge {
    /// The user promises a tail that falls off at least exponentially.
    pub light: bool,
    pub promise: Promise,
    pub limit: Limit,
    /// The end of the domain, seen as an upper end.
    pub end: Option<f64>,
}

/// The outer tier of a learned bound: one sample beyond it fails the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ceiling {
    /// A sample beyond this fails the test.
    pub bound: f64,
    /// The quantile that the bound covers, as the samples suggest it without a margin.
    pub typical: f64,
    /// The fitted tail, or `None` if the bound is an order statistic.
    pub fit: Option<TailFit>,
}

/// A tail over a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TailFit {
    /// Excesses are measured from here, in the direction of the tail.
    pub threshold: f64,
    /// The distribution of the excesses (posterior mean).
    pub excess: Gpd,
    /// The samples beyond the threshold.
    pub exceedances: usize,
}

/// Why a side has no ceiling.
#[derive(Debug, Clone, PartialEq)]
pub enum NoCeiling {
    /// Too few samples, or too few different ones, for a tail.
    TooFewRuns {
        /// Runs there are.
        runs: usize,
        /// Runs that would do.
        needed: usize,
    },
    /// Every sample is the same.
    Constant {
        /// Runs there are.
        runs: usize,
        /// The value of every run.
        value: f64,
    },
    /// Some samples are NaN or infinite, more often than the budget allows.
    NotFinite {
        /// The runs with such a value.
        which: Vec<u32>,
        /// Runs there are.
        runs: usize,
    },
    /// The largest samples stand apart from the rest.
    SecondMode {
        /// The runs of the samples that stand apart.
        apart: Vec<u32>,
        /// Runs there are.
        runs: usize,
        /// The side on which they stand.
        side: Side,
        /// Whether they are so far away that a bug is likely: a gap as wide as that of a fit that is refused is chance
        /// in a few of a hundred healthy samples.
        is_certain: bool,
    },
    /// The bound would reach the end of the domain, where nothing lies beyond it.
    Vacuous {
        /// The end of the domain.
        end: f64,
    },
    /// The values are so large or so unequal that the bound is not a finite number.
    Overflow,
    /// The samples contradict the declared domain.
    OutsideDomain(OutsideDomain),
}

impl fmt::Display for NoCeiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCeiling::TooFewRuns { runs, needed } => write!(
                f,
                "{} too few for a ceiling; it needs at least {needed}",
                count(*runs, "run is", "runs are")
            ),
            NoCeiling::Constant { runs, value } => write!(
                f,
                "constant in {} ({value}); consider an equality instead of a bound",
                count(*runs, "run", "runs")
            ),
            NoCeiling::NotFinite { which, runs } => write!(
                f,
                "{} of {runs} values {} NaN or infinite, too many for a ceiling at this confidence; look at {}",
                which.len(),
                if which.len() == 1 { "is" } else { "are" },
                run_list(which)
            ),
            NoCeiling::SecondMode {
                apart,
                runs,
                side,
                is_certain,
            } => {
                let extreme = match side {
                    Side::Upper => "largest",
                    Side::Lower => "smallest",
                };
                let which = run_list(apart);
                match (apart.len(), is_certain) {
                    (many, true) => write!(
                        f,
                        "the {many} {extreme} of {runs} values form a second cluster, which is often a bug; look at {which}"
                    ),
                    (1, false) => write!(
                        f,
                        "a gap sets the {extreme} of {runs} values ({which}) apart, as chance does in a few of a hundred samples, and no tail can be extrapolated across it"
                    ),
                    (many, false) => write!(
                        f,
                        "a gap sets the {many} {extreme} of {runs} values ({which}) apart, as chance does in a few of a hundred samples, and no tail can be extrapolated across it"
                    ),
                }
            }
            NoCeiling::Vacuous { end } => write!(
                f,
                "a ceiling would lie at the end of the domain ({end}), where nothing is beyond it"
            ),
            NoCeiling::Overflow => write!(
                f,
                "the values differ so wildly that a ceiling would not be a finite number"
            ),
            NoCeiling::OutsideDomain(outside) => outside.fmt(f),
        }
    }
}

/// What stops a ceiling, before the runs are named.
enum Obstacle {
    TooFew,
    Constant { value: f64 },
    NotFinite { which: Vec<u32> },
    SecondMode { apart: usize },
    Vacuous { end: f64 },
    Overflow,
}

impl Ceiling {
    /// The ceiling of one side, for a false-alarm rate of `p`.
    pub(crate) fn learn(
        samples: &Samples,
        oriented: &Oriented,
        ties: &Ties,
        (side, p): (Side, f64),
        knowledge: TailKnowledge,
    ) -> Result<Ceiling, NoCeiling> {
        let runs = samples.len();
        let ceiling = Ceiling::find(oriented, ties, p, knowledge);
        ceiling
            .map(|ceiling| ceiling.on(side))
            .map_err(|obstacle| match obstacle {
                Obstacle::TooFew => NoCeiling::TooFewRuns {
                    runs,
                    needed: 2 * FEWEST_EXCESSES,
                },
                Obstacle::Constant { value } => NoCeiling::Constant {
                    runs: oriented.values.len(),
                    value: side.orient(value),
                },
                Obstacle::NotFinite { which } => NoCeiling::NotFinite { which, runs },
                Obstacle::SecondMode { apart } => NoCeiling::SecondMode {
                    apart: samples.extreme_runs(side, apart),
                    runs,
                    side,
                    is_certain: apart > 1 && SecondMode::beyond(samples, side, LIKELY).is_some(),
                },
                Obstacle::Vacuous { end } => NoCeiling::Vacuous {
                    end: side.orient(end),
                },
                Obstacle::Overflow => NoCeiling::Overflow,
            })
    }

    /// How far the bound is from the median, as a multiple of how far the typical quantile is.
    pub fn margin(&self, median: f64) -> f64 {
        (self.bound - median) / (self.typical - median)
    }

    /// The ceiling as the user sees it, on its own side.
    fn on(self, side: Side) -> Ceiling {
        Ceiling {
            bound: side.orient(self.bound),
            typical: side.orient(self.typical),
            fit: self.fit.map(|fit| TailFit {
                threshold: side.orient(fit.threshold),
                ..fit
            }),
        }
    }

    fn find(
        samples: &Oriented,
        ties: &Ties,
        p: f64,
        knowledge: TailKnowledge,
    ) -> Result<Ceiling, Obstacle> {
        let n = samples.len();
        let not_finite = |which: &[u32]| Obstacle::NotFinite {
            which: which.to_vec(),
        };
        match samples.values.as_slice() {
            [] if n == 0 => return Err(Obstacle::TooFew),
            [first, .., last] if first == last && samples.unbounded.is_empty() => {
                return Err(Obstacle::Constant { value: *first });
            }
            _ => {}
        }
        if !samples.unbounded.is_empty() && 1.0 / n as f64 > p {
            return Err(not_finite(&samples.unbounded));
        }
        let ceiling = match largest_rank_within(n, p, 1.0 - knowledge.limit.of_order()) {
            Some(rank) => {
                let bound = samples.nth_largest(rank).map_err(not_finite)?;
                let typical = samples.nth_largest((n as f64 * p) as usize);
                Ceiling {
                    bound: ties.representative(bound),
                    typical: typical.unwrap_or(bound),
                    fit: None,
                }
            }
            None if samples.unbounded.is_empty() => extrapolate(samples, ties, p, knowledge)?,
            None => return Err(not_finite(&samples.unbounded)),
        };
        match knowledge.end {
            Some(end) if ceiling.bound >= end => Err(Obstacle::Vacuous { end }),
            _ if !ceiling.bound.is_finite() => Err(Obstacle::Overflow),
            _ => Ok(ceiling),
        }
    }
}

/// Whether more runs would bring a ceiling nearer to the quantile that it covers, or make it possible at all.
pub(crate) fn is_loose(ceiling: &Result<Ceiling, NoCeiling>, median: f64) -> bool {
    match ceiling {
        Ok(ceiling) => ceiling.fit.is_some() && ceiling.margin(median) > TIGHT,
        Err(NoCeiling::TooFewRuns { .. }) => true,
        Err(_) => false,
    }
}

/// The fewest runs whose order statistic keeps a rate of `p` with the assurance: ln 0.01 / ln(1 − p) (Wilks 1941).
pub fn runs_without_extrapolation(p: f64) -> f64 {
    ((1.0 - ASSURANCE).ln() / (-p).ln_1p()).ceil()
}

/// Ties, the tail, the second mode and the tolerance limit (docs/design/bound.md, "The ceiling").
fn extrapolate(
    samples: &Oriented,
    ties: &Ties,
    p: f64,
    knowledge: TailKnowledge,
) -> Result<Ceiling, Obstacle> {
    let n = samples.len();
    let wanted = exceedances(n);
    if samples.values.len() < 2 * wanted {
        return Err(if samples.harmless.is_empty() {
            Obstacle::TooFew
        } else {
            Obstacle::NotFinite {
                which: samples.harmless.clone(),
            }
        });
    }
    // Ties far below the tail do no harm; a tail with ties of its own is spread before it is fitted.
    let values: Cow<'_, [f64]> = if ties.reach(wanted + 1) {
        Cow::Owned(ties.spread())
    } else {
        Cow::Borrowed(&samples.values)
    };
    if !(values[values.len() - 1] - values[0]).is_finite() {
        return Err(Obstacle::Overflow);
    }
    let (threshold, excesses) = excesses_over(&values, wanted);
    let k = excesses.len();
    if k < FEWEST_EXCESSES {
        // Spread values are distinct but where floats are too coarse for it.
        return Err(Obstacle::Overflow);
    }
    if let Some(apart) = second_mode(&excesses) {
        return Err(Obstacle::SecondMode { apart });
    }
    let posterior = TailPosterior::new(&excesses, 0);
    let rates = exceedance_rates(k, n);
    let sure = knowledge.limit.of_tail(n);
    let [typical, limit] = posterior.excess_quantiles(p, &rates, [0.5, sure]);
    let excess = match knowledge {
        TailKnowledge { light: true, .. } => light_excess(&excesses, p, &rates),
        TailKnowledge {
            promise: Promise::Expected,
            ..
        } => posterior.predictive_excess(p, (k + 1) as f64 / (n + 1) as f64),
        _ => limit,
    };
    let (shape, scale) = posterior.mean();
    // A ceiling that a calibration run has passed would be refuted by its own samples; and since order statistics
    // take over at the largest sample, this keeps the ceiling monotone in the confidence.
    let largest = samples.values[samples.values.len() - 1];
    let bound = match values {
        Cow::Borrowed(_) => (threshold + excess).max(largest),
        Cow::Owned(_) => ties.gather((threshold + excess).max(largest)),
    };
    Ok(Ceiling {
        bound,
        typical: threshold + typical,
        fit: Some(TailFit {
            threshold,
            excess: Gpd::new(scale, shape).ok_or(Obstacle::Overflow)?,
            exceedances: k,
        }),
    })
}

/// k: how many of n samples make the tail.
pub(super) fn exceedances(n: usize) -> usize {
    let n = n as f64;
    ((0.2 * n).min(2.0 * n.sqrt()).ceil() as usize).max(FEWEST_EXCESSES)
}

/// The threshold with `wanted` of the ascending values above its place, and the excesses that are really over it.
pub(super) fn excesses_over(values: &[f64], wanted: usize) -> (f64, Vec<f64>) {
    let threshold = values[values.len() - 1 - wanted];
    let from = values.partition_point(|value| *value <= threshold);
    let excesses = values[from..].iter().map(|value| value - threshold);
    (threshold, excesses.collect())
}

/// How many of the largest ascending excesses stand apart from the others, if any do.
///
/// Under the tail that the others suggest, hazards are unit exponential, so their normalised spacings are too
/// (Rényi 1953), and the largest spacing has a known law (Fisher 1929).
fn second_mode(excesses: &[f64]) -> Option<usize> {
    let k = excesses.len();
    let (shape, scale) = TailPosterior::new(excesses, 2).mean();
    if shape <= -0.3 {
        return None;
    }
    let (mut previous, mut total) = (0.0, 0.0);
    let (mut widest, mut apart) = (0.0, 0);
    for (i, excess) in excesses.iter().enumerate() {
        let hazard = hazard(excess / scale, shape);
        let spacing = (k - i) as f64 * (hazard - previous);
        if spacing > widest {
            (widest, apart) = (spacing, k - i);
        }
        total += spacing;
        previous = hazard;
        if hazard.is_infinite() {
            return Some(k - i);
        }
    }
    let share = widest / total;
    (k as f64 * (1.0 - share).powi(k as i32 - 1) < SECOND_MODE).then_some(apart)
}

/// The tolerance limit under the promise of an at most exponential tail: g·ȳ with E[Q(k, k ln(ζ/p)/g)] = 0.99.
fn light_excess(excesses: &[f64], p: f64, rates: &[f64]) -> f64 {
    let k = excesses.len() as f64;
    let mean = excesses.iter().map(|y| y / k).sum::<f64>();
    let assurance = |g: f64| {
        let covered = |rate: &f64| {
            let needed = k * (rate / p).ln() / g;
            if needed > 0.0 {
                gamma_upper(k, needed)
            } else {
                1.0
            }
        };
        rates.iter().map(covered).sum::<f64>() / rates.len() as f64
    };
    let (mut low, mut high) = (1e-3, 1.0);
    while assurance(high) < ASSURANCE {
        (low, high) = (high, 2.0 * high);
    }
    mean * crossing(low, high, 1e-13, |g| assurance(g) - ASSURANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_statistics_begin_where_a_rank_exists() {
        // 90 samples for 95 % coverage with 99 % confidence are in Wilks's table.
        assert_eq!(runs_without_extrapolation(0.05), 90.0);
        for p in [0.2, 0.01, 5e-4] {
            let runs = runs_without_extrapolation(p) as usize;
            assert!(largest_rank_within(runs, p, 1.0 - ASSURANCE).is_some());
            assert!(largest_rank_within(runs - 1, p, 1.0 - ASSURANCE).is_none());
        }
    }
}
