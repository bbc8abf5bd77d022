//! What a site is watched for: its declared bounds, and its values on each side that has one.

use crate::bound::tail_rate::TailRate;
use crate::sample::{Extremes, Samples};
use crate::tail::Side;

/// The declared bounds of a site; none for a site that is only watched.
///
/// They are the same in every run. A bound that is computed anew is watched as the distance from it, with a limit of 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Values below fail.
    pub lower: Option<f64>,
    /// Values above fail.
    pub upper: Option<f64>,
}

impl PartialEq for Limits {
    /// A bound that is NaN, which every value fails, is the same bound in the next run.
    fn eq(&self, other: &Self) -> bool {
        let bits = |bound: Option<f64>| bound.map(f64::to_bits);
        bits(self.lower) == bits(other.lower) && bits(self.upper) == bits(other.upper)
    }
}

/// The values of one site on one side, in the order of the runs.
pub(super) struct Series {
    pub side: Side,
    pub bound: Option<f64>,
    pub hits: Vec<(u32, f64)>,
}

/// The sides of a site that have a bound, or the upper one for a site without any.
pub(super) fn series(limits: Limits, hits: &[(u32, Extremes)]) -> Vec<Series> {
    let on = |side: Side, bound: Option<f64>| Series {
        side,
        bound,
        hits: hits
            .iter()
            .map(|(run, hit)| match side {
                Side::Lower => (*run, hit.least),
                Side::Upper => (*run, hit.greatest),
            })
            .collect(),
    };
    match limits {
        Limits {
            lower: Some(lower),
            upper: None,
        } => vec![on(Side::Lower, Some(lower))],
        Limits {
            lower: Some(lower),
            upper,
        } => {
            vec![on(Side::Lower, Some(lower)), on(Side::Upper, upper)]
        }
        Limits { lower: None, upper } => vec![on(Side::Upper, upper)],
    }
}

impl Series {
    /// Whether each of so many runs showed the same finite value.
    pub fn is_constant(&self, runs: u32) -> bool {
        self.hits.len() == runs as usize
            && self.hits.windows(2).all(|pair| pair[0].1 == pair[1].1)
            && self.hits.iter().all(|(_, value)| value.is_finite())
    }

    /// Whether the fitted tail has the bound farther out than this rate. A constant on the right side of it is.
    pub fn stays_within(&self, rate: f64, runs: u32) -> bool {
        let Some(bound) = self.bound else {
            return true;
        };
        if self.is_constant(runs) {
            return true;
        }
        let samples = Samples::new(self.hits.iter().copied());
        TailRate::is_within(&samples, self.side, bound, rate)
    }
}
