//! Problems: what is wrong with one site, as a value.

use flex_bounds::file::Entry;
use flex_core::tail::Side;

use super::mismatch::Mismatch;
use super::replayed::Replayed;
use crate::decide::Decided;
use crate::model::{Comparison, Place, Site, SiteId};

/// Something about one site that fails its test.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The site.
    pub site: SiteId,
    /// Where it is, if it was hit.
    pub place: Option<Place>,
    /// What the assertion says itself.
    pub message: Option<String>,
    /// What is wrong.
    pub cause: ProblemCause,
    /// The entry that it was judged by.
    pub entry: Option<Entry>,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum ProblemCause {
    /// A declared bound was broken.
    Broken {
        /// The value that broke it.
        value: f64,
        /// What was declared.
        bounds: Vec<Comparison>,
        /// Whether the value is a difference of two.
        is_margin: bool,
    },
    /// Values cannot be compared.
    Incomparable(String),
    /// There is no entry that fits.
    Uncalibrated(Mismatch),
    /// Calibration refused to learn a bound.
    Refused(String),
    /// Every calibration run hit the site, and so many runs did not.
    NotReached {
        /// How many.
        runs: u32,
    },
    /// A value that is NaN or infinite on the side of the bound, where calibration accepted none.
    NotFinite(Judged),
    /// A value beyond the ceiling.
    Ceiling(Judged),
    /// A value beyond the guard, in a test that fails for other reasons.
    Unconfirmed(Judged),
    /// Values that have moved, by a race that was lost.
    Regression(Confirmed),
    /// Values beyond all calibrated ones, again and again: a new mode.
    NewMode(Confirmed),
    /// A claim about all runs that does not hold, or that is not decided.
    Claim(Box<Decided>),
}

/// A value, and the bound that it was held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// The side of the bound.
    pub side: Side,
    /// The value.
    pub value: f64,
    /// The bound.
    pub bound: f64,
}

impl Judged {
    /// Whether the value is beyond the bound; a race may also be about one that is not.
    pub fn is_beyond(&self) -> bool {
        self.side.is_beyond(self.value, self.bound)
    }
}

/// A value in doubt, and what its race showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmed {
    /// The value of the first run, and the guard; of strays, the largest calibrated value.
    pub first: Judged,
    /// What the replay of a calibration run showed, if there was one.
    pub replay: Option<Replayed>,
    /// What the reruns showed.
    pub reruns: Vec<Rerun>,
    /// The sum of scores after the first run.
    pub start: i32,
    /// A sum that has fallen to this is cleared.
    pub clear: i32,
    /// A sum that has risen to this is a regression.
    pub fail: i32,
}

impl Confirmed {
    /// Whether a replay showed that something changed.
    pub fn is_changed(&self) -> bool {
        self.replay.as_ref().is_some_and(|replay| !replay.is_same())
    }
}

/// What a confirmation run showed of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rerun {
    /// The value, if the site was reached.
    pub value: Option<f64>,
    /// Whether it was beyond the bound.
    pub beyond: bool,
    /// The sum of scores after it.
    pub sum: i32,
}

impl Problem {
    /// A claim that fails its test.
    pub(super) fn of_claim(decided: Decided) -> Self {
        Problem {
            site: decided.site.clone(),
            place: Some(decided.place.clone()),
            message: decided.message.clone(),
            cause: ProblemCause::Claim(Box::new(decided)),
            entry: None,
        }
    }

    /// A problem of a site that was hit.
    pub(super) fn of(site: &Site, cause: ProblemCause) -> Self {
        Problem {
            site: site.id.clone(),
            place: Some(site.place.clone()),
            message: None,
            cause,
            entry: None,
        }
    }
}
