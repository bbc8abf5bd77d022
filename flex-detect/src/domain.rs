//! The range that a metric can take: declared, or recognised by its values. A bound outside of it would catch nothing.

use flex_core::sample::Samples;
use flex_core::tail::Domain;

use crate::record::{Role, Series};

/// Values that must be at an end of [0, 1] before the metric is taken for a share.
const ATOMS: usize = 2;

/// The range of the values of a series, where it shows: differences and counts are not negative, shares lie in [0, 1].
///
/// A number in the source that lies outside contradicts what the values seem to be.
pub fn recognised(series: &Series, samples: &Samples) -> Option<Domain> {
    let not_negative = Domain::new(0.0, f64::INFINITY).ok();
    if !matches!(series.role, Role::Upper | Role::Lower) {
        return not_negative;
    }
    let values = || samples.finite().iter().map(|sample| sample.value);
    if series.is_margin || samples.is_constant() || samples.finite().is_empty() {
        return None;
    }
    let holds_bound = |domain: &Domain| series.bound.is_none_or(|bound| domain.contains(bound));
    let at = |end: f64| values().filter(|value| *value == end).count();
    let is_share = values().all(|value| (0.0..=1.0).contains(&value));
    let are_whole = values().all(|value| value >= 0.0 && value.fract() == 0.0);
    // Zeros and ones alone are counts if they are compared with a whole number.
    let could_be_counts = are_whole && series.bound.is_none_or(|bound| bound.fract() == 0.0);
    let domain = if is_share && !could_be_counts && (at(0.0) >= ATOMS || at(1.0) >= ATOMS) {
        Domain::new(0.0, 1.0).ok()
    } else if are_whole {
        not_negative
    } else {
        None
    };
    domain.filter(holds_bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(role: Role, bound: f64, values: &[f64], expected: Option<(f64, f64)>) {
        let series = Series::new(role, bound);
        let domain = recognised(&series, &Samples::from_values(values));
        let ends = domain.map(|domain| (domain.lower(), domain.upper()));
        assert_eq!(ends, expected, "{values:?}");
    }

    #[test]
    fn counts_shares_and_differences_are_recognised() {
        let counts = Some((0.0, f64::INFINITY));
        let share = Some((0.0, 1.0));
        check(Role::Upper, 5.0, &[0.0, 3.0, 2.0], counts);
        check(Role::Lower, 0.0, &[0.0, 1.0, 1.0, 0.0], counts);
        check(Role::Lower, 0.5, &[0.0, 1.0, 1.0, 0.0], share);
        check(Role::Lower, 0.9, &[1.0, 0.95, 1.0, 0.97], share);
        check(Role::Absolute, 0.1, &[0.3, 0.2], counts);
    }

    #[test]
    fn what_the_values_or_the_source_contradict_is_not() {
        check(Role::Lower, 0.9, &[1.0, 0.95, 0.96, 0.97], None);
        check(Role::Lower, 0.9, &[1.0, 1.0, 1.01, 0.97], None);
        check(Role::Upper, 1.5, &[1.0, 1.0, 0.5], None);
        check(Role::Upper, 5.0, &[-1.0, 3.0, 2.0], None);
        check(Role::Lower, -3.0, &[1.0, 3.0, 2.0], None);
        check(Role::Upper, 5.0, &[2.0, 2.0], None);
        check(Role::Upper, 5.0, &[f64::NAN], None);
    }
}
