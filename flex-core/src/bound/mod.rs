//! The default bound: a guard and a ceiling for each side of a site (docs/design/bound.md).

pub mod ceiling;
pub mod confidence;
pub mod declared;
pub mod guard;
pub mod keep;
pub mod power;
pub mod race;
pub mod reach;
pub mod strategy;
mod strays;
#[cfg(feature = "search")]
pub mod tail_band;
pub mod tail_rate;

use crate::bound::ceiling::{Ceiling, NoCeiling, Promise, TailKnowledge};
use crate::bound::confidence::{Confidence, Share, assurance_of_each};
use crate::bound::guard::{Guard, GuardTerms, NoGuard, Settling};
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
    /// What the false-alarm rate of the ceiling is a promise about.
    pub promise: Promise,
    /// How a value beyond the guard is settled.
    pub settling: Settling,
    /// The most reruns of a race.
    pub most_reruns: u32,
    /// Sides of sites that are to keep their rates together, with the assurance: all that the test has.
    pub together: u32,
}

/// The parts of a side's false-alarm rate. Races need little of it, because their price is a logarithm.
const RACE_PART: f64 = 0.1;
const STRAYS_PART: f64 = 0.1;
/// The ceiling's part, beside a guard.
pub const CEILING_PART: f64 = 0.8;

/// The most reruns of a race, where runs take no time to speak of.
pub const MOST_RERUNS: u32 = 100;

impl Question {
    /// The question of a test with one learned site and nothing else said.
    pub fn new(tail: Tail, confidence: Confidence) -> Self {
        Question {
            tail,
            share: Share::whole(confidence),
            domain: None,
            light: false,
            promise: Promise::Assured,
            settling: Settling::Replay,
            most_reruns: MOST_RERUNS,
            together: tail.sides().len() as u32,
        }
    }

    /// What the guard of a side may spend.
    pub(crate) fn guard_terms(&self) -> GuardTerms {
        let share = self.share.per_side(self.tail);
        GuardTerms {
            race: RACE_PART * share.false_alarm_rate,
            strays: STRAYS_PART * share.false_alarm_rate,
            effort: share.effort,
            settling: self.settling,
            most_reruns: self.most_reruns,
            assurance: assurance_of_each(self.together),
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
        LearnedBound::learn_pooled([least, greatest], [least, greatest], question)
    }

    /// The same, where more samples are known for the ceilings than for the guards: those of earlier runs beside those of
    /// this calibration. The least of each run come before the greatest.
    pub fn learn_pooled(
        samples: [&Samples; 2],
        pooled: [&Samples; 2],
        question: &Question,
    ) -> LearnedBound {
        let place = |side: Side| match side {
            Side::Lower => 0,
            Side::Upper => 1,
        };
        let of = |side: Side| samples[place(side)];
        let sides = question.tail.sides();
        let shown = of(sides[sides.len() - 1]);
        LearnedBound {
            samples: shown.len(),
            median: shown.median().unwrap_or(f64::NAN),
            sides: sides
                .iter()
                .map(|side| SideBound::learn(of(*side), pooled[place(*side)], *side, question))
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
        guards.fold(0.0, |sum, guard| sum + guard.extra_runs)
    }
}

impl SideBound {
    fn learn(samples: &Samples, pooled: &Samples, side: Side, question: &Question) -> SideBound {
        let median = samples.median().unwrap_or(f64::NAN);
        if let Some(outside) = question.domain.and_then(|domain| samples.outside(domain)) {
            return SideBound::contradicted(side, outside, median);
        }
        let share = question.share.per_side(question.tail);
        // Without a guard, the ceiling has all of the budget.
        let for_ceiling = match share.effort > 0.0 {
            true => CEILING_PART * share.false_alarm_rate,
            false => share.false_alarm_rate,
        };
        let terms = question.guard_terms();
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
            ..TailKnowledge::default()
        };
        // Samples may be outside of the domain by noise in their last bits; a bound is not.
        let clamp = |bound: f64| question.domain.map_or(bound, |domain| domain.clamp(bound));
        let guard = Guard::learn(&oriented, &ties, &terms, end)
            .map(|guard| guard.map_bounds(|bound| clamp(side.orient(bound))))
            .map_err(|why| match why {
                NoGuard::Vacuous { end } => NoGuard::Vacuous {
                    end: side.orient(end),
                },
                other => other,
            });
        let all = pooled.orient(side);
        let all_ties = Ties::new(&all.values);
        let ceiling = Ceiling::learn(pooled, &all, &all_ties, (side, for_ceiling), knowledge).map(
            |ceiling| Ceiling {
                bound: clamp(ceiling.bound),
                ..ceiling
            },
        );
        SideBound {
            side,
            median,
            guard: match (guard, &ceiling) {
                // Beyond the ceiling nothing is in doubt.
                (Ok(guard), Ok(ceiling)) if side.is_beyond(guard.bound, ceiling.bound) => {
                    Ok(Guard {
                        bound: ceiling.bound,
                        ..guard
                    })
                }
                (guard, _) => guard,
            },
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
mod tests;
