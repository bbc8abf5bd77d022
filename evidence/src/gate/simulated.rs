//! Simulated changes, judged by what `compare` judges with: how often unchanged code is called different, and how many pairs
//! it takes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use flex_detect::compare::{
    SeenRun, SeenTest, SeriesFacts, SeriesKey, SeriesRule, SeriesVerdict, Shares, TestPairs, Value,
    What,
};
use flex_detect::record::Role;
use flex_run::model::{Place, TestId};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::page::{Bar, Section, Size};
use crate::pairs::{ALPHA, Draw, SHIFTS, TOLERANCE, correlated, normal};
use crate::parallel::in_parallel;

const UNCHANGED: [(&str, Draw); 2] = [
    ("normal, correlation 0.9", |rng| correlated(rng, 0.9)),
    ("lognormal, independent: drawn in another order", |rng| {
        (normal(rng).exp(), normal(rng).exp())
    }),
];

const KEY: SeriesKey = SeriesKey {
    what: What::Asserted(Role::Upper),
    site: None,
    is_declared: false,
    nth: 0,
};

/// The section of the part `compare`.
pub fn section(size: Size) -> Section {
    let tests = size.of(2000);
    let mut text = format!(
        "By what the command decides with, from the first three pairs on, at α = 10⁻⁴ for both directions together. Normal \
         values whose mean moved, {tests} comparisons each, without an end; *made* are the pairs that were run, since they \
         are made some at a time:\n\n\
         | correlation | shift | pairs | made | called worse |\n|---|---|---|---|---|\n"
    );
    let mut bars = Vec::new();
    let found = in_parallel(&SHIFTS, |(correlation, shift, _)| {
        moved(*correlation, *shift, tests)
    });
    for ((correlation, shift, asked), (pairs, made, worse)) in SHIFTS.iter().zip(found) {
        let _ = writeln!(
            text,
            "| {correlation} | {shift} sd | {pairs:.1} | {made:.1} | {worse:.4} |"
        );
        bars.push(Bar {
            what: format!("pairs, correlation {correlation}, shift {shift} sd"),
            measured: format!("{pairs:.1}"),
            bar: format!("≤ {TOLERANCE} × {asked}; fewer is better"),
            kept: pairs <= TOLERANCE * asked,
        });
    }
    let tests = size.of(100_000);
    let _ = write!(
        text,
        "\nUnchanged in law, {tests} comparisons of 300 pairs each:\n\n| values | worse | better |\n|---|---|---|\n"
    );
    for (name, draw) in UNCHANGED {
        let parts: Vec<u64> = (0..20).collect();
        let found = in_parallel(&parts, |part| unchanged(draw, tests / 20, *part));
        let worse: usize = found.iter().map(|found| found.0).sum();
        let better: usize = found.iter().map(|found| found.1).sum();
        let _ = writeln!(text, "| {name} | {worse} | {better} |");
        let share = (worse + better) as f64 / tests as f64;
        bars.push(Bar {
            what: format!("false \"different\": {name}"),
            measured: format!("{share:.6}"),
            bar: "≤ 0.0001".to_owned(),
            kept: share <= ALPHA,
        });
    }
    let identical = compared(SeriesRule::default(), |_| 1.5, |_| 1.5);
    let (verdict, made) = (identical.verdict(&KEY), identical.compared().pairs);
    bars.push(Bar {
        what: "pairs by which equal code is called identical".to_owned(),
        measured: made.to_string(),
        bar: "3".to_owned(),
        kept: verdict == Some(SeriesVerdict::Identical) && made == 3,
    });
    Section::with_bars(text + "\n", &bars)
}

/// What runs showed: a value each.
fn seen(runs: Range<u32>, value: &mut dyn FnMut(u32) -> f64) -> SeenTest {
    let facts = SeriesFacts {
        place: Place::default(),
        text: String::new(),
    };
    let run = |index: u32| {
        let value = Value {
            value: value(index),
            bound: None,
        };
        let run = SeenRun {
            failure: None,
            values: BTreeMap::from([(KEY, value)]),
        };
        (index, run)
    };
    SeenTest {
        id: TestId::pytest("simulated"),
        package: None,
        place: Place::default(),
        series: BTreeMap::from([(KEY, facts)]),
        runs: runs.map(run).collect(),
        seconds_per_run: 0.0,
        measures_time: false,
    }
}

/// Compares as the command does, until it is decided.
fn compared(
    rule: SeriesRule,
    mut old: impl FnMut(u32) -> f64,
    mut new: impl FnMut(u32) -> f64,
) -> TestPairs {
    let first = 0..rule.first;
    let mut pairs = TestPairs::new(rule, &seen(first.clone(), &mut old), &seen(first, &mut new));
    let shares = Shares::new(ALPHA, pairs.differing());
    pairs.begin(&shares);
    while let Some(runs) = pairs.wanted() {
        let (old, new) = (seen(runs.clone(), &mut old), seen(runs, &mut new));
        pairs.take(&old, &new, &shares);
    }
    pairs
}

/// Compares values that are drawn in pairs.
fn drawn(rule: SeriesRule, mut draw: impl FnMut() -> (f64, f64)) -> TestPairs {
    let mut waiting: BTreeMap<u32, f64> = BTreeMap::new();
    let waiting = std::cell::RefCell::new(&mut waiting);
    compared(
        rule,
        |run| {
            let (old, new) = draw();
            waiting.borrow_mut().insert(run, new);
            old
        },
        |run| waiting.borrow_mut().remove(&run).unwrap_or_default(),
    )
}

/// The mean pairs until a shift is seen, those that were made, and the share that is called worse.
fn moved(correlation: f64, shift: f64, tests: usize) -> (f64, f64, f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(23);
    let rule = SeriesRule {
        most: u32::MAX,
        ..SeriesRule::default()
    };
    let (mut pairs, mut made, mut worse) = (0, 0, 0);
    for _ in 0..tests {
        let found = drawn(rule, || {
            let (old, new) = correlated(&mut rng, correlation);
            (old, new + shift)
        });
        let compared = found.compared();
        made += compared.pairs as usize;
        for decided in &compared.series {
            pairs += decided.decided_by;
            worse += usize::from(decided.verdict == SeriesVerdict::Worse);
        }
    }
    let mean = |count: usize| count as f64 / tests as f64;
    (mean(pairs), mean(made), mean(worse))
}

/// How many comparisons of code that has the same law call it worse, and better.
fn unchanged(draw: Draw, tests: usize, part: u64) -> (usize, usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(100 + part);
    let rule = SeriesRule {
        most: 300,
        ..SeriesRule::default()
    };
    let (mut worse, mut better) = (0, 0);
    for _ in 0..tests {
        let found = drawn(rule, || draw(&mut rng));
        worse += usize::from(found.verdict(&KEY) == Some(SeriesVerdict::Worse));
        better += usize::from(found.verdict(&KEY) == Some(SeriesVerdict::Better));
    }
    (worse, better)
}
