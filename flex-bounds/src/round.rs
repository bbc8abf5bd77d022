//! Rounding a bound outward to a decimal that people can read, and that costs at most a hundredth
//! (docs/design/bounds-file.md, "Rounding").
//!
//! The unit follows the distance of the bound from the median, not its size: a bound of 1000.3 on a metric that
//! scatters by 0.2 around 1000 must not become 1100.

use flex_core::tail::{Domain, Side};

/// Rounds `bound` away from the median, to a multiple of the largest power of ten within 1 % of their distance.
///
/// For data on a lattice it is 1 % of the step, where that is smaller, so that rounding never reaches the next value.
/// The result is never tighter than the bound and at most 1.01 times as far from the median. It stays inside the
/// domain, and short of its end if the bound is: a bound at the end would be passed by nothing. Where there is nothing
/// to gain it is the bound itself: at the median, where floats are coarser than the unit, and where a number is not
/// finite.
pub fn outward(
    side: Side,
    bound: f64,
    median: f64,
    lattice_step: Option<f64>,
    domain: Option<Domain>,
) -> f64 {
    let oriented = side.orient(bound);
    let distance = oriented - side.orient(median);
    let step = lattice_step.unwrap_or(distance);
    let end = domain.map_or(f64::INFINITY, |domain| side.orient(domain.end(side)));
    let rounded = match round_up(oriented, distance, step, end) {
        Some(rounded) => side.orient(rounded),
        None => bound,
    };
    domain.map_or(rounded, |domain| domain.clamp(rounded))
}

/// Rounds `bound` away from the median as a person would who writes it into a source: to the roundest decimal that is at
/// most a tenth farther from the median than the bound.
///
/// It stays short of the domain's end if the bound is. Where there is nothing to gain it is the bound itself.
pub fn by_hand(side: Side, bound: f64, median: f64, domain: Option<Domain>) -> f64 {
    let oriented = side.orient(bound);
    let distance = oriented - side.orient(median);
    let end = domain.map_or(f64::INFINITY, |domain| side.orient(domain.end(side)));
    let round = || {
        let coarsest = exponent(distance)?;
        let resolution = oriented.abs().next_up() - oriented.abs();
        for unit in (coarsest - 17..=coarsest).rev() {
            if decimal(1, unit)? < resolution {
                return None;
            }
            let rounded = multiple_above(oriented, unit)?;
            if rounded - oriented <= 0.1 * distance && (rounded < end || oriented >= end) {
                return Some(side.orient(rounded));
            }
        }
        None
    };
    if bound.is_finite() && distance.is_finite() && distance > 0.0 && bound != 0.0 {
        round().unwrap_or(bound)
    } else {
        bound
    }
}

/// Rounds what is only information to the nearest multiple of the largest power of ten within 0.1 % of `spread`.
pub fn nearest(value: f64, spread: f64) -> f64 {
    let rounded = || {
        let unit = exponent(spread)? - 3;
        decimal(nearest_multiple(value, unit)?, unit)
    };
    if value.is_finite() && spread.is_finite() && spread > 0.0 && value != 0.0 {
        rounded().unwrap_or(value)
    } else {
        value
    }
}

/// The smallest multiple of the unit at or above `bound` and short of `end`, or `None` where rounding is pointless.
fn round_up(bound: f64, distance: f64, step: f64, end: f64) -> Option<f64> {
    let all_finite = bound.is_finite() && distance.is_finite() && step.is_finite();
    let scale = distance.min(step);
    if !all_finite || scale <= 0.0 || bound == 0.0 {
        return None;
    }
    // Two decimal places below the first digit of the scale lies the power of ten within 1 % of it.
    let coarsest = exponent(scale)? - 2;
    let resolution = bound.abs().next_up() - bound.abs();
    // Each finer unit comes closer to the bound; seventeen digits tell any two floats apart.
    for unit in (coarsest - 17..=coarsest).rev() {
        if decimal(1, unit)? < resolution {
            return None;
        }
        let rounded = multiple_above(bound, unit)?;
        if rounded < end || bound >= end {
            return rounded.is_finite().then_some(rounded);
        }
    }
    None
}

/// The smallest multiple of 10^`unit` at or above `bound`.
fn multiple_above(bound: f64, unit: i32) -> Option<f64> {
    let mut multiple = nearest_multiple(bound, unit)?;
    let mut rounded = decimal(multiple, unit)?;
    while rounded < bound {
        multiple += 1;
        rounded = decimal(multiple, unit)?;
    }
    // What rounds to zero keeps its sign, as in IEEE 754: the lower bound of a positive metric is 0.0, not -0.0.
    Some(if rounded == 0.0 {
        rounded.copysign(bound)
    } else {
        rounded
    })
}

/// The power of ten of a float's first decimal digit.
fn exponent(value: f64) -> Option<i32> {
    let text = format!("{value:e}");
    text.split_once('e')?.1.parse().ok()
}

/// `value` in units of 10^`unit`, to the nearest whole one.
///
/// Formatting to a number of places is exact arithmetic; dividing by a power of ten is not.
fn nearest_multiple(value: f64, unit: i32) -> Option<i64> {
    let Ok(places) = usize::try_from(exponent(value)? - unit) else {
        return Some(0);
    };
    let text = format!("{value:.places$e}");
    let (digits, exponent) = text.split_once('e')?;
    let digits: i64 = digits.replace('.', "").parse().ok()?;
    // 9.99 may have become 10.0, which shifts the last digit by a place.
    let shift = exponent.parse::<i32>().ok()? - i32::try_from(places).ok()? - unit;
    digits.checked_mul(10_i64.checked_pow(u32::try_from(shift).ok()?)?)
}

