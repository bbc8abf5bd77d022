//! What is claimed of the values of many runs, and what is wrong with a claim or with a value.

use std::fmt;

use crate::tail::{Domain, Side};

/// A statement about the law of runs, to be decided by making runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// The mean of a value lies in a range.
    Mean(MeanClaim),
    /// The probability of a yes lies in a range: values are 0 and 1, or shares between them.
    Rate(RateClaim),
    /// One of two things is no worse than the other by more than a margin, both measured in each run.
    NoWorse(NoWorseClaim),
    /// Values are drawn from a given law; runs show where they lie in it.
    Distributed(LawClaim),
    /// Two things are drawn from the same law, whatever it is.
    SameDistribution(LawClaim),
}

/// The values that a mean or a rate may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Allowed {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
    /// From the first to the second.
    Between(f64, f64),
}

impl Allowed {
    /// The ends, with the side of the allowed values on which each lies.
    pub(super) fn ends(self) -> impl Iterator<Item = (Side, f64)> {
        let (low, high) = match self {
            Allowed::AtMost(high) => (None, Some(high)),
            Allowed::AtLeast(low) => (Some(low), None),
            Allowed::Between(low, high) => (Some(low), Some(high)),
        };
        let low = low.map(|low| (Side::Lower, low));
        low.into_iter().chain(high.map(|high| (Side::Upper, high)))
    }
}

/// A claim about the mean over runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanClaim {
    /// The values that the mean may have.
    pub allowed: Allowed,
    /// How far beyond these a mean may lie and still be called fine: 0 or more.
    pub margin: f64,
    /// The values that a run can show. To find a mean too large needs a finite lower end, to find it fine a finite upper
    /// one, and the other way round.
    pub domain: Domain,
    /// What is done with values outside.
    pub outside: Outside,
}

/// What is done with a value outside of the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// The domain is a promise, and the value a [`Refusal`].
    Refused,
    /// The domain is learned from a calibration. On the side where a bet needs a limit, a value outside counts as the nearest
    /// one inside: what is decided is the mean of such values, which is the mean itself as far as nothing of it lies there.
    Clipped,
}

/// A claim about a probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateClaim {
    /// The values that the probability may have.
    pub allowed: Allowed,
    /// How far beyond these it may lie and still be called fine: 0 or more.
    pub margin: f64,
}

/// A claim about two values of each run: `first` is no worse than `second` by more than the margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoWorseClaim {
    /// The side on which values are worse: upper for errors, lower for scores.
    pub worse: Side,
    /// The difference that is still allowed, in the unit of the values: any finite number.
    pub margin: f64,
    /// What is looked at.
    pub by: PairedBy,
}

/// What of the differences is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairedBy {
    /// Signs and the ranks of sizes. Unchanged code is such that at every size, a plus is as likely as a minus: so for
    /// differences that are symmetric about the margin. Finds most.
    SignedRanks,
    /// Signs alone: the median, whatever the law.
    Signs,
}

/// A claim about a whole law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LawClaim {
    /// The Kolmogorov distance (the largest difference of the two distribution functions) below which laws are called fine;
    /// between 0 and 1.
    pub margin: f64,
}

impl LawClaim {
    /// Laws closer than a tenth are fine.
    pub const DEFAULT: LawClaim = LawClaim { margin: 0.1 };
}

/// How sure decisions are: both are probabilities of being wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// The probability that a claim that holds is ever called broken.
    pub broken: f64,
    /// The probability that one that is off by more than the margin is ever called fine.
    pub fine: f64,
}

impl Levels {
    /// With this false-alarm rate, and the usual level for "fine".
    pub fn new(false_alarm_rate: f64) -> Self {
        Levels {
            broken: false_alarm_rate,
            fine: 0.01,
        }
    }
}

/// A claim that cannot be decided, and why.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimError {
    /// A level is not a probability between 0 and 1.
    Level(f64),
    /// The margin is negative or no number.
    Margin(f64),
    /// The margin of a law is no distance between 0 and 1.
    Distance(f64),
    /// An end of the allowed values is no number, or they are the wrong way round.
    Allowed(Allowed),
    /// An end of the allowed values, with its margin, does not lie inside of the domain.
    NotInside {
        /// The end, or the end with its margin.
        bound: f64,
        /// The values that runs can show.
        domain: Domain,
    },
    /// The end of the domain that is needed to find a mean beyond this bound is infinite.
    NoLimit {
        /// The bound that could not be found broken.
        bound: f64,
        /// The end of the domain that is missing.
        missing: Side,
    },
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClaimError::Level(level) => write!(
                f,
                "{level} is not a probability of a wrong decision: it must lie strictly between 0 and 1"
            ),
            ClaimError::Margin(margin) => write!(
                f,
                "{margin} is not a margin: state a finite number, 0 or more, in the unit of the values"
            ),
            ClaimError::Distance(margin) => write!(
                f,
                "{margin} is not a distance of two laws: it must lie strictly between 0 and 1, like 0.1"
            ),
            ClaimError::Allowed(Allowed::Between(low, high)) => {
                write!(f, "nothing lies between {low} and {high}")
            }
            ClaimError::Allowed(Allowed::AtMost(bound) | Allowed::AtLeast(bound)) => {
                write!(f, "{bound} is not a bound: it must be a finite number")
            }
            ClaimError::NotInside { bound, domain } => write!(
                f,
                "{bound} does not lie inside of the domain {domain}, so that no runs could decide about it; \
                 change the bound, its margin or the domain"
            ),
            ClaimError::NoLimit { bound, missing } => write!(
                f,
                "a mean beyond {bound} cannot be found unless values have {} limit; state the domain",
                match missing {
                    Side::Lower => "a lower",
                    Side::Upper => "an upper",
                }
            ),
        }
    }
}

impl std::error::Error for ClaimError {}

/// A run that cannot be counted, and why. Nothing has changed by it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refusal {
    /// A value is not one that the claim allows runs to show.
    Outside {
        /// The value.
        value: f64,
        /// The values that runs can show.
        domain: Domain,
    },
    /// A value is not a number.
    NotANumber,
    /// The run shows no value, or a different number of each of two things.
    Count {
        /// The number of first values.
        first: usize,
        /// The number of second values.
        second: usize,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Outside { value, domain } => {
                write!(f, "{value} lies outside of the domain {domain}")
            }
            Refusal::NotANumber => write!(f, "the value is NaN, which has no mean and no place"),
            Refusal::Count {
                first: 0,
                second: 0,
            } => write!(f, "the run shows no value"),
            Refusal::Count { first, second } => write!(
                f,
                "the run shows {first} values of one thing and {second} of the other"
            ),
        }
    }
}

impl std::error::Error for Refusal {}
