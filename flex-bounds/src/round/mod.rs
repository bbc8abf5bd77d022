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
    let distance = side.orient(bound) - side.orient(median);
    outward_by(side, bound, distance, lattice_step, domain)
}

/// Rounds `cut` outward to a multiple of the largest power of ten within 1 % of `scale`, and otherwise like
/// [`outward`]: for what may lie on either side of the median, or at it.
pub fn outward_by(
    side: Side,
    cut: f64,
    scale: f64,
    lattice_step: Option<f64>,
    domain: Option<Domain>,
) -> f64 {
    let step = lattice_step.unwrap_or(scale);
    let end = domain.map_or(f64::INFINITY, |domain| side.orient(domain.end(side)));
    let rounded = match round_up(side.orient(cut), scale, step, end) {
        Some(rounded) => side.orient(rounded),
        None => cut,
    };
    domain.map_or(rounded, |domain| domain.clamp(rounded))
}

/// Rounds `bound` away from the median as a person would who writes it into a source: to the roundest decimal that is at
/// most a tenth farther from the median than the bound.
///
/// It stays short of the domain's end if the bound is. Where there is nothing to gain it is the bound itself.
#[inline]
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
    nearest_by(value, spread, 3)
}

/// Rounds a value that others are to be compared with to the nearest multiple of the largest power of ten within 10⁻⁷ of
/// `spread`.
pub fn precisely(value: f64, spread: f64) -> f64 {
    nearest_by(value, spread, 7)
}

fn nearest_by(value: f64, spread: f64, places: i32) -> f64 {
    let rounded = || {
        let unit = exponent(spread)? - places;
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
mod tests;
