//! The default bound: a guard and a ceiling for each side of a site (docs/design/bound.md).

pub mod ceiling;
pub mod confidence;
pub mod declared;
pub mod guard;
pub mod race;
pub mod reach;
pub mod strategy;
pub mod tail_rate;

use crate::bound::ceiling::{Ceiling, NoCeiling, Promise, TailKnowledge};
use crate::bound::confidence::{Confidence, Share};
use crate::bound::guard::{Guard, NoGuard};
use crate::bound::strategy::Strategy;
use crate::sample::ties::Ties;
use crate::sample::{OutsideDomain, Samples};
use crate::tail::{Domain, Side, Tail};

/// What is asked of a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// The tail to bound.
    pub tail: Tail,
    /// The site's share of its test's budget.
    pub share: Share,
    /// The range that the metric can take.
    pub domain: Option<Domain>,
    /// The user promises a tail that falls off at least exponentially.
    pub light: bool,
    /// What the false-alarm rate is a promise about.
    pub promise: Promise,
}

impl Question {
    /// The question of a test with one learned site and nothing else said.
    pub fn new(tail: Tail, confidence: Confidence) -> Self {
        Question {
            tail,
            share: Share::whole(confidence),
            domain: None,
            light: false,
            promise: Promise::Assured,
        }
    }
}

/// What was learned of a site.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedBound {
    /// The number of samples.
    pub samples: usize,
    /// The median of the finite samples; NaN without any.
    pub median: f64,
    /// One side, or the lower and the upper one.
    pub sides: Vec<SideBound>,
}

/// What was learned of one side of a site.
#[derive(Debug, Clone, PartialEq)]
pub struct SideBound {
    /// The side.
    pub side: Side,
    /// The median of this side's finite samples; NaN without any.
    pub median: f64,
    /// The tight tier with reruns.
    pub guard: Result<Guard, NoGuard>,
    /// The outer tier without.
    pub ceiling: Result<Ceiling, NoCeiling>,
    /// The step of the lattice that all samples lie on, if they do.
    pub lattice_step: Option<f64>,
}

impl LearnedBound {
    /// Learns the bound of one site from its samples.
    pub fn learn(samples: &Samples, question: &Question) -> LearnedBound {
        LearnedBound::learn_folded(samples, samples, question)
    }

    /// Learns the bound of a site whose hits were folded for each side of its own: the least and the greatest of
    /// each run. A one-sided question looks only at its own side.
    pub fn learn_folded(least: &Samples, greatest: &Samples, question: &Question) -> LearnedBound {
        let of = |side: Side| match side {
            Side::Lower => least,
            Side::Upper => greatest,
        };
        let sides = question.tail.sides();
        let shown = of(sides[sides.len() - 1]);
        LearnedBound {
            samples: shown.len(),
            median: shown.median().unwrap_or(f64::NAN),
            sides: sides
                .iter()
                .map(|side| SideBound::learn(of(*side), *side, question))
                .collect(),
        }
    }

    /// How the site as a whole is decided: refused if any side is, else by its least certain side.
    pub fn strategy(&self) -> Strategy {
        let of = |wanted: Strategy| self.sides.iter().any(|side| side.strategy() == wanted);
        [Strategy::Refuse, Strategy::Guard, Strategy::Tail]
            .into_iter()
            .find(|strategy| of(*strategy))
            .unwrap_or(Strategy::Order)
    }

