//! Problems: what is wrong with one site, as a value.

use flex_bounds::file::Entry;
use flex_core::tail::Side;

use super::mismatch::Mismatch;
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
    pub cause: Cause,
    /// The entry that it was judged by.
    pub entry: Option<Entry>,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
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
    /// A value beyond the ceiling.
    Ceiling(Beyond),
    /// A value beyond the guard, in a test that fails for other reasons.
    Unconfirmed(Beyond),
    /// A value beyond the guard, and reruns that confirm it.
    Regression {
        /// The value of the first run.
        beyond: Beyond,
        /// What the reruns showed.
        reruns: Vec<Rerun>,
    },
}

/// A value beyond a learned bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beyond {
    /// The side of the bound.
    pub side: Side,
    /// The value.
    pub value: f64,
    /// The bound.
    pub bound: f64,
}

/// What a confirmation run showed of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rerun {
    /// The value, if the site was reached.
    pub value: Option<f64>,
    /// Whether it was beyond the guard.
    pub hit: bool,
}

impl Problem {
    /// A problem of a site that was hit.
    pub(super) fn of(site: &Site, cause: Cause) -> Self {
        Problem {
            site: site.id.clone(),
            place: Some(site.place.clone()),
            message: None,
            cause,
            entry: None,
        }
    }
}
