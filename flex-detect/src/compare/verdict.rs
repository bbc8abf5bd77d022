//! The verdict on a series.

use flex_core::sequential::Difference;
use flex_core::tail::Side;
use serde::{Deserialize, Serialize};

/// What is known of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesVerdict {
    /// Equal in all pairs.
    Identical,
    /// Different, and worse: nearer to failing, or beyond.
    Worse,
    /// Different, and better.
    Better,
    /// Different, and neither worse nor better by more than the margin.
    WithinMargin,
    /// Different, and no direction shown.
    Undecided,
}

impl SeriesVerdict {
    /// What a difference of new and old values means where values are worse on this side.
    pub fn of(difference: Difference, worse: Side) -> Self {
        match (difference, worse) {
            (Difference::Undecided, _) => SeriesVerdict::Undecided,
            (Difference::WithinMargin, _) => SeriesVerdict::WithinMargin,
            (Difference::Higher, Side::Upper) | (Difference::Lower, Side::Lower) => {
                SeriesVerdict::Worse
            }
            _ => SeriesVerdict::Better,
        }
    }

    /// The verdict, for people.
    pub fn as_str(self) -> &'static str {
        match self {
            SeriesVerdict::Identical => "identical",
            SeriesVerdict::Worse => "different, worse",
            SeriesVerdict::Better => "different, better",
            SeriesVerdict::WithinMargin => "different, within the margin",
            SeriesVerdict::Undecided => "undecided",
        }
    }
}