    /// Why something is missing, for a person; `None` if nothing is.
    pub fn reason(&self) -> Option<String> {
        let mut reasons: Vec<String> = self.sides.iter().filter_map(SideBound::reason).collect();
        reasons.dedup();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Expected reruns per run of unchanged code, over both sides.
    pub fn extra_runs(&self) -> f64 {
        let guards = self
            .sides
            .iter()
            .filter_map(|side| side.guard.as_ref().ok());
        guards.fold(0.0, |sum, guard| sum + guard.plan.extra_runs)
    }
}

impl SideBound {
    fn learn(samples: &Samples, side: Side, question: &Question) -> SideBound {
        let median = samples.median().unwrap_or(f64::NAN);
        if let Some(outside) = question.domain.and_then(|domain| samples.outside(domain)) {
            return SideBound::contradicted(side, outside, median);
        }
        let share = question.share.per_side(question.tail);
        // Guard and ceiling get half of the budget each; without a guard, the ceiling has it all.
        let (for_guard, for_ceiling) = if share.effort > 0.0 {
            (0.5 * share.false_alarm_rate, 0.5 * share.false_alarm_rate)
        } else {
            (0.0, share.false_alarm_rate)
        };
        let oriented = samples.orient(side);
        let end = question
            .domain
            .map(|domain| side.orient(domain.end(side)))
            .filter(|end| end.is_finite());
        let ties = Ties::new(&oriented.values);
        let knowledge = TailKnowledge {
            light: question.light,
            promise: question.promise,
            end,
        };
        // Samples may be outside of the domain by noise in their last bits; a bound is not.
        let clamp = |bound: f64| question.domain.map_or(bound, |domain| domain.clamp(bound));
        let guard = Guard::learn(&oriented, &ties, (for_guard, share.effort), end)
            .map(|guard| Guard {
                bound: clamp(side.orient(guard.bound)),
                ..guard
            })
            .map_err(|why| match why {
                NoGuard::Vacuous { end } => NoGuard::Vacuous {
                    end: side.orient(end),
                },
                other => other,
            });
        let ceiling = Ceiling::learn(samples, &oriented, &ties, (side, for_ceiling), knowledge)
            .map(|ceiling| Ceiling {
                bound: clamp(ceiling.bound),
                ..ceiling
            });
        SideBound {
            side,
            median,
            guard,
            ceiling,
            lattice_step: ties.step(),
        }
    }

    fn contradicted(side: Side, outside: OutsideDomain, median: f64) -> SideBound {
        SideBound {
            side,
            median,
            guard: Err(NoGuard::OutsideDomain(outside.clone())),
            ceiling: Err(NoCeiling::OutsideDomain(outside)),
            lattice_step: None,
        }
    }

    /// How this side is decided.
    pub fn strategy(&self) -> Strategy {
        match (&self.ceiling, &self.guard) {
            (Ok(Ceiling { fit: Some(_), .. }), _) => Strategy::Tail,
            (Ok(_), _) => Strategy::Order,
            (Err(_), Ok(_)) => Strategy::Guard,
            (Err(_), Err(_)) => Strategy::Refuse,
        }
    }

