//! Entries: what was learned about one site, and from what.

use std::fmt;
use std::str::FromStr;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::race::Race;
use flex_core::bound::strategy::Strategy;
use flex_core::tail::{Domain, Side, Tail};
use flex_core::words::plain;

use super::checksum::Checksum;
use super::key::Key;
use super::replay::Replay;

/// How many quantiles of the calibration's samples an entry keeps, to tell drift from chance later.
pub const QUANTILES: usize = flex_core::sample::QUANTILES.len();

/// What was learned about one site, and from what.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Which site this is about.
    pub key: Key,
    /// The site's share of its test's confidence.
    pub confidence: Confidence,
    /// The range that the user declared for the metric.
    pub domain: Option<Domain>,
    /// Whether the user promised a tail that is at most exponential.
    pub light: bool,
    /// The learned bounds, and with them the tail.
    pub sides: Sides,
    /// How many samples they were learned from.
    pub samples: u32,
    /// Those of them that are NaN or infinite, of which the quantiles do not tell.
    pub not_finite: u32,
    /// Values of earlier test runs that the ceilings rest on too.
    pub earlier: u32,
    /// Quantiles of those samples, ascending.
    pub quantiles: Option<[f64; QUANTILES]>,
    /// Whether every calibration run hit the site.
    pub reached: Reached,
    /// The effort that the test stated, which decides where the guards are.
    pub effort: Option<f64>,
    /// Calibration runs by which to see whether anything changed; `None` if values do not depend on the seed alone.
    pub replay: Option<Replay>,
    /// The hash of the test's source at calibration.
    pub fingerprint: Option<String>,
    /// The day on which the numbers last changed, as `YYYY-MM-DD`.
    pub calibrated: Option<String>,
    /// The calibration's base seed.
    pub base: Option<String>,
    /// What computed the bounds and drew the random numbers.
    pub engine: Option<String>,
    /// What the entry was when a calibration wrote it.
    pub checksum: Option<Checksum>,
    /// Whether a review decided that this site is not enforced (`accept = "unenforced"`).
    pub unenforced: bool,
    /// Whether somebody let a bound be learned though something speaks against its samples (`accept = "learned"`).
    pub accepted: bool,
}

impl Entry {
    /// The tail, or tails, that the site guards.
    pub fn tail(&self) -> Tail {
        self.sides.tail()
    }
}

/// The learned sides of a site: exactly those that its tail has.
#[derive(Debug, Clone, PartialEq)]
pub enum Sides {
    /// `x < _`.
    Upper(Learned),
    /// `x > _`.
    Lower(Learned),
    /// `_ < x < _`. In boxes, since most sites have one side and need no room for two.
    Both {
        /// What holds for small values.
        lower: Box<Learned>,
        /// What holds for large values.
        upper: Box<Learned>,
    },
}

impl Sides {
    /// The tail, or tails, that these are the sides of.
    pub fn tail(&self) -> Tail {
        match self {
            Sides::Upper(_) => Tail::Upper,
            Sides::Lower(_) => Tail::Lower,
            Sides::Both { .. } => Tail::Both,
        }
    }

    /// What was learned for `side`, if the site has it.
    pub fn get(&self, side: Side) -> Option<&Learned> {
        match (self, side) {
            (Sides::Upper(learned), Side::Upper) | (Sides::Lower(learned), Side::Lower) => {
                Some(learned)
            }
            (Sides::Both { upper, .. }, Side::Upper) => Some(upper),
            (Sides::Both { lower, .. }, Side::Lower) => Some(lower),
            _ => None,
        }
    }

    /// The sides that there are, the lower one first.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &Learned)> {
        let sides = match self {
            Sides::Upper(upper) => vec![(Side::Upper, upper)],
            Sides::Lower(lower) => vec![(Side::Lower, lower)],
            Sides::Both { lower, upper } => vec![(Side::Lower, &**lower), (Side::Upper, &**upper)],
        };
        sides.into_iter()
    }
}

/// What was learned for one side: a [`Strategy`] with the numbers that belong to it, and no others.
#[derive(Debug, Clone, PartialEq)]
pub enum Learned {
    /// The ceiling extrapolates the fitted tail.
    Tail(Bounds),
    /// The ceiling is an order statistic of the samples.
    Order(Bounds),
    /// The ceiling is the bootstrapped extreme of the samples.
    Empirical(Bounds),
    /// There is a guard and no ceiling.
    Guard {
        /// The only tier.
        guard: GuardBound,
        /// The tail, where one was fitted without giving a ceiling.
        fit: Option<Fit>,
        /// Why there is no ceiling.
        reason: Option<String>,
    },
    /// No bound: the test is rerun on failure.
    Rerun,
    /// The declared bound is fine.
    Keep,
    /// The mean over runs stays where it was.
    Mean(HeldBound),
    /// How often something is true stays where it was.
    Rate(HeldBound),
    /// Nothing could be learned.
    Refuse {
        /// Why not.
        reason: String,
    },
}

