//! Bets on one side of a mean: capital that grows if values lie beyond a bound on average.

use super::mixture::Mixture;
use crate::arrays::each;
use crate::tail::Side;

/// A capital of 1 that is bet on "the mean lies beyond `bound`".
///
/// With a limit on the other side of the bound that no value passes, z = (x − limit)/(bound − limit) is at least 0, and
/// its mean is at most 1 unless the mean lies beyond. So 1 + f (z − 1) with 0 < f ≤ 1 is never negative and has an
/// expectation of at most 1: a fair bet of the part f of the capital (Waudby-Smith & Ramdas 2024, section 4). For a rate it
/// is the likelihood ratio of two Bernoulli laws. The best f depends on the law, so all of [`PARTS`] are played at once.
#[derive(Debug, Clone)]
pub(super) struct Bet {
    side: Side,
    limit: f64,
    width: f64,
    capital: Mixture,
}

/// The number of parts of the capital that are bet.
pub(super) const PARTS: usize = 24;

/// The ratio of one part to the next smaller one.
const RATIO: f64 = 0.72;

/// The parts that are bet, with the weights of their shares of the capital.
pub(super) fn parts() -> [(f64, f64); PARTS] {
    let mut parts = [(1.0, 1.0); PARTS];
    for (index, (part, weight)) in parts.iter_mut().enumerate() {
        *part = RATIO.powi(index as i32);
        *weight = (index as f64 + 1.5).powf(-1.2);
    }
    // A rate that is 1 is common, and then the whole is the best part.
    parts[0].1 = 1.1;
    parts
}

/// Larger values add no evidence that could be needed, and products of them would overflow.
const LARGEST: f64 = 1e60;

impl Bet {
    /// A bet that the mean lies beyond `bound` on that side, where values end at `limit` on the other side.
    pub fn new(side: Side, bound: f64, limit: f64) -> Self {
        Bet {
            side,
            limit: side.orient(limit),
            width: side.orient(bound) - side.orient(limit),
            capital: Mixture::new(each(&parts(), |(_, weight)| weight)),
        }
    }

    /// Counts a value; one beyond the limit counts as the limit.
    pub fn push(&mut self, value: f64) {
        let gain = (self.side.orient(value) - self.limit) / self.width;
        let gain = gain.clamp(0.0, LARGEST) - 1.0;
        let mut part = 1.0;
        self.capital.step(|_| {
            let factor = 1.0 + part * gain;
            part *= RATIO;
            factor
        });
    }

    pub fn ln_value(&self) -> f64 {
        self.capital.ln_value()
    }

    pub fn ln_peak(&self) -> f64 {
        self.capital.ln_peak()
    }
}
