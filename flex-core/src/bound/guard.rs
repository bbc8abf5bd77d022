//! The guard: a distribution-free bound with confirmation (docs/design/bound.md, "The guard").
//!
//! The guard is the order statistic x₍ₙ₋ᵣ₎. The probability q that a run is beyond it has the law Beta(r+1, n−r)
//! whatever the distribution (Wilks 1941), stochastically less with ties. The race turns q into a false-alarm rate
//! F(q). [`GuardPlan::choose`] picks r and the number of hits K; it looks at no sample.

use std::fmt;

use crate::bound::confidence::ASSURANCE;
use crate::bound::race::{Hits, MAX_HITS, level, mean_extra_runs, regression_rate};
use crate::numeric::normal::{normal_isf, normal_sf};
use crate::numeric::special::{binomial_cdf, largest_rank_within};
use crate::sample::ties::Ties;
use crate::sample::{Oriented, OutsideDomain};
use crate::words::{count, run_list};

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
    pub hits: Hits,
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
    /// The false-alarm rate to keep is not between 0 and 1.
    NoBudget,
    /// The largest value of so few runs says too little.
    TooFewRuns {
        /// Runs there are.
        runs: usize,
        /// Runs that would do, at most [`MOST_RUNS`].
        needed: usize,
    },
    /// So many values are not finite that the bound would not be either.
    NotFinite {
        /// The runs with such a value.
        which: Vec<u32>,
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
            NoGuard::NoBudget => write!(
                f,
                "no guard keeps a false-alarm rate that is not between 0 and 1"
            ),
            NoGuard::TooFewRuns { runs, needed } => {
                let needed = if *needed < MOST_RUNS {
                    needed.to_string()
                } else {
                    "over a billion".to_owned()
                };
                write!(
                    f,
                    "{} too few for a guard; it needs {needed}, or a lower confidence, or a higher effort",
                    count(*runs, "run is", "runs are")
                )
            }
            NoGuard::NotFinite { which, runs } => write!(
                f,
                "{} of {runs} {} NaN or infinite, so no finite guard exists; look at {}",
                which.len(),
                if which.len() == 1 {
                    "values is"
                } else {
                    "values are"
                },
                run_list(which)
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
        let bound = match samples.nth_largest(plan.rank) {
            Ok(bound) => ties.representative(bound),
            Err(which) => {
                let which = which.to_vec();
                return Err(NoGuard::NotFinite { which, runs });
            }
        };
        match end {
            Some(end) if bound >= end => Err(NoGuard::Vacuous { end }),
            _ => Ok(Guard { bound, plan }),
        }
    }
}

impl GuardPlan {
    /// K and r for `runs` samples.
    ///
    /// For each K, r is the largest that keeps the budget with the assurance and the effort on average. Among the K
    /// whose power against a shift of two standard deviations is within 0.02 of the best, the largest r wins.
    pub fn choose(runs: usize, budget: f64, effort: f64) -> Result<GuardPlan, NoGuard> {
        if effort.is_nan() || effort <= 0.0 {
            return Err(NoGuard::NoEffort);
        }
        if budget.is_nan() || budget <= 0.0 || budget >= 1.0 {
            return Err(NoGuard::NoBudget);
        }
        let affordable = affordable_ranks(runs, effort);
        let mut candidates: [Option<Candidate>; MAX_HITS] = [None; MAX_HITS];
        let mut last: Option<Candidate> = None;
        let mut best = 0.0;
        for hits in Hits::descending() {
            let Some(limit) = affordable[hits.index()] else {
                continue;
            };
            let Some(rank) = rank_within(runs, level(hits, budget), limit) else {
                continue;
            };
            let law = match last {
                Some(last) if last.rank == rank => last.law,
                _ => BeyondLaw::new(runs, rank),
            };
            let power = law.power(hits, 2.0);
            best = f64::max(best, power);
            last = Some(Candidate {
                hits,
                rank,
                power,
                law,
            });
            candidates[hits.index()] = last;
            // Once the budget is what limits r, fewer hits only mean a smaller r and less power.
            if rank < limit && power < best - NEARLY_BEST {
                break;
            }
        }
        let Candidate {
            hits, rank, law, ..
        } = candidates
            .into_iter()
            .flatten()
            .filter(|candidate| candidate.power >= best - NEARLY_BEST)
            .reduce(|a, b| if b.rank > a.rank { b } else { a })
            .ok_or_else(|| NoGuard::TooFewRuns {
                runs,
                needed: runs_needed(budget, effort),
            })?;
        Ok(GuardPlan {
            hits,
            rank,
            power: POWER_SHIFTS.map(|shift| law.power(hits, shift)),
            extra_runs: mean_extra_runs(hits, (rank + 1) as f64, (runs - rank) as f64),
        })
    }
}