impl Learned {
    /// How this came about.
    pub fn strategy(&self) -> Strategy {
        match self {
            Learned::Tail(_) => Strategy::Tail,
            Learned::Order(_) => Strategy::Order,
            Learned::Empirical(_) => Strategy::Empirical,
            Learned::Guard { .. } => Strategy::Guard,
            Learned::Rerun => Strategy::Rerun,
            Learned::Keep => Strategy::Keep,
            Learned::Mean(_) => Strategy::Mean,
            Learned::Rate(_) => Strategy::Rate,
            Learned::Refuse { .. } => Strategy::Refuse,
        }
    }

    /// The bound that fails a test at once.
    pub fn ceiling(&self) -> Option<f64> {
        Some(self.bounds()?.ceiling)
    }

    /// The bound that starts a race.
    pub fn guard(&self) -> Option<&GuardBound> {
        match self {
            Learned::Guard { guard, .. } => Some(guard),
            _ => self.bounds()?.guard.as_ref(),
        }
    }

    /// What holds a mean or a rate, if that is what the side is for.
    pub fn held(&self) -> Option<&HeldBound> {
        match self {
            Learned::Mean(held) | Learned::Rate(held) => Some(held),
            _ => None,
        }
    }

    /// The fitted tail.
    pub fn fit(&self) -> Option<Fit> {
        match self {
            Learned::Guard { fit, .. } => *fit,
            _ => self.bounds()?.fit,
        }
    }

    /// Why something is missing that one might expect.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Learned::Guard { reason, .. } => reason.as_deref(),
            Learned::Refuse { reason } => Some(reason),
            _ => None,
        }
    }

    /// Both tiers for people: `guard 0.041  ceiling 0.093`.
    pub fn tiers(&self) -> String {
        self.tiers_as(plain)
    }

    /// The same, with numbers in other words.
    pub fn tiers_as(&self, words: impl Fn(f64) -> String) -> String {
        if let Some(held) = self.held() {
            return held.words(words);
        }
        let guard = self
            .guard()
            .map(|guard| format!("guard {}", words(guard.bound)));
        let ceiling = self
            .ceiling()
            .map(|ceiling| format!("ceiling {}", words(ceiling)));
        let tiers: Vec<String> = guard.into_iter().chain(ceiling).collect();
        tiers.join("  ")
    }

    fn bounds(&self) -> Option<&Bounds> {
        match self {
            Learned::Tail(bounds) | Learned::Order(bounds) | Learned::Empirical(bounds) => {
                Some(bounds)
            }
            _ => None,
        }
    }
}

/// The numbers of a side that has a ceiling.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// One sample beyond it in the first run fails the test.
    pub ceiling: f64,
    /// The tight tier; `None` if there is none, for want of effort or of runs.
    pub guard: Option<GuardBound>,
    /// The tail that was fitted to the samples.
    pub fit: Option<Fit>,
}

/// A mean or a rate, and the bound that holds it where it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldBound {
    /// What the mean over all runs may not pass.
    pub bound: f64,
    /// How far beyond it is still called fine.
    pub margin: f64,
    /// What it was at calibration.
    pub mean: f64,
    /// Where values end, by what the source says or by what calibration saw; a rate needs none.
    pub limits: Option<Domain>,
}

impl HeldBound {
    /// The numbers for people.
    fn words(&self, words: impl Fn(f64) -> String) -> String {
        let (bound, was, margin) = (words(self.bound), words(self.mean), words(self.margin));
        format!("bound {bound}  was {was}  margin {margin}")
    }
}

/// The guard as enforcement needs it: where a doubt begins, and what settles it.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardBound {
    /// A sample beyond this is in doubt.
    pub bound: f64,
    /// What settles the doubt, unless a replay does.
    pub race: Race,
    /// What settles whether a sample beyond all calibrated ones is a new mode; its cut is the last of the race's.
    pub strays: Option<Race>,
}

/// The generalised Pareto distribution fitted to the samples beyond a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Where the tail begins.
    pub threshold: f64,
    /// σ, greater than 0.
    pub scale: f64,
    /// ξ; negative for a tail that ends.
    pub shape: f64,
    /// How many samples were beyond the threshold.
    pub exceedances: u32,
}

/// Whether the calibration runs hit the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reached {
    /// All of them did, so a run that does not is suspicious.
    Always,
    /// Some did.
    Sometimes,
}

impl Reached {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Reached::Always => "always",
            Reached::Sometimes => "sometimes",
        }
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Reached {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "always" => Ok(Reached::Always),
            "sometimes" => Ok(Reached::Sometimes),
            _ => Err(format!(
                "`{text}` does not say how often a site is reached: write `always` or `sometimes`"
            )),
        }
    }
}
