//! How rare a value is, judged by what an entry keeps of its calibration.

use super::Entry;
use flex_core::calibration::QUANTILES;
use flex_core::tail::Side;
use flex_core::tail::gpd::Gpd;

/// How often unchanged code goes as far as a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rarity {
    /// The value lies among the samples: about this share of them is as far out.
    Among(f64),
    /// The value lies beyond the threshold of the fitted tail, which gives it this probability.
    Tail(f64),
    /// The value lies beyond all samples, and no tail was fitted.
    BeyondAll,
}

impl Entry {
    /// How often unchanged code goes as far as `value` on `side`; `None` if the entry cannot tell.
    pub fn rarity(&self, side: Side, value: f64) -> Option<Rarity> {
        if value.is_nan() {
            return None;
        }
        let fit = self.sides.get(side)?.fit();
        if let Some(fit) = fit.filter(|fit| side.is_beyond(value, fit.threshold)) {
            let excess = side.orient(value) - side.orient(fit.threshold);
            let rate = f64::from(fit.exceedances) / f64::from(self.samples.max(1));
            return Some(Rarity::Tail(
                rate * Gpd::new(fit.scale, fit.shape)?.survival(excess),
            ));
        }
        let below = share_below(self.quantiles.as_ref()?, value);
        let beyond = match side {
            Side::Upper => 1.0 - below,
            Side::Lower => below,
        };
        Some(if beyond > 0.0 {
            Rarity::Among(beyond)
        } else {
            Rarity::BeyondAll
        })
    }
}

/// The share of the samples below a value, interpolated between their quantiles.
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
    use crate::file::tests::entry;
    use crate::file::{Learned, Sides};

    #[test]
    fn a_value_in_the_tail_has_the_probability_of_the_fit() {
        // 34 of 290 samples lie beyond 0.0301; the survival function is written out (Pickands 1975).
        let entry = entry("x<_");
        let Some(Rarity::Tail(p)) = entry.rarity(Side::Upper, 0.0501) else {
            panic!("the value is in the tail");
        };
        let survival = (1.0f64 + 0.02 * 0.02 / 0.0061).powf(-1.0 / 0.02);
        assert!((p - 34.0 / 290.0 * survival).abs() < 1e-12);
    }

    #[test]
    fn without_a_tail_the_quantiles_tell() {
        let mut entry = entry("x<_");
        let keep = Learned::Keep;
        entry.sides = Sides::Both {
            lower: keep.clone(),
            upper: keep,
        };
        let check = |side, value, expected| assert_eq!(entry.rarity(side, value), expected);
        // The quantiles of the fixture are 0, 0.5, …, 8; the median is 4.
        check(Side::Upper, 4.0, Some(Rarity::Among(0.5)));
        check(Side::Lower, 4.25, Some(Rarity::Among(0.55)));
        check(Side::Upper, 8.0, Some(Rarity::BeyondAll));
        check(Side::Lower, -1.0, Some(Rarity::BeyondAll));
        check(Side::Upper, -1.0, Some(Rarity::Among(1.0)));
        check(Side::Upper, f64::NAN, None);
    }
}
