//! Claims about all runs together, as the macros write them down: what is claimed, and what a run drew.

mod drawn;
mod law;

use flex_bounds::claim::Family;
use flex_core::tail::{Domain, Side, Tail};
use flex_run::model::{ClaimSpec, Claimed as Claim, Comparison, Draws, Limit, Operator};

pub use drawn::{Drawn, DrawnByIterator, NoDraws, Outcomes};
pub use law::{Stated, forms};

/// What an assertion claims, before its options are looked at.
#[derive(Debug, Clone, Copy)]
pub enum BareClaim {
    /// A mean or a rate is compared with a bound.
    Bounded {
        /// The family.
        family: Family,
        /// How it is compared.
        operator: Operator,
        /// The bound.
        bound: f64,
    },
    /// A mean or a rate stays where it was.
    Held {
        /// The family.
        family: Family,
        /// The sides on which it may not move.
        tail: Tail,
    },
    /// A mean is near to a number.
    Near,
    /// A claim about whole laws, or about two things.
    Laws(Family),
}

/// The options of a claim. No number is evaluated before it is needed.
#[derive(Clone, Copy)]
pub struct ClaimSettings<'a> {
    /// `margin`.
    pub margin: Option<&'a dyn Fn() -> f64>,
    /// `within`.
    pub within: Option<&'a dyn Fn() -> f64>,
    /// `of`.
    pub of: Option<&'a dyn Fn() -> f64>,
    /// `max_runs`.
    pub max_runs: Option<&'a dyn Fn() -> u32>,
    /// `undecided = fail`.
    pub undecided_fails: bool,
    /// `draws = independent`.
    pub independent: bool,
    /// `better = higher`.
    pub higher_is_better: bool,
}

impl BareClaim {
    /// The claim with its options.
    pub(crate) fn spec(self, settings: &ClaimSettings<'_>, domain: Option<Domain>) -> ClaimSpec {
        let number = |number: Option<&dyn Fn() -> f64>| number.map(|number| number());
        let claimed = match self {
            BareClaim::Bounded {
                family,
                operator,
                bound,
            } => bounded(family, Limit::Declared(Comparison::new(operator, bound))),
            BareClaim::Held { family, tail } => bounded(family, Limit::Learned(tail)),
            BareClaim::Near => Claim::Mean(Limit::Near {
                of: number(settings.of).unwrap_or(f64::NAN),
                within: number(settings.within).unwrap_or(f64::NAN),
            }),
            BareClaim::Laws(Family::SameDistribution) => Claim::SameDistribution,
            BareClaim::Laws(Family::NoWorse) => Claim::NoWorse {
                worse: match settings.higher_is_better {
                    true => Side::Lower,
                    false => Side::Upper,
                },
            },
            BareClaim::Laws(_) => Claim::Distributed,
        };
        ClaimSpec {
            domain,
            margin: number(settings.margin),
            max_runs: settings.max_runs.map(|runs| runs()),
            undecided_fails: settings.undecided_fails,
            independent: settings.independent,
            ..ClaimSpec::new(claimed)
        }
    }

    /// The bound that is written out.
    pub(crate) fn bound(self) -> Option<f64> {
        match self {
            BareClaim::Bounded { bound, .. } => Some(bound),
            _ => None,
        }
    }
}

fn bounded(family: Family, limit: Limit) -> Claim {
    match family {
        Family::Rate => Claim::Rate(limit),
        _ => Claim::Mean(limit),
    }
}

/// What a run drew of one thing.
pub fn draws(first: Vec<f64>) -> Draws {
    Draws {
        first,
        second: Vec::new(),
    }
}

/// What a run drew of two things.
pub fn draws_of_two(first: Vec<f64>, second: Vec<f64>) -> Draws {
    Draws { first, second }
}
