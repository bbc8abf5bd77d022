//! Has a distribution moved? New samples against the quantiles that an entry keeps of older ones
//! (docs/design/recalibration.md, "Has the distribution moved?").
//!
//! A quantile of the old samples is one of their order statistics, or lies between two. If nothing moved, the number
//! of new samples below it has a law that does not depend on the distribution. Two questions are asked. At each quantile
//! alone: are the new samples below it too few or too many? That sees whatever changes its shape. At all quantiles
//! together: do the new samples lie higher, or lower? That sees a shift sooner. The least probability counts, times
//! the number of questions. It errs to the side of "not moved": where quantiles lie between order statistics, are
//! rounded, or meet ties.

pub mod groups;
mod law;
mod shift;

use crate::arrays::each;
use crate::sample::{QUANTILES, Samples};
use law::DriftLaw;
use shift::Shift;

/// How surprising new samples are, if the distribution is still the old one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The probability of something as surprising; at most 1.
    pub p_value: f64,
    /// The probability of the old quantile that is most surprising by itself.
    pub at: f64,
    /// The share of the new samples up to that quantile.
    pub share: f64,
}

/// The probability below which a suite as a whole takes a difference for drift.
pub const LEVEL: f64 = 1e-3;

/// The new samples that the question of a shift looks at: its arithmetic grows with their square.
const MOST: usize = 3000;

/// Too few or too many at a quantile; higher or lower.
const SIDES: f64 = 2.0;

/// The part of the level that the question of a shift has; single quantiles have the rest. They are the better judges
/// where values are equal, so they keep most of it.
const SHIFT_PART: f64 = 0.25;

impl Drift {
    /// Compares new samples with the quantiles of the finite ones of `n` older ones; `None` without any of either.
    ///
    /// What is not finite lies above everything, in the old samples as in the new ones. So the quantiles of the finite
    /// ones are order statistics of all.
    pub fn between(
        quantiles: &[f64; QUANTILES.len()],
        (finite, n): (u32, u32),
        new: &Samples,
    ) -> Option<Drift> {
        let (finite, n, m) = (finite as usize, n as usize, new.len());
        if finite == 0 || m == 0 {
            return None;
        }
        let seen = Counts::of(quantiles, finite, new);
        let mut most: Option<Drift> = None;
        for (index, p) in QUANTILES.iter().enumerate() {
            let few = DriftLaw::new(n, m, seen.low[index]).at_most(seen.up_to[index]);
            let many = DriftLaw::new(n, m, seen.high[index]).at_least(seen.below[index]);
            let p_value = few.min(many) * SIDES * QUANTILES.len() as f64 / (1.0 - SHIFT_PART);
            if most.is_none_or(|most| p_value < most.p_value) {
                most = Some(Drift {
                    p_value,
                    at: *p,
                    share: seen.up_to[index] as f64 / m as f64,
                });
            }
        }
        let shifted = match m <= MOST {
            true => seen.shifted(n, m),
            false => {
                let first = new.first(MOST);
                Counts::of(quantiles, finite, &first).shifted(n, first.len())
            }
        };
        let most = most?;
        Some(Drift {
            p_value: most.p_value.min(shifted / SHIFT_PART).min(1.0),
            ..most
        })
    }

    /// Whether this is drift, among so many sites that were compared.
    pub fn is_significant(&self, sites: usize) -> bool {
        self.p_value < LEVEL / sites.max(1) as f64
    }
}

/// What is seen at each quantile: between which order statistics of the old samples it lies, and how many new samples
/// are certainly at or below it, or certainly below.
struct Counts {
    low: [usize; QUANTILES.len()],
    high: [usize; QUANTILES.len()],
    up_to: [usize; QUANTILES.len()],
    below: [usize; QUANTILES.len()],
}

impl Counts {
    fn of(quantiles: &[f64; QUANTILES.len()], finite: usize, new: &Samples) -> Self {
        // Kept quantiles are rounded to a thousandth of this distance at most.
        let slack = 1e-3 * (quantiles[11] - quantiles[5]);
        let position = |p: f64| p * (finite - 1) as f64;
        let certain = |holds: &dyn Fn(f64) -> bool| {
            let values = new.finite();
            values.partition_point(|sample| holds(sample.value))
        };
        Counts {
            low: each(&QUANTILES, |p| position(p).floor() as usize + 1),
            high: each(&QUANTILES, |p| position(p).ceil() as usize + 1),
            up_to: each(quantiles, |q| certain(&|value| value <= q + slack)),
            below: each(quantiles, |q| certain(&|value| value < q - slack)),
        }
    }

    /// How surprising it is that m new samples lie so high, or so low.
    fn shifted(&self, n: usize, m: usize) -> f64 {
        let higher = Shift::new(n, m, &self.low).at_most(&self.up_to);
        let lower = Shift::new(n, m, &self.high).at_least(&self.below);
        higher.min(lower) * SIDES
    }
}

#[cfg(test)]
mod tests;
