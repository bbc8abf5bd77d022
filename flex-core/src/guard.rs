//! The guard: a distribution-free bound with confirmation (DESIGN §4.2).
//!
//! The guard is the order statistic x₍ₙ₋ᵣ₎. The probability q that a run is beyond it has the law Beta(r+1, n−r)
//! whatever the distribution (Wilks 1941), stochastically less with ties. The race turns q into a false-alarm rate
//! F(q). [`GuardPlan::choose`] picks r and the number of hits K; it looks at no sample.

use std::fmt;

use crate::confidence::ASSURANCE;
use crate::race::{MAX_HITS, level, mean_extra_runs, regression_rate};
use crate::sample::{Oriented, OutsideDomain};
use crate::special::{binomial_cdf, largest_rank_within, normal_isf, normal_sf};
use crate::tail::Side;
use crate::text::run_list;
use crate::ties::Ties;

/// Shifts, in standard deviations, at which power is reported.
pub const POWER_SHIFTS: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

/// The tight tier of a learned bound: beyond it, the test is rerun.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guard {
    /// A sample beyond this starts a race.
    pub bound: f64,
    /// How the race is run, and what it catches and costs.
    pub plan: GuardPlan,
}

/// The guard's two numbers, and what follows from them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuardPlan {
    /// K: hits that make a regression.
    pub hits: u32,
    /// r: the samples above the guard's place in the order.
    pub rank: usize,
    /// The probability of a regression verdict after a shift by 1, 2, 3 and 4 standard deviations.
    ///
    /// Normal reference, averaged over the law of q.
    pub power: [f64; 4],
    /// Expected reruns per run of unchanged code, averaged over the law of q.
    pub extra_runs: f64,
}

/// Why a side has no guard.
#[derive(Debug, Clone, PartialEq)]
pub enum NoGuard {
    /// The effort is 0: the user asked for a ceiling only.
    NoEffort,
    /// The largest value of so few runs says too little.
    TooFewRuns {
        /// Runs there are.
        runs: usize,
        /// Runs that would do.
        needed: usize,
    },
    /// So many values are not finite that the bound would not be either.
    NotFinite {
        /// Runs whose value is NaN, or infinite in the direction of the tail.
        beyond: Vec<u32>,
        /// Runs there are.
        runs: usize,
    },
    /// The guard would lie at the end of the domain, where nothing is beyond it.
    Vacuous {
        /// The end of the domain.
        end: f64,
    },
    /// The samples contradict the declared domain.
    OutsideDomain(OutsideDomain),
}

impl fmt::Display for NoGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoGuard::NoEffort => write!(f, "the effort is 0, so there is no guard"),
            NoGuard::TooFewRuns { runs, needed } => {
                write!(
                    f,
                    "{runs} runs are too few for a guard; it needs {needed}, or a lower confidence, or a higher effort"
                )
            }
            NoGuard::NotFinite { beyond, runs } => write!(
                f,
                "{} of {runs} values are NaN or infinite, so no finite guard exists; look at {}",
                beyond.len(),
                run_list(beyond)
            ),
            NoGuard::Vacuous { end } => write!(
                f,
                "so many values are at the end of the domain ({end}) that a guard would lie there, where nothing is beyond it"
            ),
            NoGuard::OutsideDomain(outside) => outside.fmt(f),
        }
    }
}

impl Guard {
    /// The guard of one side, for a false-alarm `budget` and an `effort` in expected extra runs per run.
    ///
    /// `end` is the end of the domain, seen as an upper end like the samples.
    pub(crate) fn learn(
        samples: &Oriented,
        ties: &Ties,
        (budget, effort): (f64, f64),
        end: Option<f64>,
    ) -> Result<Guard, NoGuard> {
        let runs = samples.len();
        let plan = GuardPlan::choose(runs, budget, effort)?;
        let bound = samples
            .from_top(plan.rank)
            .ok_or_else(|| NoGuard::NotFinite {
                beyond: samples.unbounded.clone(),
                runs,
            })?;
        match end {
            Some(end) if bound >= end => Err(NoGuard::Vacuous { end }),
            _ => Ok(Guard {
                bound: ties.representative(bound),
                plan,
            }),
        }
    }

    /// The guard as the user sees it, on its own side.
    pub(crate) fn on(self, side: Side) -> Guard {
        Guard {
            bound: side.orient(self.bound),
            ..self
        }
    }
}

