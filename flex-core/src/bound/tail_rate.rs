//! How often a declared bound fails that no sample has passed: read from the fitted tail
//! (docs/design/search.md, "How often a declared bound fails").
//!
//! The ceiling answers "which bound keeps the rate p?". Here the bound is given and the rate is wanted, so the
//! ceiling is read backwards: the smallest rate whose ceiling is not beyond the bound. What stops a ceiling, such as a
//! second mode in the data, stops this too.

use crate::bound::ceiling::{Ceiling, NoCeiling, TailKnowledge};
use crate::sample::Samples;
use crate::sample::ties::Ties;
use crate::tail::Side;

/// The probability that a run passes a bound, as the fitted tail has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TailRate {
    /// The rate as the samples suggest it, without a margin.
    pub estimate: f64,
    /// The rate that is not exceeded with a posterior probability of 97.5 %.
    pub upper_limit: f64,
}

/// Rates are looked for between these; smaller ones are reported as the first, larger ones as 1.
const RATES: (f64, f64) = (TailRate::LEAST, 0.2);

impl TailRate {
    /// Rates below this are reported as this.
    pub const LEAST: f64 = 1e-12;

    /// The failure rate of `bound` on `side`.
    pub fn at(samples: &Samples, side: Side, bound: f64) -> Result<TailRate, NoCeiling> {
        let tail = FittedTail::new(samples, side);
        // A refusal for reasons that no rate mends is a refusal; a ceiling that the data are too few for is not.
        tail.ceiling(RATES.0)?;
        let inside = |value: f64| !side.is_beyond(value, bound);
        let limit = smallest_rate(|p| tail.ceiling(p).is_ok_and(|ceiling| inside(ceiling.bound)));
        let typical =
            smallest_rate(|p| tail.ceiling(p).is_ok_and(|ceiling| inside(ceiling.typical)));
        Ok(TailRate {
            estimate: typical.min(limit),
            upper_limit: limit,
        })
    }

    /// Whether the upper limit at `bound` is at most `rate`; one ceiling, where [`TailRate::at`] takes many.
    #[inline]
    pub fn is_within(samples: &Samples, side: Side, bound: f64, rate: f64) -> bool {
        let ceiling = FittedTail::new(samples, side).ceiling(rate);
        ceiling.is_ok_and(|ceiling| !side.is_beyond(ceiling.bound, bound))
    }
}

/// The tail of some samples, whose ceiling can be asked for at any rate.
pub(crate) struct FittedTail<'a> {
    samples: &'a Samples,
    side: Side,
    oriented: crate::sample::Oriented,
    ties: Ties,
}

impl<'a> FittedTail<'a> {
    pub fn new(samples: &'a Samples, side: Side) -> Self {
        let oriented = samples.orient(side);
        FittedTail {
            samples,
            side,
            ties: Ties::new(&oriented.values),
            oriented,
        }
    }

    pub fn ceiling(&self, rate: f64) -> Result<Ceiling, NoCeiling> {
        self.ceiling_knowing(rate, TailKnowledge::default())
    }

    pub fn ceiling_knowing(
        &self,
        rate: f64,
        knowledge: TailKnowledge,
    ) -> Result<Ceiling, NoCeiling> {
        let asked = (self.side, rate);
        Ceiling::learn(self.samples, &self.oriented, &self.ties, asked, knowledge)
    }
}

/// The smallest rate that satisfies `holds`, which larger rates do too, to within a thousandth.
fn smallest_rate(holds: impl Fn(f64) -> bool) -> f64 {
    if holds(RATES.0) {
        return RATES.0;
    }
    if !holds(RATES.1) {
        return 1.0;
    }
    let (mut low, mut high) = (RATES.0.ln(), RATES.1.ln());
    while high - low > 1e-3 {
        let middle = 0.5 * (low + high);
        if holds(middle.exp()) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles of an exponential: a sample without chance.
    fn exponential(n: usize) -> Vec<f64> {
        let n = n as f64;
        (0..n as usize)
            .map(|i| -((i as f64 + 0.5) / n).ln())
            .collect()
    }

    #[test]
    fn the_rate_beyond_the_data_is_near_the_truth_and_under_its_limit() {
        let samples = Samples::from_values(&exponential(500));
        for bound in [8.0, 10.0, 12.0] {
            let rate = TailRate::at(&samples, Side::Upper, bound).unwrap();
            let truth = (-bound).exp();
            assert!(rate.estimate < rate.upper_limit, "{rate:?}");
            assert!(truth < rate.upper_limit, "{rate:?} {truth}");
            assert!((rate.estimate / truth).ln().abs() < 2.0, "{rate:?} {truth}");
        }
    }

    #[test]
    fn both_sides_mirror_each_other_and_farther_bounds_fail_less() {
        let values = exponential(200);
        let mirrored: Vec<f64> = values.iter().map(|x| -x).collect();
        let upper = Samples::from_values(&values);
        let lower = Samples::from_values(&mirrored);
        let mut last = 1.0;
        for bound in [3.0, 5.0, 8.0, 20.0, 1e6, 1e30] {
            let rate = TailRate::at(&upper, Side::Upper, bound).unwrap();
            assert_eq!(TailRate::at(&lower, Side::Lower, -bound), Ok(rate));
            assert!(rate.upper_limit <= last, "{bound}: {rate:?}");
            last = rate.upper_limit;
            assert_eq!(
                TailRate::is_within(&upper, Side::Upper, bound, 1e-4),
                rate.upper_limit <= 1e-4 * 1.001,
                "{bound}"
            );
        }
    }

    #[test]
    fn data_that_no_tail_describes_are_refused() {
        let at = |values: &[f64]| TailRate::at(&Samples::from_values(values), Side::Upper, 1.0);
        assert!(matches!(at(&[0.5; 100]), Err(NoCeiling::Constant { .. })));
        assert!(matches!(at(&[0.5, 0.6]), Err(NoCeiling::TooFewRuns { .. })));
        assert!(at(&[]).is_err());
        let mut broken = exponential(100);
        broken[3] = f64::NAN;
        assert!(matches!(at(&broken), Err(NoCeiling::NotFinite { .. })));
    }
}
