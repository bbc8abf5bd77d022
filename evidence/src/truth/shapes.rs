//! The truth table by runs and confidence: tightness of the ceiling, power of the guard, and other ceilings.

use std::fmt::Write;

use super::cell::Cell;
use super::setting::{CONFIDENCES, RUNS, Variant};
use super::table::Row;
use crate::statistics::percent;

/// Writes how tight the ceiling is.
pub fn tightness(page: &mut String, rows: &[Row]) {
    page.push_str(
        "## How tight the ceiling is

Median of (B − median)/(true quantile − median), one site. The prototypes of the design reached for normal data
2.2 / 4.3 / 9.4 at n = 100, 1.5 / 2.4 / 4.2 at n = 300 and 1.1 / 1.6 / 2.3 at n = 1000.

| distribution | n | C = 0.99 | C = 0.999 | C = 0.9999 |
|---|---|---|---|---|
",
    );
    for row in shown(rows) {
        grid(page, row, |cell| {
            cell.median_tightness()
                .map_or("–".to_owned(), |t| format!("{t:.2}"))
        });
    }
    page.push('\n');
}

/// Writes what the guard catches and costs.
pub fn power(page: &mut String, rows: &[Row]) {
    page.push_str(
        "## What the guard catches and costs

Probability that one run of the test ends in a regression verdict after a shift by 1 / 2 / 3 / 4 standard deviations,
and the true expected extra runs per run of unchanged code; one site, effort 0.3. The design promises at 2 sd, for
normal data, .67 / .66 / .64 at n = 100 and .69 / .68 / .67 at n = 1000.

| distribution | n | C = 0.99 | C = 0.999 | C = 0.9999 |
|---|---|---|---|---|
",
    );
    for row in shown(rows) {
        grid(page, row, |cell| {
            let power = cell.mean_power().map(|p| format!("{p:.2}")).join(" / ");
            let extra = cell.extra_runs / cell.guards.max(1) as f64;
            format!("{power}; {extra:.2}")
        });
    }
    page.push('\n');
}

/// Writes other ceilings beside the default.
pub fn variants(page: &mut String, rows: &[Row]) {
    page.push_str(
        "## Other ceilings, for comparison

One site, n = 300, C = 0.9999: violations, mean rate ÷ budget, and tightness. *light* is `tail = light`, a promise that
only the light and bounded tails keep; *predictive* keeps the rate on average instead of in 95% of calibrations;
*no margin* is the plain estimate of the quantile, which is what makes published tools fail.

| distribution | tail | default | light | predictive | no margin |
|---|---|---|---|---|---|
",
    );
    for row in rows {
        let _ = write!(
            page,
            "| {} | {} |",
            row.distribution.name,
            row.distribution.tail.as_str()
        );
        for variant in Variant::ALL {
            let entry = row.one_site(300, 0.9999, variant).map(|cell| {
                let rate = cell.ceiling_rate / cell.ceilings.max(1) as f64;
                let tightness = cell.median_tightness().unwrap_or(f64::NAN);
                format!(
                    "{}, {rate:.2}, {tightness:.1}",
                    percent(cell.share(cell.ceiling_violations))
                )
            });
            let _ = write!(page, " {} |", entry.unwrap_or_default());
        }
        page.push('\n');
    }
}

/// The distributions that are shown by runs and confidence.
const SHOWN: [&str; 6] = [
    "normal",
    "exponential",
    "t with 4 degrees",
    "uniform",
    "Poisson 4",
    "accuracy on 200, lower tail",
];

fn shown(rows: &[Row]) -> impl Iterator<Item = &Row> {
    rows.iter()
        .filter(|row| SHOWN.contains(&row.distribution.name))
}

/// A table over runs and confidences, for tests with one site.
fn grid(page: &mut String, row: &Row, entry: impl Fn(&Cell) -> String) {
    for runs in RUNS {
        let _ = write!(page, "| {} | {runs} |", row.distribution.name);
        for confidence in CONFIDENCES {
            let cell = row.one_site(runs, confidence, Variant::Default);
            let _ = write!(page, " {} |", cell.map(&entry).unwrap_or_default());
        }
        page.push('\n');
    }
}
