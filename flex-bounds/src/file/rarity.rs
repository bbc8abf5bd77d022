//! How rare a value is, judged by what an entry keeps of its calibration.

use super::Entry;
use flex_core::bound::declared::clopper_pearson;
use flex_core::sample::QUANTILES;
use flex_core::tail::Side;

/// How many of the calibrated samples went as far as a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rarity {
    /// Some did.
    Among {
        /// At least so many.
        fewest: u32,
        /// At most so many.
        most: u32,
        /// The part of all runs that goes as far, with 95 % confidence (Clopper & Pearson 1934).
        interval: (f64, f64),
    },
    /// None did.
    BeyondAll,
}

impl Entry {
    /// How many samples went as far as `value` on `side`; `None` if the entry cannot tell.
    pub fn rarity(&self, side: Side, value: f64) -> Option<Rarity> {
        let race = &self.sides.get(side)?.guard()?.race;
        let cell = race.cell(side, value);
        let above = |cell: usize| race.cuts().get(cell).map_or(0, |cut| cut.above);
        let most = match cell.checked_sub(1) {
            Some(before) => above(before),
            None => self.samples,
        };
        let fewest = above(cell);
        if most == 0 {
            return Some(Rarity::BeyondAll);
        }
        let interval = |count: u32| clopper_pearson(count as usize, self.samples as usize, 0.95);
        Some(Rarity::Among {
            fewest,
            most,
            interval: (interval(fewest).0, interval(most).1),
        })
    }
}

/// The share of the samples beyond a value on a side, interpolated between their quantiles.
#[inline]
pub(super) fn share_beyond(quantiles: &[f64; QUANTILES.len()], side: Side, value: f64) -> f64 {
    let below = share_below(quantiles, value);
    match side {
        Side::Upper => 1.0 - below,
        Side::Lower => below,
    }
}

#[inline]
fn share_below(quantiles: &[f64; QUANTILES.len()], value: f64) -> f64 {
    let above = quantiles.partition_point(|quantile| *quantile <= value);
    let (Some(low), Some(high)) = (above.checked_sub(1), quantiles.get(above)) else {
        return if above == 0 { 0.0 } else { 1.0 };
    };
    let (from, to) = (QUANTILES[low], QUANTILES[above]);
    from + (to - from) * (value - quantiles[low]) / (high - quantiles[low])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::tests::{calibrated_entry, entry};

    #[test]
    fn cuts_tell_how_many_samples_went_as_far() {
        // The values are 0 to 99, each once.
        let entry = calibrated_entry(100);
        let check = |value: f64, expected: Option<(u32, u32)>| match (
            entry.rarity(Side::Upper, value),
            expected,
        ) {
            (Some(Rarity::BeyondAll), None) => {}
            (
                Some(Rarity::Among {
                    fewest,
                    most,
                    interval,
                }),
                Some(expected),
            ) => {
                assert_eq!((fewest, most), expected, "{value}");
                let share = f64::from(fewest) / 100.0;
                assert!(interval.0 <= share && share < interval.1, "{interval:?}");
            }
            (found, _) => panic!("{value}: {found:?}"),
        };
        check(-5.0, Some((70, 100)));
        check(60.0, Some((28, 40)));
        check(98.5, Some((0, 2)));
        check(100.0, None);
        check(f64::NAN, None);
        assert_eq!(entry.rarity(Side::Lower, 1.0), None);
    }

    #[test]
    fn shares_are_interpolated_between_quantiles() {
        // The quantiles of the fixture are 0, 0.5, …, 8; the median is 4.
        let quantiles = entry("x<_").quantiles.unwrap();
        let check = |side, value, expected: f64| {
            assert!((share_beyond(&quantiles, side, value) - expected).abs() < 1e-12);
        };
        check(Side::Upper, 4.0, 0.5);
        check(Side::Lower, 4.25, 0.55);
        check(Side::Upper, 8.0, 0.0);
        check(Side::Lower, -1.0, 0.0);
        check(Side::Upper, -1.0, 1.0);
    }
}
