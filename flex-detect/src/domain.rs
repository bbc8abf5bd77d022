//! The range that a metric can take: declared, recognised by its values, or only suspected. A bound outside of it would
//! catch nothing.

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

/// The range that values seem to have where nothing shows it for certain: [0, 1], if all of them lie there and the number
/// in the source lies within, like those of shares, scores and probabilities. Whoever compares with 1 expects more.
pub fn suspected(series: &Series, samples: &Samples) -> Option<Domain> {
    let compares = matches!(series.role, Role::Upper | Role::Lower) && !series.is_margin;
    let holds_bound = series.bound.is_some_and(|bound| 0.0 < bound && bound < 1.0);
    let mut values = samples.finite().iter().map(|sample| sample.value);
    let all_lie_there = values.all(|value| (0.0..=1.0).contains(&value));
    let seem = compares && holds_bound && all_lie_there && !samples.finite().is_empty();
    seem.then(|| Domain::new(0.0, 1.0).ok()).flatten()
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

    #[test]
    fn values_within_0_and_1_are_suspected_to_be_shares() {
        let suspects = |role, bound: f64, values: &[f64]| {
            let series = Series::new(role, bound);
            suspected(&series, &Samples::from_values(values)).is_some()
        };
        assert!(suspects(Role::Upper, 0.95, &[0.9, 0.2, 0.97]));
        assert!(suspects(Role::Lower, 0.3, &[0.9, 0.2, f64::NAN]));
        assert!(!suspects(Role::Upper, 0.95, &[0.9, 0.2, 1.01]));
        assert!(!suspects(Role::Upper, 0.95, &[0.9, -0.2]));
        assert!(!suspects(Role::Upper, 1.0, &[0.9, 0.2]));
        assert!(!suspects(Role::Lower, 0.0, &[0.9, 0.2]));
        assert!(!suspects(Role::Absolute, 0.1, &[0.05, 0.2]));
        assert!(!suspects(Role::Upper, 0.5, &[f64::NAN]));
    }
}
