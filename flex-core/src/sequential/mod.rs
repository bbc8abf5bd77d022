//! Claims about the law of many runs, decided by as many runs as the question needs
//! (docs/design/sequential.md).
//!
//! A [`Process`] takes one [`Observation`] a run and says after each whether the [`Claim`] is [`Decision::Broken`],
//! [`Decision::Fine`] or [`Decision::Undecided`] so far. Looking after every run costs nothing: what it keeps are
//! e-processes, which ever reach 1/α with probability α at most if the claim holds (Ville 1939). So whoever makes the runs
//! stops as soon as it is decided, or whenever there is no time left.
//!
//! ```
//! use flex_core::sequential::{Allowed, Claim, Decision, Levels, Observation, Process, RateClaim};
//!
//! // At least 90 % are solved; over 87 % is fine.
//! let claim = Claim::Rate(RateClaim { allowed: Allowed::AtLeast(0.9), margin: 0.03 });
//! let mut process = Process::new(&claim, Levels::new(1e-4))?;
//! let mut decision = Decision::Undecided;
//! for run in 0..1000 {
//!     let solved = if run % 2 == 0 { 1.0 } else { 0.0 };
//!     decision = process.push(Observation::one(&solved))?;
//!     if decision != Decision::Undecided {
//!         break;
//!     }
//! }
//! assert_eq!(decision, Decision::Broken);
//! assert!(process.runs() < 40);
//! // Two ends at the level of one each: the interval ends where the evidence does.
//! let estimate = process.estimate(2e-4).unwrap();
//! assert!(estimate.high < 0.9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | claim | a run shows (`first`, `second`) | broken | fine |
//! |---|---|---|---|
//! | [`Claim::Mean`] | values | the mean is not among those allowed | it is, up to the margin |
//! | [`Claim::Rate`] | 0 or 1, or shares | the same | the same |
//! | [`Claim::NoWorse`] | values of one thing, of the other | worse by more than the margin | not so |
//! | [`Claim::Distributed`] | F(x−), F(x) for each value x | not that law | nearer to it than the margin |
//! | [`Claim::SameDistribution`] | values of one thing, of the other | not the same | nearer than the margin |
//!
//! Several values in an observation are one cluster, however they depend on each other; independent draws are pushed one by
//! one. [`PairComparison`] asks whether two things differ, and which way; a [`Detector`] whether values that keep coming have
//! moved. Nothing here draws random numbers.

mod bet;
mod betting;
mod claim;
mod closeness;
mod comparison;
mod detector;
mod distributed;
mod estimate;
mod expected;
mod learned;
mod mixture;
mod paired;
mod path;
mod pit;
mod ranks;
mod same;

use std::fmt::Debug;

use betting::Betting;
pub use claim::{
    Allowed, Claim, ClaimError, LawClaim, Levels, MeanClaim, NoWorseClaim, Outside, PairedBy,
    RateClaim, Refusal,
};
pub use comparison::{Difference, PairComparison};
pub use detector::{Detector, Feared, Moved, SHIFTS};
use distributed::Distributed;
pub use estimate::Estimate;
pub use expected::{Expected, Truth, expected_runs};
pub use learned::{Held, Learn, LearnError};
use paired::NoWorse;
use path::Path;
pub use path::PathPoint;
use same::Same;

/// What is known of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Neither, so far.
    Undecided,
    /// The claim does not hold; a wrong decision has the probability [`Levels::broken`].
    Broken,
    /// It holds up to its margin; a wrong decision has the probability [`Levels::fine`].
    Fine,
}

/// What one run shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation<'a> {
    /// The values of the first thing, or of the only one.
    pub first: &'a [f64],
    /// The values of the second thing; empty where there is none.
    pub second: &'a [f64],
}

impl<'a> Observation<'a> {
    /// One value.
    pub fn one(value: &'a f64) -> Self {
        Observation::cluster(std::slice::from_ref(value))
    }

    /// Several values of one run.
    pub fn cluster(values: &'a [f64]) -> Self {
        Observation {
            first: values,
            second: &[],
        }
    }

    /// One value of each of two things; for [`Claim::Distributed`], the law's distribution function before and at the value,
    /// which are equal unless the law is discrete.
    pub fn pair(first: &'a f64, second: &'a f64) -> Self {
        Observation {
            first: std::slice::from_ref(first),
            second: std::slice::from_ref(second),
        }
    }
}

/// The logarithms of both e-values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Against the claim. Broken at −ln [`Levels::broken`].
    pub broken: f64,
    /// For the claim. Fine at −ln [`Levels::fine`].
    pub fine: f64,
}

/// A claim under test: runs go in, decisions come out.
#[derive(Debug)]
pub struct Process {
    family: Box<dyn Family>,
    levels: Levels,
    decision: Decision,
    runs: u64,
    path: Path,
}

/// The arithmetic of one kind of claim.
trait Family: Debug + Send + Sync {
    /// Counts a run, or refuses it and stays as it was.
    fn push(&mut self, run: Observation<'_>) -> Result<(), Refusal>;

    /// The logarithm of the e-value against the claim.
    fn broken(&self) -> f64;

    /// The logarithm of the e-value for it.
    fn fine(&self) -> f64;

    /// The quantity that the claim is about; `None` before the first run.
    fn estimate(&self, level: f64) -> Option<Estimate>;
}

impl Process {
    /// A process before its first run.
    pub fn new(claim: &Claim, levels: Levels) -> Result<Self, ClaimError> {
        for level in [levels.broken, levels.fine] {
            if !(level > 0.0 && level < 1.0) {
                return Err(ClaimError::Level(level));
            }
        }
        let family: Box<dyn Family> = match claim {
            Claim::Mean(claim) => Box::new(Betting::of_mean(claim)?),
            Claim::Rate(claim) => Box::new(Betting::of_rate(claim)?),
            Claim::NoWorse(claim) => Box::new(NoWorse::new(claim)?),
            Claim::Distributed(claim) => Box::new(Distributed::new(claim)?),
            Claim::SameDistribution(claim) => Box::new(Same::new(claim)?),
        };
        Ok(Process {
            family,
            levels,
            decision: Decision::Undecided,
            runs: 0,
            path: Path::new(),
        })
    }

    /// Counts a run. The first decision stays, whatever comes after it.
    pub fn push(&mut self, run: Observation<'_>) -> Result<Decision, Refusal> {
        self.family.push(run)?;
        self.runs += 1;
        let evidence = self.evidence();
        if self.decision == Decision::Undecided {
            if evidence.broken >= -self.levels.broken.ln() {
                self.decision = Decision::Broken;
            } else if evidence.fine >= -self.levels.fine.ln() {
                self.decision = Decision::Fine;
            }
        }
        self.path.push(PathPoint {
            run: self.runs,
            broken: evidence.broken,
            fine: evidence.fine,
        });
        Ok(self.decision)
    }

    /// The decision so far.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The number of runs so far.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The levels that decisions are made at.
    pub fn levels(&self) -> Levels {
        self.levels
    }

    /// The evidence so far.
    pub fn evidence(&self) -> Evidence {
        Evidence {
            broken: self.family.broken(),
            fine: self.family.fine(),
        }
    }

    /// The evidence over runs, at even distances, at most 256 of them.
    pub fn path(&self) -> &[PathPoint] {
        self.path.points()
    }

    /// The mean, the rate, the shift between two things or the distance of two laws, with a confidence sequence of this
    /// level. Takes time in proportion to the runs, unlike a step.
    pub fn estimate(&self, level: f64) -> Option<Estimate> {
        self.family.estimate(level)
    }
}

#[cfg(test)]
mod tests;
