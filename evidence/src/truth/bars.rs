//! The bars of the truth table: how many calibrations may break their promise, and figures of the design.

use statrs::function::beta::beta_reg;

use super::setting::{CONFIDENCES, Variant};
use super::table::Row;

/// The share of calibrations that may break their promise: 1 − assurance.
pub const ALLOWED: f64 = 0.05;

/// The bars: guard everywhere, ceiling and both together where the tail is regular.
pub fn missed_bars(rows: &[Row]) -> Vec<String> {
    let mut missed = Vec::new();
    for row in rows {
        let regular = row.is_regular();
        for (setting, cell) in row.default_cells() {
            for (bar, violations, out_of, applies) in [
                ("guard", cell.guard_violations, cell.calibrations, true),
                (
                    "ceiling",
                    cell.ceiling_violations,
                    cell.calibrations,
                    regular,
                ),
                ("both", cell.both_violations, cell.calibrations, regular),
                ("whole test", cell.test_violations, cell.tests, regular),
            ] {
                if applies && violations > most_by_chance(out_of) {
                    let name = row.distribution.name;
                    missed.push(format!("{name}, {setting}: {bar} {violations} of {out_of}"));
                }
            }
        }
    }
    missed
}

/// Figures of the design for normal data: n, then tightness of the ceiling and power of the guard at 2 sd for the
/// three confidences. They are given to two digits, and the power for an average calibration.
const DESIGN: [(usize, [f64; 3], [f64; 3]); 3] = [
    (100, [2.2, 4.3, 9.4], [0.67, 0.66, 0.64]),
    (300, [1.5, 2.4, 4.2], [0.68, 0.67, 0.67]),
    (1000, [1.1, 1.6, 2.3], [0.69, 0.68, 0.67]),
];

/// Where the engine is worse than the design by more than rounding and Monte-Carlo error.
pub fn missed_design(rows: &[Row]) -> Vec<String> {
    let mut missed = Vec::new();
    let normal = rows.iter().find(|row| row.distribution.name == "normal");
    for (setting, cell) in normal.iter().flat_map(|row| &row.cells) {
        let design = DESIGN.iter().find(|(n, ..)| *n == setting.runs);
        let which = CONFIDENCES.iter().position(|c| *c == setting.confidence);
        let (Some((_, tightness, power)), Some(which)) = (design, which) else {
            continue;
        };
        if (setting.sites, setting.variant) != (1, Variant::Default) {
            continue;
        }
        let error = 3.0 * cell.tightness_error();
        let tight = cell.median_tightness().unwrap_or(f64::INFINITY);
        if tight > tightness[which] + 0.05 + error {
            missed.push(format!(
                "{setting}: tightness {tight:.2}, the design has {}",
                tightness[which]
            ));
        }
        let caught = cell.mean_power()[1];
        if caught < power[which] - 0.015 {
            missed.push(format!(
                "{setting}: power {caught:.3}, the design has {}",
                power[which]
            ));
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
    use crate::truth::setting::settings;
    use crate::truth::table::measure;

    /// Fixed seeds: the verdict is the same each time.
    #[test]
    fn the_engine_keeps_its_rate_on_every_distribution() {
        let rows = measure(200, &[50, 300], &settings(&[Variant::Default]));
        assert!(rows.len() >= 20);
        assert_eq!(missed_bars(&rows), Vec::<String>::new());
        // A check that cannot fail checks nothing: without its margin, the ceiling would break its promise.
        let typical = measure(50, &[300], &settings(&[Variant::Typical]));
        let broken = |row: &Row| row.cells[0].1.ceiling_violations > most_by_chance(50);
        assert!(typical.iter().filter(|row| broken(row)).count() > 10);
    }

    #[test]
    fn chance_is_a_binomial_quantile() {
        // scipy.stats.binom.isf(1e-6, 2000, 0.05) is 149.
        assert_eq!(most_by_chance(2000), 149);
        assert_eq!(most_by_chance(0), 0);
    }
}
