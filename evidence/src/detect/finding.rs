//! What a search finds of planted flakiness, and in sound tests: the real search and verdicts over simulated tests.

use std::fmt::Write;

use flex_core::bound::declared::clopper_pearson;

use super::planted::{self, RATE, TESTS};
use super::sound_suites::{self, DETERMINISTIC, SOUND, STOCHASTIC, SUITES};
use crate::distribution;
use crate::page::{Bar, Section};

/// The probability with which a flaky test is to be found.
const FOUND: f64 = 0.99;

/// The section of the part `finding`.
pub fn section() -> Section {
    let distributions = distribution::all();
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
    for row in planted::measure(&distributions) {
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
    let sound = sound_suites::measure(&distributions);
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
    Section::with_bars(text, &bars)
}
