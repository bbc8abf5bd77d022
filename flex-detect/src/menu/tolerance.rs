//! Tolerances that are whole numbers: how many places, decimals, digits or units still let a difference pass.

use crate::record::Role;

/// The strictest whole number that lets a difference of `needed` pass, and the largest difference that it lets pass.
///
/// `None` where there is none: fewer than no decimal places.
pub fn whole(role: Role, needed: f64) -> Option<(f64, f64)> {
    let strictest = match role {
        Role::Places => (0..=323)
            .rev()
            .find(|places| passes_places(needed, *places)),
        Role::Decimal => (0..=323)
            .rev()
            .find(|decimal| needed < decimal_limit(*decimal)),
        Role::Significant => (1..=17)
            .rev()
            .find(|digits| needed < significant_limit(*digits)),
        Role::Ulps => {
            let units = needed.ceil();
            // More than this no unsigned 32-bit number holds.
            return (0.0..=4_294_967_295.0)
                .contains(&units)
                .then_some((units, units));
        }
        _ => None,
    }?;
    Some((f64::from(strictest), limit(role, f64::from(strictest))?))
}

/// The largest difference that a whole number lets pass.
pub fn limit(role: Role, number: f64) -> Option<f64> {
    let number_of = || (0.0..=323.0).contains(&number).then_some(number as i32);
    match role {
        Role::Places => {
            let half = power_of_ten(-number_of()?) * 0.5;
            // Half a unit itself rounds to the even neighbour, zero; but few halves are floats.
            let near = [half.next_up(), half, half.next_down()];
            near.into_iter()
                .find(|value| passes_places(*value, number as i32))
        }
        Role::Decimal => Some(decimal_limit(number_of()?).next_down()),
        Role::Significant => Some(significant_limit(number_of()?).next_down()),
        Role::Ulps => Some(number),
        _ => None,
    }
}

/// unittest: `round(difference, places) == 0`. Formatting rounds the exact value, as Python's `round` does.
fn passes_places(difference: f64, places: i32) -> bool {
    let Ok(places) = usize::try_from(places) else {
        return false;
    };
    difference.is_finite() && !format!("{difference:.places$}").contains(|c| matches!(c, '1'..='9'))
}

/// numpy: the difference is below 1.5 · 10^−decimal.
fn decimal_limit(decimal: i32) -> f64 {
    1.5 * power_of_ten(-decimal)
}

/// numpy: the difference in units of the numbers' own power of ten is below 10^−(significant − 1).
fn significant_limit(significant: i32) -> f64 {
    power_of_ten(1 - significant)
}

/// The float nearest to a power of ten; a computed power may be its neighbour.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(role: Role, needed: f64) -> Option<f64> {
        whole(role, needed).map(|(number, _)| number)
    }

    #[test]
    fn powers_of_ten_are_exact() {
        for k in 0..16 {
            let unit: f64 = format!("1e-{k}").parse().unwrap();
            let half: f64 = format!("5e-{}", k + 1).parse().unwrap();
            let one_and_a_half: f64 = format!("1.5e-{k}").parse().unwrap();
            let k = f64::from(k);
            // 10^-k rounds to 10^-k at k places, and to 0 at one place less.
            let fewer = if k == 0.0 { None } else { Some(k - 1.0) };
            assert_eq!(number(Role::Places, unit), fewer, "10^-{k}");
            assert_eq!(number(Role::Places, half * 0.999), Some(k), "{half}");
            assert_eq!(number(Role::Places, half * 1.001), fewer, "{half}");
            assert_eq!(number(Role::Decimal, unit), Some(k), "10^-{k}");
            assert_eq!(number(Role::Decimal, one_and_a_half.next_up()), fewer);
            assert_eq!(number(Role::Decimal, one_and_a_half * 0.999), Some(k));
            // Below 10^-(s-1): 10^-k itself needs one digit less than what is just below.
            let digits = if k == 0.0 { None } else { Some(k) };
            assert_eq!(number(Role::Significant, unit), digits, "10^-{k}");
            assert_eq!(number(Role::Significant, unit.next_down()), Some(k + 1.0));
        }
        assert_eq!(number(Role::Places, 0.5), Some(0.0));
        assert_eq!(number(Role::Places, 0.5f64.next_up()), None);
        assert_eq!(number(Role::Ulps, 3.2), Some(4.0));
        assert_eq!(number(Role::Ulps, 1e12), None);
        assert_eq!(number(Role::Places, f64::NAN), None);
    }

    #[test]
    fn the_limit_passes_and_its_neighbour_does_not() {
        for role in [Role::Places, Role::Decimal, Role::Significant] {
            for n in 1..16 {
                let n = f64::from(n);
                let limit = limit(role, n).unwrap();
                assert!(number(role, limit) >= Some(n), "{role:?} {n}");
                assert!(number(role, limit.next_up()) < Some(n), "{role:?} {n}");
            }
        }
        assert_eq!(limit(Role::Places, -1.0), None);
        assert_eq!(limit(Role::Upper, 1.0), None);
    }
}
