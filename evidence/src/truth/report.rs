//! The truth table as a page that a person reads, and as lines for a spreadsheet.

use std::fmt::Write;

use super::cell::{CONFIDENCES, Cell, Setting, Variant};
use super::distribution::Kind;
use super::{ALLOWED, RUNS, Row, Truth, missed_bars, missed_design, most_by_chance};

/// The page.
pub fn page(truth: &Truth<'_>) -> String {
    let (rows, calibrations) = (truth.rows, truth.calibrations);
    let mut page = String::new();
    let cells: usize = rows.iter().map(|row| default_cells(row).count()).sum();
    let _ = write!(
        page,
        "# Is flex right about its own false-alarm rate?

Written by `cargo xtask truth`: {} distributions whose tail probabilities are known exactly, {cells} cells
(distribution × runs × confidence × sites of the test), {calibrations} simulated calibrations in each. Every learned
bound is judged by its true false-alarm rate. A *violation* is a calibration whose true rate exceeds its budget;
at most {:.0}% may. All cells are in `truth.csv`.

",
        rows.len(),
        100.0 * ALLOWED
    );
    verdict(&mut page, rows, calibrations);
    looked_at_again(&mut page, truth);
    by_distribution(&mut page, rows);
    tightness(&mut page, rows);
    power(&mut page, rows);
    variants(&mut page, rows);
    published(&mut page, truth);
    stopped(&mut page, truth);
    page.push_str(WEAK);
    page
}

const WEAK: &str = "
## What remains weak

- **A mode that no sample has shown.** A jump that happens in 1 of 500 runs is in none of 100 samples four times out
  of five. No single-run bound can know of it; the ceiling then fails as often as the jump happens. The rows marked
  *irregular* show it, and this is why the bars for the ceiling, alone or together with the guard, are set for regular
  tails only. The guard is not affected: a jump that does not repeat is cleared.
- **Wide but rare contamination** (1 in 100, ten times as wide) looks like a regular tail until a sample shows it.
- **The price of soundness at few runs.** At n = 100 and C = 0.9999 the ceiling lies several times as far out as the
  true quantile; it is there for catastrophes. The guard does the daily work.
- **Tests with many sites** have little effort for each: with 20 sites the guard is close to the largest sample.
";

fn default_cells(row: &Row) -> impl Iterator<Item = &(Setting, Cell)> {
    row.cells
        .iter()
        .filter(|(setting, _)| setting.variant == Variant::Default)
}

/// A share of the calibrations of a cell.
type Share = fn(&Cell) -> f64;

const GUARD: Share = |cell| cell.share(cell.guard_violations);
const CEILING: Share = |cell| cell.share(cell.ceiling_violations);
const BOTH: Share = |cell| cell.share(cell.both_violations);
const TEST: Share = |cell| cell.test_violations as f64 / cell.tests.max(1) as f64;

