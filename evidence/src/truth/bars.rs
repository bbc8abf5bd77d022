//! The bars of the truth table: how many calibrations may break their promise, and figures of the design.

use statrs::function::beta::beta_reg;

use super::rates::Tier;
use super::setting::{CONFIDENCES, Variant};
use super::table::Row;

/// The share of calibrations that may break their promise: 1 − assurance.
pub const ALLOWED: f64 = 0.01;

/// The bars: races everywhere, ceiling and all together where the tail is regular.
pub fn missed_bars(rows: &[Row]) -> Vec<String> {
    let mut missed = Vec::new();
    for row in rows {
        for (setting, cell) in row.default_cells() {
            let mut check = |bar: &str, violations: usize, out_of: usize| {
                if violations > most_by_chance(out_of) {
                    let name = row.distribution.name;
                    missed.push(format!("{name}, {setting}: {bar} {violations} of {out_of}"));
                }
            };
            for tier in Tier::ALL {
                if row.promises(tier) {
                    check(tier.as_str(), cell.violations(tier), cell.calibrations);
                }
            }
            if row.promises(Tier::All) {
                check("whole test", cell.test_violations, cell.tests);
            }
        }
    }
    missed
}

/// Figures of the design for normal data (docs/design/bound.md, "How far out a ceiling lies"): n, then tightness of the
/// ceiling for the three confidences, to two digits.
const DESIGN: [(usize, [f64; 3]); 3] = [
    (100, [2.5, 5.6, 15.0]),
    (300, [1.6, 2.9, 6.3]),
    (1000, [1.2, 1.7, 3.0]),
];

/// Where the engine is worse than the design by more than rounding and Monte-Carlo error.
pub fn missed_design(rows: &[Row]) -> Vec<String> {
    let mut missed = Vec::new();
    let normal = rows.iter().find(|row| row.distribution.name == "normal");
    for (n, tightness) in DESIGN {
        for (confidence, expected) in CONFIDENCES.iter().zip(tightness) {
            let cell = normal.and_then(|row| row.one_site(n, *confidence, Variant::Default));
            let Some(cell) = cell else { continue };
            let error = 3.0 * cell.tightness_error();
            let tight = cell.median_tightness().unwrap_or(f64::INFINITY);
            if tight > expected + 0.05 * expected.max(1.0) + error {
                missed.push(format!(
                    "n {n}, C {confidence}: tightness {tight:.2}, the design has {expected}"
                ));
            }
        }
    }
    missed
}

/// Violations that chance explains at the allowed share: exceeded with probability below one in a million, so that
/// all cells together rarely raise a false alarm.
pub fn most_by_chance(calibrations: usize) -> usize {
    let exceeded = |most: usize| {
        if most >= calibrations {
            0.0
        } else {
            beta_reg(most as f64 + 1.0, (calibrations - most) as f64, ALLOWED)
        }
    };
    (0..calibrations)
        .find(|most| exceeded(*most) < 1e-6)
        .unwrap_or(calibrations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::setting::{Setting, settings};
    use crate::truth::table::measure;

    /// Fixed seeds: the verdict is the same each time.
    #[test]
    fn the_engine_keeps_its_rate_on_every_distribution() {
        let settings = |variants| -> Vec<Setting> {
            let all = settings(variants).into_iter();
            all.filter(|setting| setting.sites != 5 && setting.confidence != 0.999)
                .collect()
        };
        let rows = measure(60, &[30, 100], &settings(&[Variant::Default]));
        assert!(rows.len() >= 20);
        assert_eq!(missed_bars(&rows), Vec::<String>::new());
        // A check that cannot fail checks nothing: without its margin, the ceiling would break its promise.
        let typical = measure(50, &[300], &settings(&[Variant::Typical]));
        let broken = |row: &Row| row.cells[0].1.violations(Tier::Ceiling) > most_by_chance(50);
        assert!(typical.iter().filter(|row| broken(row)).count() > 10);
    }

    #[test]
    fn chance_is_a_binomial_quantile() {
        // scipy.stats.binom.isf(1e-6, 2000, 0.01) is 44.
        assert_eq!(most_by_chance(2000), 44);
        assert_eq!(most_by_chance(0), 0);
    }
}
