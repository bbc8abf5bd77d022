//! How many runs it takes to find a claim broken, or fine.

use std::fmt::Write;

use flex_core::sequential::{Levels, expected_runs};

use super::question::{ALPHA, Question, TOLERANCE};
use super::simulate::decide;
use super::{means, pairs, rates};
use crate::page::{Bar, Section, Size};
use crate::parallel::in_parallel;

/// The runs that a test takes at most.
const MOST: u64 = 100_000;

/// Our runs beside the oracle's.
const WORST_RATIO: f64 = 1.6;

/// What is foretold is a mean of a hundred tests: within a fifth.
const FORETOLD: f64 = 0.2;

pub fn section(size: Size) -> Section {
    let tests = size.of(2000);
    let mut text = format!(
        "Claims that do not hold, at α = 10⁻⁴ and, for \"fine\", 10⁻²: the mean runs until they are found broken, over {tests} tests.
*Oracle*: ln(1/α) over what a run tells at best; no test that keeps its rate for every law of its claim, and knows the true
law, needs fewer on average. *Fixed*: a usual test with a fixed number of runs that finds it in nine cases of ten (t,
exact binomial, signed ranks); it knows the effect that it looks for, and the first and the last trust that laws are
nearly normal. *Foretold*: by `expected_runs`.

| claim | truth | runs | oracle | ratio | fixed | foretold |
|---|---|---|---|---|---|---|
"
    );
    let questions: Vec<Question> = [means::questions(), rates::questions(), pairs::questions()]
        .into_iter()
        .flatten()
        .collect();
    let found = in_parallel(&questions, |q| {
        let found = decide(&q.claim, Levels::new(ALPHA), &q.draw, tests, MOST);
        let foretold = q
            .truth
            .and_then(|truth| expected_runs(&q.claim, Levels::new(ALPHA), truth, MOST).ok());
        (found, foretold)
    });
    let (mut worst, mut foretold_worst, mut least) = (0f64, 0f64, 1f64);
    let mut bars = Vec::new();
    let mut beside = String::new();
    for (q, (found, foretold)) in questions.iter().zip(found) {
        let ratio = found.runs / q.oracle;
        worst = worst.max(ratio);
        least = least.min(found.broken);
        let cell = foretold.map_or_else(String::new, |foretold| {
            foretold_worst = foretold_worst.max((foretold.runs / found.runs - 1.0).abs());
            format!("{:.0}", foretold.runs)
        });
        let _ = writeln!(
            text,
            "| {} | {:.1} | {:.1} | {ratio:.2} | {:.0} | {cell} |",
            q.name, found.runs, q.oracle, q.fixed
        );
        if let Some(other) = q.beside {
            let _ = writeln!(beside, "| {} | {:.1} | {other:.1} |", q.name, found.runs);
        }
        if let Some(bar) = q.bar {
            bars.push(Bar {
                what: format!("runs: {}", q.name.replace(" | ", ", ")),
                measured: format!("{:.1}", found.runs),
                bar: format!("≤ {TOLERANCE} × {bar}"),
                kept: found.runs <= TOLERANCE * bar,
            });
        }
    }
    let _ = write!(
        text,
        "
Means by the bets that are usual elsewhere, approximate GRAPA with half of the capital at most (Waudby-Smith & Ramdas
2024), beside ours:

| claim | truth | runs | aGRAPA |
|---|---|---|---|
{beside}
"
    );
    let fine = rates::fine(tests);
    bars.push(fine);
    bars.push(Bar {
        what: "largest ratio to the oracle's runs".to_owned(),
        measured: format!("{worst:.2}"),
        bar: format!("≤ {WORST_RATIO}"),
        kept: worst <= WORST_RATIO,
    });
    bars.push(Bar {
        what: "smallest share that is found broken".to_owned(),
        measured: format!("{least:.4}"),
        bar: "≥ 0.99".to_owned(),
        kept: least >= 0.99,
    });
    bars.push(Bar {
        what: "largest error of what is foretold".to_owned(),
        measured: format!("{:.0}%", 100.0 * foretold_worst),
        bar: format!("≤ {:.0}%", 100.0 * FORETOLD),
        kept: foretold_worst <= FORETOLD,
    });
    Section::with_bars(text, &bars)
}