impl GuardPlan {
    /// K and r for `runs` samples.
    ///
    /// For each K, r is the largest that keeps the budget with the assurance and the effort on average. Among the K
    /// whose power against a shift of two standard deviations is within 0.02 of the best, the largest r wins.
    pub fn choose(runs: usize, budget: f64, effort: f64) -> Result<GuardPlan, NoGuard> {
        if effort <= 0.0 {
            return Err(NoGuard::NoEffort);
        }
        let ranks = ranks(runs, budget, effort);
        let mut powers = [0.0; MAX_HITS];
        let mut shifted: Option<(usize, ShiftedRates)> = None;
        for (index, rank) in ranks.iter().enumerate() {
            let Some(rank) = *rank else { continue };
            if !shifted.as_ref().is_some_and(|(known, _)| *known == rank) {
                shifted = Some((rank, ShiftedRates::new(runs, rank, 2.0)));
            }
            if let Some((_, rates)) = &shifted {
                powers[index] = rates.power(index + 1);
            }
        }
        let best = powers.iter().copied().fold(0.0, f64::max);
        let (index, rank) = (0..MAX_HITS)
            .filter(|index| powers[*index] >= best - 0.02)
            .filter_map(|index| Some((index, ranks[index]?)))
            .reduce(|a, b| if b.1 > a.1 { b } else { a })
            .ok_or_else(|| NoGuard::TooFewRuns {
                runs,
                needed: runs_needed(budget, effort),
            })?;
        let hits = index + 1;
        let power = POWER_SHIFTS.map(|shift| {
            if shift == 2.0 {
                powers[index]
            } else {
                ShiftedRates::new(runs, rank, shift).power(hits)
            }
        });
        Ok(GuardPlan {
            hits: hits as u32,
            rank,
            power,
            extra_runs: mean_extra_runs(hits, (rank + 1) as f64, (runs - rank) as f64),
        })
    }
}

/// Per K (index K−1), the largest r that keeps budget and effort.
fn ranks(runs: usize, budget: f64, effort: f64) -> [Option<usize>; MAX_HITS] {
    let mut ranks = [None; MAX_HITS];
    if runs == 0 {
        return ranks;
    }
    let within = |hits: usize, rank: usize| {
        mean_extra_runs(hits, (rank + 1) as f64, (runs - rank) as f64) <= effort
    };
    // The most hits cost the most reruns and so allow the smallest r; each smaller K goes on from there.
    let mut affordable = partition(runs, |rank| within(MAX_HITS, rank));
    for hits in (1..=MAX_HITS).rev() {
        while affordable < runs && within(hits, affordable) {
            affordable += 1;
        }
        let Some(by_effort) = affordable.checked_sub(1) else {
            continue;
        };
        let level = level(hits, budget);
        ranks[hits - 1] = if binomial_cdf(runs, level, by_effort) <= 1.0 - ASSURANCE {
            Some(by_effort)
        } else {
            largest_rank_within(runs, level, 1.0 - ASSURANCE).map(|rank| rank.min(by_effort))
        };
    }
    ranks
}

/// How many of 0, 1, 2, … below `limit` satisfy a predicate that never becomes true again.
fn partition(limit: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, limit);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The smallest number of runs for which a guard exists.
fn runs_needed(budget: f64, effort: f64) -> usize {
    let exists = |runs: usize| ranks(runs, budget, effort).iter().any(Option::is_some);
    let mut enough = 1;
    while !exists(enough) && enough < 1 << 30 {
        enough *= 2;
    }
    partition(enough, |runs| !exists(runs))
}

/// The law of the probability that a run is beyond the guard, after the values moved by some standard deviations.
struct ShiftedRates {
    rates: [f64; ShiftedRates::NODES],
    weights: [f64; ShiftedRates::NODES],
}

impl ShiftedRates {
    const NODES: usize = 16;

