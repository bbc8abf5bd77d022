//! The cells of the truth table as a page that a person reads.

use std::fmt::Write;

use super::again::{self, Again};
use super::bars::{ALLOWED, missed_bars, missed_design, most_by_chance};
use super::cell::Cell;
use super::rates::Tier;
use super::setting::Setting;
use super::shapes;
use super::table::Row;
use crate::statistics::percent;

/// The section of the part `cells`.
pub fn section(rows: &[Row], again: &[Again], calibrations: usize) -> String {
    let cells: usize = rows.iter().map(|row| row.default_cells().count()).sum();
    let mut page = format!(
        "Written by `cargo xtask truth`: {} distributions whose tail probabilities are known exactly, {cells} cells
(distribution × runs × confidence × sites of the test × whether runs can be replayed), {calibrations} simulated
calibrations in each. Every learned bound is judged by its true false-alarm rate, computed and not counted. A *violation*
is a calibration whose true rate exceeds its part of the budget: 10% for the race, 10% for strays, 80% for the ceiling.
At most {:.0}% may. All cells are in `truth.csv`.

The race is judged harder than unchanged code would: a run of unchanged code that can be replayed is cleared by the
replay and never comes to a race. Here every run enters it, as those of code do that changed and is as good as before.

",
        rows.len(),
        100.0 * ALLOWED
    );
    bars(&mut page, rows, calibrations);
    again::report(&mut page, again);
    by_distribution(&mut page, rows);
    shapes::tightness(&mut page, rows);
    shapes::variants(&mut page, rows);
    page
}

/// The share of tests that broke their promise.
fn of_tests(cell: &Cell) -> f64 {
    cell.test_violations as f64 / cell.tests.max(1) as f64
}

fn bars(page: &mut String, rows: &[Row], calibrations: usize) {
    let allowed = 100.0 * most_by_chance(calibrations) as f64 / calibrations as f64;
    let _ = writeln!(page, "## The bars\n");
    let _ = writeln!(
        page,
        "| bar | mean over cells | worst cell | where |\n|---|---|---|---|"
    );
    let mut bar = |name: &str, tier: Tier, share: &dyn Fn(&Cell) -> f64| {
        let chosen: Vec<(&Row, &Setting, f64)> = rows
            .iter()
            .filter(|row| row.promises(tier))
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
    };
    for (name, tier) in [
        ("race, every distribution", Tier::Race),
        ("strays, every distribution", Tier::Strays),
        ("ceiling, regular tails", Tier::Ceiling),
        ("all together, regular tails", Tier::All),
    ] {
        bar(name, tier, &|cell| cell.share(cell.violations(tier)));
    }
    bar(
        "all sites of a test together, regular tails",
        Tier::All,
        &of_tests,
    );
    let mut missed = missed_bars(rows);
    missed.extend(missed_design(rows));
    let _ = writeln!(
        page,
        "
A cell misses its bar when chance does not explain its violations: more than {allowed:.1}% of {calibrations}
calibrations, which a share of 1% shows once in a million cells. **{}**
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

Violations in the worst cell, then the mean over cells of the true rate ÷ its part of the budget, then how often there
is no ceiling or nothing at all. For *irregular* tails the ceiling promises nothing.

| distribution | tail | race | strays | ceiling | all | rate: race | strays | ceiling | all | no ceiling | refused |
|---|---|---|---|---|---|---|---|---|---|---|---|
",
    );
    for row in rows {
        let cells: Vec<&Cell> = row.default_cells().map(|(_, cell)| cell).collect();
        let mean = |of: &dyn Fn(&Cell) -> f64| {
            cells.iter().map(|cell| of(cell)).sum::<f64>() / cells.len().max(1) as f64
        };
        let worst = Tier::ALL.map(|tier| {
            let shares = cells.iter().map(|cell| cell.share(cell.violations(tier)));
            percent(shares.fold(0.0, f64::max))
        });
        let rates = Tier::ALL.map(|tier| format!("{:.2}", mean(&|cell| cell.mean_rate(tier))));
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} |",
            row.distribution.name,
            row.distribution.tail.as_str(),
            worst.join(" | "),
            rates.join(" | "),
            percent(mean(&|cell| cell.share(cell.calibrations - cell.ceilings))),
            percent(mean(&|cell| cell.share(cell.refusals))),
        );
    }
    page.push('\n');
}
