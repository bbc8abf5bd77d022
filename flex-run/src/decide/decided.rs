//! What came of a claim, as a value.

use flex_core::sequential::{Claim, Estimate, Evidence, PathPoint};

use crate::model::{ClaimSpec, Place, SiteId};

/// A claim, and what the runs showed of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The site.
    pub site: SiteId,
    /// Where it is.
    pub place: Place,
    /// What the assertion says itself.
    pub message: Option<String>,
    /// What the source claims.
    pub spec: ClaimSpec,
    /// What that comes to; `None` if it cannot be decided.
    pub claim: Option<Claim>,
    /// What its bound was learned from, if it is learned.
    pub learned: Option<LearnedFrom>,
    /// What came of it.
    pub outcome: ClaimOutcome,
    /// Runs that reached the site.
    pub runs: u32,
    /// What they drew.
    pub draws: u64,
    /// The false-alarm rate of "broken".
    pub rate: f64,
    /// The mean, the rate, the difference or the distance, with a confidence sequence that has this rate on each side.
    pub estimate: Option<Estimate>,
    /// The logarithms of the evidence against and for it.
    pub evidence: Evidence,
    /// The same over runs.
    pub path: Vec<PathPoint>,
}

/// The calibration that a bound was learned from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnedFrom {
    /// The mean or the rate that it saw.
    pub mean: f64,
    /// The runs that it saw it in.
    pub samples: u32,
}

/// What came of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimOutcome {
    /// More runs may tell.
    Open,
    /// It does not hold.
    Broken,
    /// It holds, up to its margin.
    Fine,
    /// So many runs did not tell.
    Undecided,
    /// No number of runs could tell, and why.
    Undecidable(String),
}

impl ClaimOutcome {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            ClaimOutcome::Open => "open",
            ClaimOutcome::Broken => "broken",
            ClaimOutcome::Fine => "fine",
            ClaimOutcome::Undecided => "undecided",
            ClaimOutcome::Undecidable(_) => "cannot be decided",
        }
    }
}