    /// q ~ Beta(r+1, n−r) at equally spaced logits, where the trapezoidal rule converges geometrically.
    fn new(runs: usize, rank: usize, shift: f64) -> Self {
        let (a, b) = ((rank + 1) as f64, (runs - rank) as f64);
        let spread = (1.0 / a + 1.0 / b).sqrt();
        // A small `a` has a long left tail in the logit, a large one is nearly normal.
        let from = if rank < 4 { -9.0 } else { -5.0 };
        let to = if runs - rank < 4 { 9.0 } else { 5.0 };
        let step = (to - from) / (Self::NODES - 1) as f64;
        let centre = (a / b).ln();
        let mut nodes = ShiftedRates {
            rates: [0.0; Self::NODES],
            weights: [0.0; Self::NODES],
        };
        let peak = a * (a / (a + b)).ln() + b * (b / (a + b)).ln();
        let mut total = 0.0;
        for node in 0..Self::NODES {
            let logit = centre + spread * (from + step * node as f64);
            let q = 1.0 / (1.0 + (-logit).exp());
            let weight = (a * q.ln() + b * (-q).ln_1p() - peak).exp();
            total += weight;
            nodes.weights[node] = weight;
            nodes.rates[node] = normal_sf(normal_isf(q) - shift);
        }
        for weight in &mut nodes.weights {
            *weight /= total;
        }
        nodes
    }

    /// The probability that a run of the moved code ends in a regression.
    fn power(&self, hits: usize) -> f64 {
        self.rates
            .iter()
            .zip(&self.weights)
            .map(|(rate, weight)| weight * regression_rate(hits, *rate))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of DESIGN §4.2: one site, effort 0.3, half of 1 − C.
    #[test]
    fn choices_are_those_of_the_design() {
        let table = [
            (30, 0.99, 6, 5, 0.60),
            (30, 0.999, 11, 5, 0.58),
            (30, 0.9999, 12, 4, 0.50),
            (30, 0.99999, 11, 2, 0.29),
            (100, 0.99, 5, 21, 0.67),
            (100, 0.999, 9, 21, 0.66),
            (100, 0.9999, 12, 20, 0.64),
            (100, 0.99999, 12, 15, 0.52),
            (300, 0.99, 5, 66, 0.68),
            (300, 0.999, 8, 65, 0.67),
            (300, 0.9999, 11, 65, 0.67),
            (300, 0.99999, 12, 55, 0.60),
            (1000, 0.99, 5, 222, 0.69),
            (1000, 0.999, 7, 220, 0.68),
            (1000, 0.9999, 10, 220, 0.67),
            (1000, 0.99999, 12, 204, 0.64),
        ];
        for (runs, confidence, hits, rank, power) in table {
            let plan = GuardPlan::choose(runs, (1.0 - confidence) / 2.0, 0.3).unwrap();
            assert_eq!(
                (plan.hits, plan.rank),
                (hits, rank),
                "n {runs}, C {confidence}, {plan:?}"
            );
            assert!(
                (plan.power[1] - power).abs() <= 0.0051,
                "{runs} {confidence} {plan:?}"
            );
            assert!(plan.extra_runs <= 0.3);
        }
    }

    #[test]
    fn power_is_the_integral_over_the_law_of_q() {
        for (runs, rank, hits) in [(30, 0, 3), (30, 5, 6), (100, 20, 12), (1000, 222, 5)] {
            for shift in POWER_SHIFTS {
                let (a, b) = ((rank + 1) as f64, (runs - rank) as f64);
                let steps = 400_000;
                let (mut sum, mut mass) = (0.0, 0.0);
                for i in 0..steps {
                    let q = (i as f64 + 0.5) / steps as f64;
                    let density = ((a - 1.0) * q.ln() + (b - 1.0) * (-q).ln_1p()).exp();
                    mass += density;
                    sum += density * regression_rate(hits, normal_sf(normal_isf(q) - shift));
                }
                let got = ShiftedRates::new(runs, rank, shift).power(hits);
                assert!(
                    (got - sum / mass).abs() < 2e-4,
                    "{runs} {rank} {shift}: {got} {}",
                    sum / mass
                );
            }
        }
    }

    #[test]
    fn too_few_runs_say_how_many_would_do() {
        let Err(NoGuard::TooFewRuns { needed, .. }) = GuardPlan::choose(3, 5e-5, 0.3) else {
            panic!("three runs cannot carry a guard");
        };
        assert!(GuardPlan::choose(needed, 5e-5, 0.3).is_ok());
        assert!(GuardPlan::choose(needed - 1, 5e-5, 0.3).is_err());
        assert_eq!(
            GuardPlan::choose(100, 5e-5, 0.0),
            Err(NoGuard::NoEffort),
            "effort 0 means ceiling only"
        );
    }
}
