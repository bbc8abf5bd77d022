//! The cells of the truth table as a page that a person reads.

use std::fmt::Write;

use super::again::{self, Again};
use super::bars::{ALLOWED, missed_bars, missed_design, most_by_chance};
use super::cell::Cell;
use super::setting::Setting;
use super::shapes;
use super::table::Row;
use crate::statistics::percent;

/// The section of the part `cells`.
pub fn section(rows: &[Row], again: &[Again], calibrations: usize) -> String {
    let cells: usize = rows.iter().map(|row| row.default_cells().count()).sum();
    let mut page = format!(
        "Written by `cargo xtask truth`: {} distributions whose tail probabilities are known exactly, {cells} cells
(distribution × runs × confidence × sites of the test), {calibrations} simulated calibrations in each. Every learned
bound is judged by its true false-alarm rate. A *violation* is a calibration whose true rate exceeds its budget;
at most {:.0}% may. All cells are in `truth.csv`.

",
        rows.len(),
        100.0 * ALLOWED
    );
    bars(&mut page, rows, calibrations);
    again::report(&mut page, again);
    by_distribution(&mut page, rows);
    shapes::tightness(&mut page, rows);
    shapes::power(&mut page, rows);
    shapes::variants(&mut page, rows);
    page
}

/// A share of the calibrations of a cell.
type ShareOf = fn(&Cell) -> f64;

const GUARD: ShareOf = |cell| cell.share(cell.guard_violations);
const CEILING: ShareOf = |cell| cell.share(cell.ceiling_violations);
const BOTH: ShareOf = |cell| cell.share(cell.both_violations);
const TEST: ShareOf = |cell| cell.test_violations as f64 / cell.tests.max(1) as f64;

fn bars(page: &mut String, rows: &[Row], calibrations: usize) {
    let allowed = 100.0 * most_by_chance(calibrations) as f64 / calibrations as f64;
    let _ = writeln!(page, "## The bars\n");
    let _ = writeln!(
        page,
        "| bar | mean over cells | worst cell | where |\n|---|---|---|---|"
    );
    for (name, share, everywhere) in [
        ("guard with its reruns, every distribution", GUARD, true),
        ("ceiling, regular tails", CEILING, false),
        ("both together, regular tails", BOTH, false),
        ("all sites of a test together, regular tails", TEST, false),
    ] {
        let chosen: Vec<(&Row, &Setting, f64)> = rows
            .iter()
            .filter(|row| everywhere || row.is_regular())
            .flat_map(|row| row.default_cells().map(move |(s, c)| (row, s, share(c))))
            .collect();
        let mean = chosen.iter().map(|c| c.2).sum::<f64>() / chosen.len().max(1) as f64;
        if let Some((row, setting, worst)) = chosen.iter().max_by(|a, b| a.2.total_cmp(&b.2)) {
            let _ = writeln!(
                page,
                "| {name} | {} | {} | {}, {setting} |",
                percent(mean),
                percent(*worst),
                row.distribution.name
            );
        }
    }
    let mut missed = missed_bars(rows);
    missed.extend(missed_design(rows));
    let _ = writeln!(
        page,
        "
A cell misses its bar when chance does not explain its violations: more than {allowed:.1}% of {calibrations}
calibrations, which a share of 5% shows once in a million cells. **{}**
",
        match missed.len() {
            0 => "No cell misses, and no figure of the design's is missed.".to_owned(),
            n => format!("{n} miss: {}", missed.join("; ")),
        }
    );
}

fn by_distribution(page: &mut String, rows: &[Row]) {
    page.push_str(
        "## By distribution

Violations in the worst cell, then the mean over cells of the true rate ÷ its budget, then how often there is no
ceiling or nothing at all. For *irregular* tails the ceiling promises nothing.

| distribution | tail | guard | ceiling | both | rate: guard | ceiling | both | no ceiling | refused |
|---|---|---|---|---|---|---|---|---|---|
",
    );
    for row in rows {
        let worst = |share: ShareOf| {
            let shares = row.default_cells().map(|(_, cell)| share(cell));
            percent(shares.fold(0.0, f64::max))
        };
        let mean = |of: fn(&Cell) -> f64| {
            let cells: Vec<f64> = row.default_cells().map(|(_, cell)| of(cell)).collect();
            cells.iter().sum::<f64>() / cells.len().max(1) as f64
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {} | {} |",
            row.distribution.name,
            row.distribution.tail.as_str(),
            worst(GUARD),
            worst(CEILING),
            worst(BOTH),
            mean(|cell| cell.guard_rate / cell.guards.max(1) as f64),
            mean(|cell| cell.ceiling_rate / cell.ceilings.max(1) as f64),
            mean(|cell| cell.both_rate / cell.calibrations.max(1) as f64),
            percent(mean(|cell| cell.share(cell.calibrations - cell.ceilings))),
            percent(mean(|cell| cell.share(cell.refusals))),
        );
    }
    page.push('\n');
}
