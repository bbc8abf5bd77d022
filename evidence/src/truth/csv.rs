//! The truth table as lines for a spreadsheet.

use std::fmt::Write;

use super::table::Row;

/// Every cell, a line each.
pub fn csv(rows: &[Row]) -> String {
    let mut lines = "distribution,tail,variant,n,confidence,sites,calibrations,guards,guard_violations,\
                     guard_rate,power_1sd,power_2sd,power_3sd,power_4sd,extra_runs,ceilings,\
                     ceiling_violations,ceiling_rate,tightness,both_violations,both_rate,refusals,tests,\
                     test_violations\n"
        .to_owned();
    for row in rows {
        for (setting, cell) in &row.cells {
            let guards = cell.guards.max(1) as f64;
            let power = cell.mean_power().map(|p| format!("{p:.4}")).join(",");
            let _ = writeln!(
                lines,
                "\"{}\",{},{},{},{},{},{},{},{},{:.4},{power},{:.4},{},{},{:.4},{:.4},{},{:.4},{},{},{}",
                row.distribution.name,
                row.distribution.tail.as_str(),
                setting.variant.as_str(),
                setting.runs,
                setting.confidence,
                setting.sites,
                cell.calibrations,
                cell.guards,
                cell.guard_violations,
                cell.guard_rate / guards,
                cell.extra_runs / guards,
                cell.ceilings,
                cell.ceiling_violations,
                cell.ceiling_rate / cell.ceilings.max(1) as f64,
                cell.median_tightness().unwrap_or(f64::NAN),
                cell.both_violations,
                cell.both_rate / cell.calibrations.max(1) as f64,
                cell.refusals,
                cell.tests,
                cell.test_violations,
            );
        }
    }
    lines
}
