//! The words and tables of docs/detect.md.

use std::fmt::Write;

use flex_core::bound::declared::clopper_pearson;

use super::clusters::{Claimed, REAL, SAMPLES, SIZES};
use super::finding::{DETERMINISTIC, Measured, RATE, SOUND, STOCHASTIC, SUITES, TESTS};
use crate::page::{Bar, Section, table};

pub fn page(sections: &[&str]) -> String {
    format!(
        "# The search for flaky tests, measured

Written by `cargo xtask detect`, which fails if a bar is missed. Seeds are fixed, so the counts are the same each time.

{}",
        sections.join("\n")
    )
}

/// The probability with which a flaky test is to be found.
const FOUND: f64 = 0.99;

/// The part of healthy samples that may be said to have a second mode.
const WRONG: f64 = 1e-4;

pub fn finding(measured: &Measured) -> Section {
    let mut text = format!(
        "## Flaky tests that are found, and sound ones that are left alone

{TESTS} simulated tests of each kind that fail in {}% of their runs go through the search and the verdicts of `detect`;
only the processes are left out. Found: those with a finding, and the 95% interval of Clopper and Pearson. No test of a
row ended without a failure before the runs in the last column but one, which makes the probability in the last column
certain, whatever was drawn.

| kind | found | runs | a second mode | fewest runs | probability at least |
|---|---|---|---|---|---|
",
        100.0 * RATE
    );
    let mut bars = Vec::new();
    for row in &measured.planted {
        let share = |count: u64| 100.0 * count as f64 / TESTS as f64;
        let (low, high) = clopper_pearson(row.found as usize, TESTS as usize, 0.95);
        let least = 1.0 - (1.0 - RATE).powf(f64::from(row.fewest_unseen));
        let _ = writeln!(
            text,
            "| {} | {:.2}% ({:.2}% to {:.2}%) | {:.0} | {:.1}% | {} | {:.2}% |",
            row.kind,
            share(row.found),
            100.0 * low,
            100.0 * high,
            row.runs,
            share(row.second_mode),
            row.fewest_unseen,
            100.0 * least
        );
        bars.push(Bar {
            what: format!("found: {}", row.kind),
            measured: format!("{:.2}%, at least {:.2}%", share(row.found), 100.0 * least),
            bar: format!("≥ {FOUND}"),
            kept: least >= FOUND && high >= least,
        });
    }
    let sound = &measured.sound;
    let _ = write!(
        text,
        "
{SUITES} suites of {DETERMINISTIC} deterministic and {STOCHASTIC} stochastic tests with one to three assertions over
values of every healthy kind of the truth table, in different units and on either side, which fail with a probability
of {SOUND:e} a run: {} runs of stochastic tests. Asked for a probability of 1e-3, `detect` calls {} of the {} stochastic
tests risky; of the {} whose values have no end near their bound, it is {}. Values that end where their bound is, such
as uniform ones, look as if they could go on.

",
        sound.runs, sound.risky, sound.stochastic, sound.unending, sound.risky_unending
    );
    let none = |what: &str, count: u64, of: u64| Bar {
        what: what.to_owned(),
        measured: format!("{count} of {of}"),
        bar: "0".to_owned(),
        kept: count == 0,
    };
    bars.push(none(
        "deterministic tests of which anything is told",
        sound.false_deterministic,
        sound.deterministic,
    ));
    bars.push(none(
        "sound stochastic tests with a finding",
        sound.false_stochastic,
        sound.stochastic,
    ));
    bars.push(none(
        "sound stochastic tests of which anything is told",
        sound.told,
        sound.stochastic,
    ));
    let (rows, missed) = table(&bars);
    text += &rows;
    Section { text, missed }
}

pub fn clusters(claimed: &[Claimed]) -> Section {
    let sizes = SIZES.map(|size| format!("{size} runs")).join(" | ");
    let mut text = format!(
        "## A second mode is claimed on strong evidence only

{SAMPLES} samples of each size from every distribution of the truth table that has one mode, and {REAL} from those that
mix two: how many are said to have a second mode. The bar, {WRONG:e}, is on each distribution, over all sizes. Of fewer
than 52 runs it is never said.

| values | {sizes} | |
|---|{}---|
",
        "---|".repeat(SIZES.len())
    );
    let mut missed = Vec::new();
    for row in claimed {
        let cells = row.claims.map(|count| count.to_string()).join(" | ");
        let total: usize = row.claims.iter().sum();
        let all = SIZES.len() * SAMPLES;
        let kept = total as f64 <= WRONG * all as f64;
        let word = match (row.is_healthy, kept) {
            (false, _) => "two populations",
            (true, true) => "kept",
            (true, false) => "**missed**",
        };
        let _ = writeln!(text, "| {} | {cells} | {word} |", row.name);
        if row.is_healthy && !kept {
            missed.push(format!(
                "second mode of {}: {total} of {all}, bar {WRONG}",
                row.name
            ));
        }
    }
    Section { text, missed }
}
