//! Whether a site shows now what it showed at calibration.

use flex_core::sample::Extremes;

use super::entry::{Entry, QUANTILES};

/// Values that are closer than this part of the spread of the samples are the same: processors differ in last bits.
const SAME: f64 = 1e-6;

impl Entry {
    /// Whether a site shows now what it showed then.
    pub fn is_same(&self, then: Option<Extremes>, now: Option<Extremes>) -> bool {
        let is_same = |then: f64, now: f64| {
            let tolerance = match self.spread() {
                spread if spread > 0.0 => SAME * spread,
                _ => 1e-9 * then.abs(),
            };
            then == now || (then.is_nan() && now.is_nan()) || (then - now).abs() <= tolerance
        };
        match (then, now) {
            (Some(then), Some(now)) => {
                is_same(then.least, now.least) && is_same(then.greatest, now.greatest)
            }
            (then, now) => then.is_none() && now.is_none(),
        }
    }

    /// How far the samples are spread: the width of their middle 60 %, or of all, if these are equal.
    pub(crate) fn spread(&self) -> f64 {
        self.quantiles.as_ref().map_or(0.0, spread)
    }
}

/// How far the samples of these quantiles are spread.
pub(crate) fn spread(quantiles: &[f64; QUANTILES]) -> f64 {
    let middle = quantiles[11] - quantiles[5];
    match middle > 0.0 {
        true => middle,
        false => quantiles[QUANTILES - 1] - quantiles[0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::tests::entry;

    #[test]
    fn last_bits_are_no_change() {
        // The middle 60 % of the fixture's samples lie between 2.5 and 5.5.
        let entry = entry("x<_");
        let check = |then: f64, now: f64, expected: bool| {
            let [then, now] = [then, now].map(|value| Some(Extremes::new(value)));
            assert_eq!(entry.is_same(then, now), expected, "{then:?} {now:?}");
        };
        check(1.0, 1.0, true);
        check(1.0, 1.0 + 2e-6, true);
        check(1.0, 1.0 + 4e-6, false);
        check(f64::NAN, f64::NAN, true);
        check(f64::NAN, 1.0, false);
        check(f64::INFINITY, f64::INFINITY, true);
        check(f64::INFINITY, f64::NEG_INFINITY, false);
        let shown = Some(Extremes::new(1.0));
        assert!(entry.is_same(None, None));
        assert!(!entry.is_same(shown, None) && !entry.is_same(None, shown));
        let wider = Some(Extremes {
            least: 0.5,
            greatest: 1.0,
        });
        assert!(!entry.is_same(shown, wider));
    }

    #[test]
    fn what_never_varied_is_the_same_to_nine_digits() {
        let mut entry = entry("x<_");
        entry.quantiles = Some([1000.0; 17]);
        let check = |now: f64, expected: bool| {
            let [then, now] = [1000.0, now].map(|value| Some(Extremes::new(value)));
            assert_eq!(entry.is_same(then, now), expected, "{now:?}");
        };
        check(1000.0 + 1e-7, true);
        check(1000.0 + 1e-5, false);
    }
}
