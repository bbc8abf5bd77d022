//! The default bound: a guard and a ceiling for each side of a site (DESIGN §4.2).

use crate::ceiling::{Ceiling, NoCeiling, Promise, TailKnowledge};
use crate::confidence::{Confidence, Share};
use crate::guard::{Guard, NoGuard};
use crate::sample::{OutsideDomain, Samples};
use crate::strategy::Strategy;
use crate::tail::{Domain, Side, Tail};
use crate::ties::Ties;

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
        let outside = question.domain.and_then(|domain| samples.outside(domain));
        let learn_side = |side: &Side| match &outside {
            Some(outside) => SideBound::contradicted(*side, outside),
            None => SideBound::learn(samples, *side, question),
        };
        LearnedBound {
            samples: samples.len(),
            median: samples.median().unwrap_or(f64::NAN),
            sides: question.tail.sides().iter().map(learn_side).collect(),
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
        guards.map(|guard| guard.plan.extra_runs).sum()
    }
}

impl SideBound {
    fn learn(samples: &Samples, side: Side, question: &Question) -> SideBound {
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
        let guard = Guard::learn(&oriented, &ties, (for_guard, share.effort), end);
        SideBound {
            side,
            guard: guard.map(|guard| guard.on(side)),
            ceiling: Ceiling::learn(samples, &oriented, &ties, (side, for_ceiling), knowledge),
            lattice_step: ties.step(),
        }
    }

    fn contradicted(side: Side, outside: &OutsideDomain) -> SideBound {
        SideBound {
            side,
            guard: Err(NoGuard::OutsideDomain(outside.clone())),
            ceiling: Err(NoCeiling::OutsideDomain(outside.clone())),
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
            (Err(NoGuard::OutsideDomain(outside)), Err(_)) => Some(outside.to_string()),
            (Err(guard), Err(ceiling)) => Some(format!("{guard}; {ceiling}")),
        }
    }
}
