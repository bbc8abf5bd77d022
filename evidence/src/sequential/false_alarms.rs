//! How often a claim that holds is called broken.

use std::fmt::Write;

use flex_core::sequential::{Allowed, Claim, NoWorseClaim, PairedBy, RateClaim};
use flex_core::tail::Side;

use super::exact::{self, YesAndNo};
use super::laws::{Case, cases};
use super::simulate::alarms;
use crate::page::{Bar, Section, Size};

const LEVELS: [f64; 3] = [1e-2, 1e-3, 1e-4];

/// Simulated tests of each claim.
const TESTS: usize = 100_000;

/// Runs of the tests whose probabilities are counted exactly.
const EXACT_RUNS: usize = 1000;

/// A count of alarms at level 10⁻⁴ that has a probability of under 10⁻⁵ if the rate is kept: P(Poisson(10) > 25).
const MOST_AT_SMALLEST: usize = 25;

pub fn section(size: Size) -> Section {
    let tests = size.of(TESTS);
    let mut text = format!(
        "Claims that hold, each on {tests} simulated tests: the share in which the evidence against it ever reached 1/α. A test
makes its 100 to 300 runs to the end, also where it would have been called fine. At α = 10⁻⁴ the number of tests is shown.

| family | law | runs | α = 10⁻² | 10⁻³ | 10⁻⁴ |
|---|---|---|---|---|---|
"
    );
    let mut worst = [0.0f64; 2];
    let mut most = 0;
    for Case {
        family,
        law,
        claim,
        draw,
        runs,
    } in cases()
    {
        let [first, second, third] = alarms(&claim, LEVELS, &draw, tests, runs);
        let share = |count: usize| count as f64 / tests as f64;
        worst = [worst[0].max(share(first)), worst[1].max(share(second))];
        most = most.max(third);
        let _ = writeln!(
            text,
            "| {family} | {law} | {runs} | {:.5} | {:.5} | {third} |",
            share(first),
            share(second)
        );
    }
    let (table, highest) = exactly();
    text += &table;
    let share = |level: f64, measured: f64| Bar {
        what: format!("largest share of false alarms, α = {level}"),
        measured: format!("{measured:.5}"),
        bar: format!("≤ {level}"),
        kept: measured <= level,
    };
    let mut bars = vec![share(0.01, worst[0]), share(0.001, worst[1])];
    bars.push(Bar {
        what: format!("most false alarms of {tests} tests, α = 0.0001"),
        measured: most.to_string(),
        bar: format!("≤ {MOST_AT_SMALLEST}, which 10⁻⁴ passes once in 10⁵"),
        kept: most <= MOST_AT_SMALLEST,
    });
    bars.push(Bar {
        what: "largest exact probability of a false alarm, as a part of α".to_owned(),
        measured: format!("{highest:.3}"),
        bar: "≤ 1".to_owned(),
        kept: highest <= 1.0,
    });
    Section::with_bars(text + "\n", &bars)
}

/// Rates and signs, whose probabilities can be counted.
fn exactly() -> (String, f64) {
    let mut text = format!(
        "
Rates and signs, exactly: the probability of a false alarm within {EXACT_RUNS} runs.

| claim | truth | α = 10⁻² | 10⁻³ | 10⁻⁴ |
|---|---|---|---|---|
"
    );
    let mut highest = 0f64;
    let mut row = |name: String, claim: &Claim, outcomes, truth: f64| {
        let found = exact::alarm(claim, outcomes, truth, LEVELS, EXACT_RUNS);
        for (found, level) in found.iter().zip(LEVELS) {
            highest = highest.max(found / level);
        }
        let cells = found.map(|p| format!(" {p:.2e}")).join(" |");
        let _ = writeln!(text, "| {name} | {truth} |{cells} |");
    };
    for bound in [0.5, 0.8, 0.9, 0.95, 0.99] {
        let claim = |allowed| {
            Claim::Rate(RateClaim {
                allowed,
                margin: 0.0,
            })
        };
        let at_least = claim(Allowed::AtLeast(bound));
        row(format!("rate ≥ {bound}"), &at_least, YesAndNo::RATE, bound);
        let inside = bound + 0.25 * (1.0 - bound);
        row(format!("rate ≥ {bound}"), &at_least, YesAndNo::RATE, inside);
        let mirrored = ((1.0 - bound) * 100.0_f64).round() / 100.0;
        let at_most = claim(Allowed::AtMost(mirrored));
        row(
            format!("rate ≤ {mirrored}"),
            &at_most,
            YesAndNo::RATE,
            mirrored,
        );
    }
    let outcomes = YesAndNo {
        yes: [2.0, 0.0],
        no: [0.0, 1.0],
        pairs: true,
    };
    for truth in [0.5, 0.45] {
        let signs = Claim::NoWorse(NoWorseClaim {
            worse: Side::Upper,
            margin: 0.5,
            by: PairedBy::Signs,
        });
        row("no worse, by signs".to_owned(), &signs, outcomes, truth);
    }
    (text + "\n", highest)
}