    /// Why a tier is missing that was asked for, for a person; `None` if neither is.
    pub fn reason(&self) -> Option<String> {
        match (&self.guard, &self.ceiling) {
            (Ok(_), Ok(_)) | (Err(NoGuard::NoEffort), Ok(_)) => None,
            (Ok(_) | Err(NoGuard::NoEffort), Err(ceiling)) => Some(ceiling.to_string()),
            (Err(guard), Ok(_)) => Some(guard.to_string()),
            // Both for the same cause: it is said once.
            (Err(guard @ NoGuard::OutsideDomain(_)), Err(_))
            | (Err(guard @ NoGuard::Vacuous { .. }), Err(NoCeiling::Vacuous { .. })) => {
                Some(guard.to_string())
            }
            (Err(guard), Err(ceiling)) => Some(format!("{guard}; {ceiling}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::confidence::DEFAULT_EFFORT;

    /// Quantiles of an exponential: a sample without chance.
    fn exponential(n: usize) -> Vec<f64> {
        (0..n)
            .map(|i| -((i as f64 + 0.5) / n as f64).ln())
            .collect()
    }

    fn learn(values: &[f64], change: impl FnOnce(&mut Question)) -> LearnedBound {
        let mut question = Question::new(Tail::Upper, Confidence::DEFAULT);
        change(&mut question);
        LearnedBound::learn(&Samples::from_values(values), &question)
    }

    /// Asserts the strategy, and that the reason says `words` (or that there is none, for "").
    fn check(bound: &LearnedBound, strategy: Strategy, words: &str) {
        let reason = bound.reason().unwrap_or_default();
        assert_eq!(bound.strategy(), strategy, "{reason}");
        assert!(reason.contains(words), "{reason}");
        assert_eq!(words.is_empty(), reason.is_empty(), "{reason}");
    }

    #[test]
    fn a_regular_sample_gets_both_tiers() {
        let bound = learn(&exponential(100), |_| {});
        check(&bound, Strategy::Tail, "");
        let side = &bound.sides[0];
        let (guard, ceiling) = (side.guard.clone().unwrap(), side.ceiling.clone().unwrap());
        assert!(guard.bound < ceiling.bound);
        assert!(ceiling.typical < ceiling.bound);
        assert_eq!(ceiling.fit.unwrap().exceedances, 20);
        assert!(guard.plan.power.is_sorted() && guard.plan.extra_runs <= DEFAULT_EFFORT);
    }

    #[test]
    fn many_samples_need_no_extrapolation() {
        let bound = learn(&exponential(1000), |question| {
            question.share = Share::whole(Confidence::new(0.99).unwrap());
        });
        check(&bound, Strategy::Order, "");
    }

    #[test]
    fn a_second_cluster_is_refused_with_its_runs() {
        let mut values = exponential(97);
        values.extend([60.0, 61.0, 62.0]);
        let bound = learn(&values, |_| {});
        let words = "the 3 largest of 100 values form a second cluster, which is often a bug; look at runs 99, 98 and 97";
        check(&bound, Strategy::Guard, words);
        values.truncate(98);
        let words = "the largest of 98 values stands far apart from the rest, which is often a bug; look at run 97";
        check(&learn(&values, |_| {}), Strategy::Guard, words);
    }

    #[test]
    fn values_that_are_not_finite_are_named() {
        let mut values = exponential(100);
        values[7] = f64::NAN;
        values[57] = f64::INFINITY;
        let bound = learn(&values, |_| {});
        check(
            &bound,
            Strategy::Guard,
            "2 of 100 values are NaN or infinite",
        );
        assert!(bound.reason().unwrap().ends_with("look at runs 7 and 57"));
        values[..40].fill(f64::NAN);
        let bound = learn(&values, |_| {});
        check(&bound, Strategy::Refuse, "no finite guard exists");
    }

    #[test]
    fn a_constant_is_guarded_where_it_is() {
        let bound = learn(&[0.25; 100], |_| {});
        check(
            &bound,
            Strategy::Guard,
            "constant in 100 runs (0.25); consider an equality",
        );
        assert_eq!(bound.sides[0].guard.as_ref().unwrap().bound, 0.25);
    }

    #[test]
    fn a_bound_never_leaves_the_domain() {
        let values: Vec<f64> = exponential(100).iter().map(|x| x / 6.0).collect();
        let unit = Domain::new(0.0, 1.0).unwrap();
        let bound = learn(&values, |question| question.domain = Some(unit));
        check(
            &bound,
            Strategy::Guard,
            "a ceiling would lie at the end of the domain (1)",
        );
        let bound = learn(&values, |question| {
            question.domain = Some(unit);
            question.tail = Tail::Both;
        });
        for side in &bound.sides {
            assert!(unit.contains(side.guard.as_ref().unwrap().bound));
        }
    }

    #[test]
    fn samples_outside_of_the_domain_are_a_contradiction() {
        let mut values = exponential(100);
        values[3] = -0.5;
        let bound = learn(&values, |question| {
            question.domain = Some(Domain::new(0.0, f64::INFINITY).unwrap());
        });
        check(
            &bound,
            Strategy::Refuse,
            "1 value lies outside of the declared domain 0..inf, such as -0.5; look at run 3",
        );
    }

    #[test]
    fn values_at_the_end_of_the_domain_leave_nothing_to_guard() {
        let mut values = vec![1.0; 60];
        values.extend((0..40).map(|i| 0.01 * f64::from(i)));
        let bound = learn(&values, |question| {
            question.domain = Some(Domain::new(0.0, 1.0).unwrap());
        });
        check(
            &bound,
            Strategy::Refuse,
            "so many values are at the end of the domain (1)",
        );
    }

    #[test]
    fn a_light_tail_is_tighter_by_the_promise() {
        let ceiling = |light| {
            let bound = learn(&exponential(100), |question| question.light = light);
            bound.sides[0].ceiling.clone().unwrap().bound
        };
        assert!(ceiling(true) < 0.5 * ceiling(false));
    }

    #[test]
    fn the_predictive_ceiling_is_tighter_than_the_assured_one() {
        let ceiling = |promise| {
            let bound = learn(&exponential(1000), |question| question.promise = promise);
            bound.sides[0].ceiling.clone().unwrap().bound
        };
        assert!(ceiling(Promise::Expected) < ceiling(Promise::Assured));
    }

    #[test]
    fn without_effort_the_ceiling_has_the_whole_budget() {
        let bound = learn(&exponential(100), |question| question.share.effort = 0.0);
        check(&bound, Strategy::Tail, "");
        assert_eq!(bound.sides[0].guard, Err(NoGuard::NoEffort));
        let both = learn(&exponential(100), |_| {});
        let ceiling = |b: &LearnedBound| b.sides[0].ceiling.clone().unwrap().bound;
        assert!(ceiling(&bound) < ceiling(&both));
    }

    #[test]
    fn the_guard_is_never_beyond_the_ceiling() {
        // The bounds file refuses such an entry. Little effort leaves few ranks, low confidence a low ceiling; but
        // a single hit costs no rerun, and its rank is that of the ceiling.
        for confidence in [0.5, 0.8, 0.99, 0.999] {
            for effort in [1e-6, 0.002, 0.3, 5.0] {
                for n in [20, 100, 3000] {
                    let confidence = Confidence::new(confidence).unwrap();
                    let share = Share { confidence, effort };
                    let bound = learn(&exponential(n), |question| question.share = share);
                    if let (Ok(guard), Ok(ceiling)) =
                        (&bound.sides[0].guard, &bound.sides[0].ceiling)
                    {
                        assert!(guard.bound <= ceiling.bound, "{confidence} {effort} {n}");
                    }
                }
            }
        }
    }

    #[test]
    fn values_too_far_apart_for_a_difference_have_no_ceiling() {
        let mut values = exponential(100);
        values[..2].copy_from_slice(&[f64::MAX, f64::MIN]);
        let bound = learn(&values, |_| {});
        check(&bound, Strategy::Guard, "not be a finite number");
    }

    #[test]
    fn noise_at_the_end_of_the_domain_is_no_contradiction_and_no_bound() {
        let mut values: Vec<f64> = exponential(100).iter().map(|x| x / 50.0).collect();
        values[..60].fill(-1e-17);
        let bound = learn(&values, |question| {
            question.domain = Some(Domain::new(0.0, 1.0).unwrap());
            question.tail = Tail::Lower;
        });
        check(
            &bound,
            Strategy::Refuse,
            "so many values are at the end of the domain (0)",
        );
    }

    #[test]
    fn too_few_samples_say_how_many_are_needed() {
        for n in [0, 1, 2, 5] {
            let bound = learn(&exponential(n), |_| {});
            check(&bound, Strategy::Refuse, "too few for a guard; it needs ");
        }
    }

    #[test]
    fn counts_get_a_ceiling_that_is_a_count() {
        let values: Vec<f64> = exponential(100).iter().map(|x| (3.0 * x).floor()).collect();
        let bound = learn(&values, |_| {});
        check(&bound, Strategy::Tail, "");
        let ceiling = bound.sides[0].ceiling.clone().unwrap().bound;
        assert_eq!(ceiling, ceiling.floor());
        assert_eq!(bound.sides[0].lattice_step, Some(1.0));
    }
}
