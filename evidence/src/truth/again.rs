//! The worst cells of the truth table, simulated again with another seed and more calibrations.

use std::fmt::Write;

use super::bars::{ALLOWED, most_by_chance};
use super::cell::simulate;
use super::rates::Tier;
use super::setting::Setting;
use super::table::Row;
use crate::parallel::in_parallel;
use crate::statistics::percent;

/// A cell that looked bad, with many more calibrations and another seed.
pub struct Again {
    distribution: &'static str,
    setting: Setting,
    tier: Tier,
    before: f64,
    violations: usize,
    calibrations: usize,
}

impl Again {
    fn share(&self) -> f64 {
        self.violations as f64 / self.calibrations.max(1) as f64
    }

    /// Why the promise is broken, if it is.
    pub fn missed(&self) -> Option<String> {
        (self.violations > most_by_chance(self.calibrations)).then(|| {
            format!(
                "{}, {}: {} {} of {} when looked at again",
                self.distribution,
                self.setting,
                self.tier.as_str(),
                self.violations,
                self.calibrations
            )
        })
    }
}

/// Simulates the worst cells of each tier again. The worst of two thousand cells are partly bad luck; what remains of
/// them is not.
pub fn look_again(rows: &[Row], calibrations: usize) -> Vec<Again> {
    const WORST: usize = 6;
    let mut chosen: Vec<(&Row, Setting, Tier, f64)> = Vec::new();
    for tier in Tier::ALL {
        let mut cells: Vec<(&Row, Setting, Tier, f64)> = rows
            .iter()
            .filter(|row| row.promises(tier))
            .flat_map(|row| row.default_cells().map(move |cell| (row, cell)))
            .map(|(row, (setting, cell))| (row, *setting, tier, cell.share(cell.violations(tier))))
            .collect();
        cells.sort_by(|a, b| b.3.total_cmp(&a.3));
        chosen.extend(cells.into_iter().take(WORST));
    }
    in_parallel(&chosen, |(row, setting, tier, before)| {
        let seed = 0xa9a1 << 32 | setting.runs as u64;
        let sd = row.distribution.standard_deviation();
        let cells = simulate(
            &row.distribution,
            setting.runs,
            &[*setting],
            calibrations,
            (sd, seed),
        );
        Again {
            distribution: row.distribution.name,
            setting: *setting,
            tier: *tier,
            before: *before,
            violations: cells[0].1.violations(*tier),
            calibrations,
        }
    })
}

/// Writes the table of the cells that were simulated again.
pub fn report(page: &mut String, again: &[Again]) {
    let calibrations = again.first().map_or(0, |again| again.calibrations);
    let _ = write!(
        page,
        "The worst of so many cells are partly bad luck. Those of each bar, simulated again with another seed and
{calibrations} calibrations (standard error {:.2}%):

| tier | distribution | cell | before | again |
|---|---|---|---|---|
",
        100.0 * (ALLOWED * (1.0 - ALLOWED) / calibrations.max(1) as f64).sqrt()
    );
    for cell in again {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {:.2}% |",
            cell.tier.as_str(),
            cell.distribution,
            cell.setting,
            percent(cell.before),
            100.0 * cell.share()
        );
    }
    page.push('\n');
}
