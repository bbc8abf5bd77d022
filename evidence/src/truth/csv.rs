//! The truth table as lines for a spreadsheet.

use std::fmt::Write;

use super::rates::Tier;
use super::table::Row;
use crate::statistics::median;

/// Every cell, a line each.
pub fn csv(rows: &[Row]) -> String {
    let mut lines = "distribution,tail,variant,n,confidence,sites,settling,calibrations,guards,ceilings,refusals,\
                     race_violations,strays_violations,ceiling_violations,all_violations,race_rate,strays_rate,\
                     ceiling_rate,all_rate,tightness,distance,tests,test_violations\n"
        .to_owned();
    for row in rows {
        for (setting, cell) in &row.cells {
            let violations = Tier::ALL.map(|tier| cell.violations(tier).to_string());
            let rates = Tier::ALL.map(|tier| format!("{:.4}", cell.mean_rate(tier)));
            let _ = writeln!(
                lines,
                "\"{}\",{},{},{},{},{},{:?},{},{},{},{},{},{},{:.4},{:.4},{},{}",
                row.distribution.name,
                row.distribution.tail.as_str(),
                setting.variant.as_str(),
                setting.runs,
                setting.confidence,
                setting.sites,
                setting.settling,
                cell.calibrations,
                cell.guards,
                cell.ceilings,
                cell.refusals,
                violations.join(","),
                rates.join(","),
                median(&cell.tightness),
                median(&cell.distance),
                cell.tests,
                cell.test_violations,
            );
        }
    }
    lines
}
