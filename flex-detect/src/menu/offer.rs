//! Something that can be done about an assertion, and its price.

use std::fmt;

use flex_core::bound::declared::clopper_pearson;

/// How often something happens, with a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A value that a part of the runs do not pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentile {
    /// The part.
    pub level: f64,
    /// The value as the samples suggest it.
    pub value: f64,
    /// The value with the margin that makes it a bound; `None` if there is none.
    pub limit: Option<f64>,
}

/// Something that can be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// What sort of thing.
    pub kind: OfferKind,
    /// The probability that unchanged code passes, where it was chosen.
    pub confidence: Option<f64>,
    /// What changes.
    pub change: Remedy,
    /// What it costs.
    pub price: Price,
    /// What is to be said besides.
    pub notes: Vec<String>,
}

/// What sort of thing can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferKind {
    /// Another bound, from the tail.
    Bound,
    /// Another bound, from the extreme of the values.
    Empirical,
    /// Another tolerance.
    Tolerance,
    /// Reruns.
    Rerun,
    /// The number is left to flex.
    Learned,
    /// A claim about all runs.
    Claim,
    /// A fixed seed.
    Seed,
    /// Nothing.
    Keep,
    /// A closer bound.
    Tighten,
}

impl OfferKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            OfferKind::Bound => "bound",
            OfferKind::Empirical => "empirical",
            OfferKind::Tolerance => "tolerance",
            OfferKind::Rerun => "rerun",
            OfferKind::Learned => "learned",
            OfferKind::Claim => "claim",
            OfferKind::Seed => "seed",
            OfferKind::Keep => "keep",
            OfferKind::Tighten => "tighten",
        }
    }

    /// Whether who asks for one gets the other: a tolerance is the bound of a difference.
    pub(super) fn answers(self, asked: OfferKind) -> bool {
        let bounds = [OfferKind::Bound, OfferKind::Tolerance];
        self == asked || (bounds.contains(&self) && bounds.contains(&asked))
    }
}

impl fmt::Display for OfferKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What changes in the source.
#[derive(Debug, Clone, PartialEq)]
pub enum Remedy {
    /// A number.
    Number {
        /// The series whose number it is.
        series: usize,
        /// The number to write.
        number: f64,
        /// The outermost value that passes.
        limit: f64,
    },
    /// The test is run again when it fails.
    Reruns {
        /// Runs, the first included.
        attempts: u64,
    },
    /// Flex learns the number.
    Learned {
        /// The series whose number it is.
        series: usize,
    },
    /// What a person would have to do.
    Hint(String),
    /// Nothing.
    Nothing,
}

/// What an offer costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// How often unchanged code fails the assertion.
    pub rate: Rate,
    /// Extra seconds per run of the suite.
    pub seconds: f64,
    /// The probability of catching a shift by 1, 2 and 3 standard deviations in one run of the suite.
    pub power: [f64; 3],
}

impl Rate {
    /// So many of so many runs.
    pub fn counted(failures: usize, runs: usize) -> Self {
        let (low, high) = clopper_pearson(failures, runs, 0.95);
        Rate {
            estimate: failures as f64 / runs.max(1) as f64,
            low,
            high,
        }
    }

    pub(super) fn unknown() -> Self {
        Rate {
            estimate: 0.0,
            low: 0.0,
            high: 1.0,
        }
    }
}