/// A number of hits with its r.
#[derive(Clone, Copy)]
struct Candidate {
    hits: Hits,
    rank: usize,
    power: f64,
    law: BeyondLaw,
}

/// Choices whose power is this close to the best are as good; the largest r among them wins.
const NEARLY_BEST: f64 = 0.02;

/// Per K (index K−1), the largest r that keeps the effort.
fn affordable_ranks(runs: usize, effort: f64) -> [Option<usize>; MAX_HITS] {
    let within = |hits: Hits, rank: usize| {
        mean_extra_runs(hits, (rank + 1) as f64, (runs - rank) as f64) <= effort
    };
    // The most hits cost the most reruns and so allow the smallest r; each smaller K goes on from there, in steps
    // that double until they have gone too far.
    let mut count = 0;
    let mut ranks = [None; MAX_HITS];
    for hits in Hits::descending() {
        let mut step = 1;
        while count + step <= runs && within(hits, count + step - 1) {
            count += step;
            step *= 2;
        }
        let end = (count + step).min(runs);
        count += partition(end - count, |more| within(hits, count + more));
        ranks[hits.index()] = count.checked_sub(1);
    }
    ranks
}

/// The largest r up to `limit` for which q stays within the level with the assurance.
fn rank_within(runs: usize, level: f64, limit: usize) -> Option<usize> {
    if binomial_cdf(runs, level, limit) <= 1.0 - ASSURANCE {
        Some(limit)
    } else {
        largest_rank_within(runs, level, 1.0 - ASSURANCE).map(|rank| rank.min(limit))
    }
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

/// More runs than this nobody makes.
pub const MOST_RUNS: usize = 1 << 30;

/// The smallest number of runs for which a guard exists, at most [`MOST_RUNS`].
fn runs_needed(budget: f64, effort: f64) -> usize {
    let exists = |runs: usize| {
        let affordable = affordable_ranks(runs, effort);
        Hits::descending().any(|hits| {
            affordable[hits.index()]
                .is_some_and(|limit| rank_within(runs, level(hits, budget), limit).is_some())
        })
    };
    let mut enough = 1;
    while enough < MOST_RUNS && !exists(enough) {
        enough *= 2;
    }
    partition(enough, |runs| !exists(runs))
}

/// The law of the probability q that a run is beyond the guard: Beta(r+1, n−r), as weighted nodes.
#[derive(Clone, Copy)]
struct BeyondLaw {
    /// The normal quantile of each node's q.
    places: [f64; BeyondLaw::NODES],
    weights: [f64; BeyondLaw::NODES],
}

impl BeyondLaw {
    const NODES: usize = 16;

    /// Equally spaced logits of q, where the trapezoidal rule converges geometrically.
    fn new(runs: usize, rank: usize) -> Self {
        let (a, b) = ((rank + 1) as f64, (runs - rank) as f64);
        let spread = (1.0 / a + 1.0 / b).sqrt();
        // A small `a` has a long left tail in the logit, a large one is nearly normal.
        let from = if rank < 4 { -9.0 } else { -5.0 };
        let to = if runs - rank < 4 { 9.0 } else { 5.0 };
        let step = spread * (to - from) / (Self::NODES - 1) as f64;
        let first = (a / b).ln() + spread * from;
        let peak = a * (a / (a + b)).ln() + b * (b / (a + b)).ln();
        let mut law = BeyondLaw {
            places: [0.0; Self::NODES],
            weights: [0.0; Self::NODES],
        };
        let mut total = 0.0;
        for node in 0..Self::NODES {
            let logit = first + step * node as f64;
            let odds_against = (-logit).exp();
            let ln_q = -odds_against.ln_1p();
            let weight = ((a + b) * ln_q - b * logit - peak).exp();
            total += weight;
            law.weights[node] = weight;
            law.places[node] = normal_isf(1.0 / (1.0 + odds_against));
        }
        for weight in &mut law.weights {
            *weight /= total;
        }
        law
    }

    /// The probability that a run ends in a regression after the values moved by `shift` standard deviations.
    fn power(&self, hits: Hits, shift: f64) -> f64 {
        let of_node = |(place, weight): (&f64, &f64)| {
            weight * regression_rate(hits, normal_sf(place - shift))
        };
        self.places.iter().zip(&self.weights).map(of_node).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of docs/design/bound.md, "The guard": one site, effort 0.3, half of 1 − C.
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
                (plan.hits.get(), plan.rank),
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
    fn stopping_early_never_changes_the_choice() {
        for runs in [5, 10, 17, 30, 50, 73, 100, 200, 300, 700, 1000, 3000] {
            for budget in [0.2, 0.05, 5e-3, 5e-4, 2e-4, 5e-5, 1e-5, 2.5e-6, 1e-8] {
                for effort in [2.0, 0.3, 0.15, 0.06, 0.015, 0.003] {
                    let affordable = affordable_ranks(runs, effort);
                    let all: Vec<(Hits, usize, f64)> = Hits::descending()
                        .filter_map(|hits| {
                            let limit = affordable[hits.index()]?;
                            let rank = rank_within(runs, level(hits, budget), limit)?;
                            let power = BeyondLaw::new(runs, rank).power(hits, 2.0);
                            Some((hits, rank, power))
                        })
                        .collect();
                    let best = all.iter().map(|c| c.2).fold(0.0, f64::max);
                    let expected = all
                        .iter()
                        .filter(|c| c.2 >= best - NEARLY_BEST)
                        .reduce(|a, b| if b.1 >= a.1 { b } else { a })
                        .map(|c| (c.0, c.1));
                    let got = GuardPlan::choose(runs, budget, effort)
                        .ok()
                        .map(|plan| (plan.hits, plan.rank));
                    assert_eq!(got, expected, "n {runs}, budget {budget}, effort {effort}");
                }
            }
        }
    }

    #[test]
    fn power_is_the_integral_over_the_law_of_q() {
        for (runs, rank, hits) in [(30, 0, 3), (30, 5, 6), (100, 20, 12), (1000, 222, 5)] {
            let hits = Hits::new(hits).unwrap();
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
                let got = BeyondLaw::new(runs, rank).power(hits, shift);
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
        let Err(none) = GuardPlan::choose(100, 1e-13, 1e-12) else {
            panic!("so little effort affords no guard");
        };
        assert!(none.to_string().contains("over a billion"), "{none}");
    }

    #[test]
    fn numbers_that_are_no_rate_or_effort_are_refused() {
        for budget in [0.0, -1.0, 1.0, 2.0, f64::NAN, f64::INFINITY] {
            assert_eq!(GuardPlan::choose(100, budget, 0.3), Err(NoGuard::NoBudget));
        }
        for effort in [0.0, -1.0, f64::NAN] {
            assert_eq!(GuardPlan::choose(100, 0.01, effort), Err(NoGuard::NoEffort));
        }
        assert!(GuardPlan::choose(100, 5e-324, f64::INFINITY).is_err());
    }

    #[test]
    fn ranks_that_the_effort_affords_agree_with_a_plain_search() {
        for runs in [0, 1, 2, 7, 50, 300] {
            for effort in [1e-9, 0.01, 0.3, 3.0, 100.0] {
                let ranks = affordable_ranks(runs, effort);
                for hits in Hits::descending() {
                    let within = |rank: &usize| {
                        mean_extra_runs(hits, (rank + 1) as f64, (runs - rank) as f64) <= effort
                    };
                    let plain = (0..runs).take_while(within).last();
                    assert_eq!(ranks[hits.index()], plain, "{runs} {effort} {hits}");
                }
            }
        }
    }
}