/// The float nearest to `multiple` × 10^`unit`.
fn decimal(multiple: i64, unit: i32) -> Option<f64> {
    format!("{multiple}e{unit}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks an upper bound, and the lower bound that mirrors it.
    fn check(bound: f64, median: f64, step: Option<f64>, expected: f64) {
        let upper = outward(Side::Upper, bound, median, step, None);
        assert_eq!(upper.to_bits(), expected.to_bits(), "{bound}: {upper}");
        let lower = outward(Side::Lower, -bound, -median, step, None);
        assert_eq!(lower.to_bits(), (-expected).to_bits(), "-{bound}: {lower}");
    }

    #[test]
    fn the_unit_is_within_a_hundredth_of_the_distance_from_the_median() {
        check(0.093_123_4, 0.012, None, 0.0932);
        check(1_000.312_34, 1_000.1, None, 1_000.313);
        check(1_234_567.0, 0.0, None, 1_240_000.0);
        check(1.0, 0.0, None, 1.0);
        check(9.996, 0.0, None, 10.0);
        check(99.999, -1.0, None, 100.0);
        check(1.234_56e300, 0.0, None, 1.24e300);
        check(1.234_56e-300, 0.0, None, 1.24e-300);
    }

    #[test]
    fn negative_bounds_round_towards_zero_and_past_it() {
        check(-1.239, -10.0, None, -1.23);
        check(-9.996, -20.0, None, -9.9);
        check(-0.004, -100.0, None, -0.0);
        check(0.004, -100.0, None, 1.0);
    }

    #[test]
    fn what_is_a_short_decimal_already_does_not_move() {
        for bound in [0.1, 0.3, 0.57, 1.15, 2.3e-8, 8.41e22] {
            check(bound, 0.0, None, bound);
        }
        // The nearest float to 0.1 + 0.2 is above 0.3.
        check(0.1 + 0.2, 0.0, None, 0.301);
    }

    #[test]
    fn lattice_bounds_move_by_less_than_a_hundredth_of_the_step() {
        check(17.0, 3.0, Some(1.0), 17.0);
        check(100.0 / 3.0, 3.0, Some(1.0 / 3.0), 33.334);
        check(1.0, 0.75, Some(1000.0), 1.0);
    }

    #[test]
    fn nothing_moves_where_rounding_is_pointless() {
        let tight = 1.0_f64.next_up();
        for (bound, median, step) in [
            (0.123_456, 0.123_456, None),
            (0.123_456, 1.0, None),
            (tight, 1.0, None),
            (5e-324, 0.0, None),
            (0.0, -1.0, None),
            (f64::NAN, 0.0, None),
            (f64::INFINITY, 0.0, None),
            (0.123_456, f64::NAN, None),
            (0.123_456, f64::NEG_INFINITY, None),
            (0.123_456, 0.0, Some(f64::NAN)),
            (0.123_456, 0.0, Some(f64::INFINITY)),
            (0.123_456, 0.0, Some(0.0)),
            (0.123_456, 0.0, Some(1e-300)),
            (f64::MAX, f64::MIN, None),
            (f64::MAX, 0.0, None),
        ] {
            check(bound, median, step, bound);
        }
    }

    #[test]
    fn people_write_short_numbers_that_cost_at_most_a_tenth() {
        for (bound, median, expected) in [
            (0.093_123, 0.012, 0.1),
            (0.031_2, 0.0, 0.032),
            (0.031_2, 0.01, 0.032),
            (17.0, 3.0, 17.0),
            (38.2, 8.0, 40.0),
            (1_000.312_34, 1_000.1, 1_000.32),
            (1.234e-12, 0.0, 1.3e-12),
            (0.5, 0.0, 0.5),
            (0.5f64.next_up(), 0.0, 0.51),
            (-1.239, -10.0, -1.0),
            (0.25, 0.5, 0.25),
            (f64::NAN, 0.0, f64::NAN),
        ] {
            let got = by_hand(Side::Upper, bound, median, None);
            assert_eq!(got.to_bits(), expected.to_bits(), "{bound}: {got}");
            let mirrored = by_hand(Side::Lower, -bound, -median, None);
            assert_eq!(
                mirrored.abs().to_bits(),
                expected.abs().to_bits(),
                "-{bound}"
            );
        }
        let domain = Domain::new(0.0, 1.0).ok();
        assert_eq!(by_hand(Side::Upper, 0.987, 0.5, domain), 0.99);
        assert_eq!(by_hand(Side::Lower, 0.003, 0.5, domain), 0.003);
        assert_eq!(by_hand(Side::Lower, 0.003, 0.5, None), 0.0);
        assert_eq!(by_hand(Side::Upper, 1.0, 0.5, domain), 1.0);
    }

    #[test]
    fn information_is_rounded_to_a_thousandth_of_the_spread() {
        assert_eq!(nearest(0.123_456_789, 0.5), 0.1235);
        assert_eq!(nearest(-1_000.123_456, 0.5), -1_000.123_5);
        assert_eq!(nearest(3e-9, 0.5), 0.0);
        assert_eq!(nearest(0.1, 0.0), 0.1);
        assert_eq!(nearest(1e300, 1e-300), 1e300);
    }

    #[test]
    fn the_domain_is_never_left_and_its_end_not_reached_by_rounding() {
        let domain = Domain::new(0.0, 1.0).ok();
        assert_eq!(outward(Side::Upper, 0.999_87, 0.5, None, None), 1.0);
        assert_eq!(outward(Side::Upper, 0.999_87, 0.5, None, domain), 0.9999);
        assert_eq!(outward(Side::Lower, 2.09e-9, 0.5, None, domain), 2e-9);
        assert_eq!(outward(Side::Upper, 1.0, 0.5, None, domain), 1.0);
        assert_eq!(outward(Side::Upper, 2.0, 0.5, None, domain), 1.0);
    }
}