fn verdict(page: &mut String, rows: &[Row], calibrations: usize) {
    let regular = |row: &&Row| row.distribution.kind != Kind::Irregular;
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
            .filter(|row| everywhere || regular(row))
            .flat_map(|row| default_cells(row).map(move |(s, c)| (row, s, share(c))))
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

fn looked_at_again(page: &mut String, truth: &Truth<'_>) {
    let calibrations = truth.again.first().map_or(0, |again| again.calibrations);
    let _ = write!(
        page,
        "The worst of so many cells are partly bad luck. Those of each bar, simulated again with another seed and
{calibrations} calibrations (standard error {:.2}%):

| tier | distribution | cell | before | again |
|---|---|---|---|---|
",
        100.0 * (ALLOWED * (1.0 - ALLOWED) / calibrations.max(1) as f64).sqrt()
    );
    for again in truth.again {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {:.2}% |",
            again.tier.as_str(),
            again.distribution,
            again.setting,
            percent(again.before),
            100.0 * again.share()
        );
    }
    page.push('\n');
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
        let worst = |share: Share| {
            let shares = default_cells(row).map(|(_, cell)| share(cell));
            percent(shares.fold(0.0, f64::max))
        };
        let mean = |of: fn(&Cell) -> f64| {
            let cells: Vec<f64> = default_cells(row).map(|(_, cell)| of(cell)).collect();
            cells.iter().sum::<f64>() / cells.len().max(1) as f64
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {} | {} |",
            row.distribution.name,
            row.distribution.kind.as_str(),
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

/// A table over runs and confidences, for tests with one site.
fn grid(page: &mut String, row: &Row, variant: Variant, entry: impl Fn(&Cell) -> String) {
    for runs in RUNS {
        let _ = write!(page, "| {} | {runs} |", row.distribution.name);
        for confidence in CONFIDENCES {
            let cell = row.cells.iter().find(|(s, _)| {
                (s.runs, s.confidence, s.sites, s.variant) == (runs, confidence, 1, variant)
            });
            let _ = write!(
                page,
                " {} |",
                cell.map(|(_, c)| entry(c)).unwrap_or_default()
            );
        }
        page.push('\n');
    }
}

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

fn tightness(page: &mut String, rows: &[Row]) {
    page.push_str(
        "## How tight the ceiling is

Median of (B − median)/(true quantile − median), one site. The prototypes of the design reached for normal data
2.2 / 4.3 / 9.4 at n = 100, 1.5 / 2.4 / 4.2 at n = 300 and 1.1 / 1.6 / 2.3 at n = 1000.

| distribution | n | C = 0.99 | C = 0.999 | C = 0.9999 |
|---|---|---|---|---|
",
    );
    for row in shown(rows) {
        grid(page, row, Variant::Default, |cell| {
            cell.median_tightness()
                .map_or("–".to_owned(), |t| format!("{t:.2}"))
        });
    }
    page.push('\n');
}

fn power(page: &mut String, rows: &[Row]) {
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
        grid(page, row, Variant::Default, |cell| {
            let power = cell.mean_power().map(|p| format!("{p:.2}")).join(" / ");
            let extra = cell.extra_runs / cell.guards.max(1) as f64;
            format!("{power}; {extra:.2}")
        });
    }
    page.push('\n');
}

fn variants(page: &mut String, rows: &[Row]) {
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
            row.distribution.kind.as_str()
        );
        for variant in Variant::ALL {
            let cell = row.cells.iter().find(|(s, _)| {
                (s.runs, s.confidence, s.sites, s.variant) == (300, 0.9999, 1, variant)
            });
            let entry = cell.map(|(_, cell)| {
                let rate = cell.ceiling_rate / cell.ceilings.max(1) as f64;
                let tightness = cell.median_tightness().unwrap_or(f64::NAN);
                format!("{}, {rate:.2}, {tightness:.1}", percent(CEILING(cell)))
            });
            let _ = write!(page, " {} |", entry.unwrap_or_default());
        }
        page.push('\n');
    }
}

fn published(page: &mut String, truth: &Truth<'_>) {
    let calibrations = truth
        .compared
        .first()
        .map_or(0, |c| c.published.calibrations);
    let _ = write!(
        page,
        "
## The published method

`--method flex` (Peak over Threshold with maximum likelihood, thresholds by Anderson–Darling and ForwardStop) beside the
default on the same samples, C = 0.9999, {calibrations} calibrations: violations, median true rate ÷ (1 − C), and how
often there is a bound at all. The default's rate is that of guard and ceiling together.

| distribution | n | published: violations | median rate | has a bound | default: violations | median rate |
|---|---|---|---|---|---|---|
"
    );
    for compared in truth.compared {
        let (published, default) = (&compared.published, &compared.default);
        let share = |count: usize, of: usize| percent(count as f64 / of.max(1) as f64);
        let _ = writeln!(
            page,
            "| {} | {} | {} | {:.1} | {} | {} | {:.2} |",
            compared.distribution,
            compared.runs,
            share(published.violations, published.bounds),
            published.median_rate(),
            share(published.bounds, published.calibrations),
            share(default.violations, default.bounds),
            default.median_rate(),
        );
    }
}

fn stopped(page: &mut String, truth: &Truth<'_>) {
    let calibrations = truth.stopped.first().map_or(0, |s| s.calibrations);
    let _ = write!(
        page,
        "
## Stopping when tight

`--tight` goes on until the ceiling is tight, a rule that looks at the data. Violations of the ceiling when the real
calibration machine is driven to its end, {calibrations} calibrations each, and the runs it took:

| distribution | C = 0.99 | C = 0.999 | C = 0.9999 |
|---|---|---|---|
"
    );
    for of_one in truth.stopped.chunks(CONFIDENCES.len()) {
        let Some(first) = of_one.first() else {
            continue;
        };
        let _ = write!(page, "| {} |", first.distribution);
        for stopped in of_one {
            let share = stopped.violations as f64 / stopped.calibrations.max(1) as f64;
            let _ = write!(page, " {}, {:.0} runs |", percent(share), stopped.mean_runs);
        }
        page.push('\n');
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

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
                row.distribution.kind.as_str(),
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
