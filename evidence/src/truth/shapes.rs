//! The truth table by runs and confidence: how far out the ceiling lies, and other ceilings.

use std::fmt::Write;

use super::rates::Tier;
use super::setting::{CONFIDENCES, RUNS, Variant};
use super::table::Row;
use crate::statistics::{median, percent};

/// Writes how far out the ceiling is.
pub fn tightness(page: &mut String, rows: &[Row]) {
    page.push_str(
        "## How far out the ceiling lies

Medians over calibrations of (B − median)/(true quantile − median), and in brackets of (B − median)/standard deviation;
one site.

| distribution | n | C = 0.99 | C = 0.999 | C = 0.9999 |
|---|---|---|---|---|
",
    );
    for row in shown(rows) {
        for runs in RUNS {
            let _ = write!(page, "| {} | {runs} |", row.distribution.name);
            for confidence in CONFIDENCES {
                let cell = row.one_site(runs, confidence, Variant::Default);
                let entry = cell.filter(|cell| !cell.tightness.is_empty()).map(|cell| {
                    let (tightness, distance) = (median(&cell.tightness), median(&cell.distance));
                    format!("{tightness:.2} ({distance:.1} sd)")
                });
                let _ = write!(page, " {} |", entry.unwrap_or("–".to_owned()));
            }
            page.push('\n');
        }
    }
    page.push('\n');
}

/// Writes other ceilings beside the default.
pub fn variants(page: &mut String, rows: &[Row]) {
    page.push_str(
        "## Other ceilings, for comparison

One site, n = 300, C = 0.9999: violations, mean rate ÷ budget, and tightness. *light* is `tail = light`, a promise that
only the light and bounded tails keep; *predictive* keeps the rate on average instead of in 99% of calibrations;
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
                let violations = percent(cell.share(cell.violations(Tier::Ceiling)));
                let rate = cell.mean_rate(Tier::Ceiling);
                let tightness = cell.median_tightness().unwrap_or(f64::NAN);
                format!("{violations}, {rate:.2}, {tightness:.1}")
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
