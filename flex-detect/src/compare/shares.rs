//! How the level α is shared over all series of a comparison.

use std::f64::consts::PI;
use std::sync::atomic::{AtomicU32, Ordering};

/// The share of α for series that differ for the first time after the others have begun.
const RESERVE: f64 = 0.01;

/// Shares of α: equal ones for all series that differ in the first pairs, and what is left for those that do so later, which
/// nobody can count beforehand. The k-th of these gets 6/(π² k²) of it, so that all of them together have no more than all of
/// it (Euler 1735). Which series differ is known from how far apart values are, and says nothing of signs.
#[derive(Debug)]
pub struct Shares {
    alpha: f64,
    first: usize,
    late: AtomicU32,
}

impl Shares {
    /// Shares of `alpha` for so many series.
    pub fn new(alpha: f64, first: usize) -> Self {
        Shares {
            alpha,
            first: first.max(1),
            late: AtomicU32::new(0),
        }
    }

    /// The level of each series that differs in the first pairs.
    pub fn first(&self) -> f64 {
        (1.0 - RESERVE) * self.alpha / self.first as f64
    }

    /// The level of the next series that differs later.
    pub fn late(&self) -> f64 {
        let k = f64::from(self.late.fetch_add(1, Ordering::Relaxed)) + 1.0;
        RESERVE * self.alpha * 6.0 / (PI * k).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shares_together_are_no_more_than_alpha() {
        let shares = Shares::new(1e-4, 7);
        let first = 7.0 * shares.first();
        let late: f64 = (0..100_000).map(|_| shares.late()).sum();
        assert!(first > 0.98e-4 && late > 0.99e-6);
        assert!(first + late <= 1e-4);
    }
}
