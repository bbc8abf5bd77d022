//! Old and new code under the same seeds: what is called different, and in how many pairs.

use std::fmt::Write;

use flex_core::sequential::{Difference, Observation, PairComparison};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::page::{Bar, Section, Size};
use crate::pairs::{ALPHA, Draw, SHIFTS, TOLERANCE, correlated, normal};
use crate::parallel::in_parallel;

/// Old and new, unchanged in law.
const UNCHANGED: [(&str, Draw); 5] = [
    ("normal, independent", |rng| (normal(rng), normal(rng))),
    ("normal, correlation 0.9", |rng| {
        let shared = 3.0 * normal(rng);
        (shared + normal(rng), shared + normal(rng))
    }),
    ("lognormal, independent", |rng| {
        (normal(rng).exp(), normal(rng).exp())
    }),
    ("nine runs of ten equal", |rng| {
        let value = normal(rng);
        (
            value,
            if rng.random::<f64>() < 0.9 {
                value
            } else {
                normal(rng)
            },
        )
    }),
    ("counts", |rng| {
        let mut count = || {
            f64::from(
                (0..20)
                    .map(|_| u8::from(rng.random::<f64>() < 0.1))
                    .sum::<u8>(),
            )
        };
        (count(), count())
    }),
];

pub fn section(size: Size) -> Section {
    let tests = size.of(2000);
    let mut text = format!(
        "At α = 10⁻⁴, both directions together. Normal values whose mean moved, {tests} comparisons each:

| correlation | shift | pairs | called higher |
|---|---|---|---|
"
    );
    let mut bars = Vec::new();
    let found = in_parallel(&SHIFTS, |(correlation, shift, _)| {
        moved(*correlation, *shift, tests)
    });
    for ((correlation, shift, bar), (pairs, higher)) in SHIFTS.iter().zip(found) {
        let _ = writeln!(
            text,
            "| {correlation} | {shift} sd | {pairs:.1} | {higher:.4} |"
        );
        bars.push(Bar {
            what: format!("pairs, correlation {correlation}, shift {shift} sd"),
            measured: format!("{pairs:.1}"),
            bar: format!("≤ {TOLERANCE} × {bar}"),
            kept: pairs <= TOLERANCE * bar,
        });
    }
    let tests = size.of(100_000);
    let _ = write!(
        text,
        "
Unchanged in law, {tests} comparisons of 300 pairs each:

| values | called different |
|---|---|
"
    );
    for (name, draw) in UNCHANGED {
        let parts: Vec<u64> = (0..20).collect();
        let different: usize = in_parallel(&parts, |part| unchanged(draw, tests / 20, *part))
            .iter()
            .sum();
        let _ = writeln!(text, "| {name} | {different} |");
        let share = different as f64 / tests as f64;
        bars.push(Bar {
            what: format!("false \"different\": {name}"),
            measured: format!("{share:.6}"),
            bar: "≤ 0.0001".to_owned(),
            kept: share <= ALPHA,
        });
    }
    Section::with_bars(text + "\n", &bars)
}

fn comparison() -> PairComparison {
    PairComparison::new(ALPHA, None, 0.01).expect("levels between 0 and 1")
}

/// The mean pairs until a shift is seen, and the share that is called higher.
fn moved(correlation: f64, shift: f64, tests: usize) -> (f64, f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(23);
    let (mut pairs, mut higher) = (0, 0);
    for _ in 0..tests {
        let mut comparison = comparison();
        while comparison.decision() == Difference::Undecided {
            let (old, new) = correlated(&mut rng, correlation);
            comparison
                .push(Observation::pair(&(new + shift), &old))
                .expect("two values");
        }
        pairs += comparison.runs();
        higher += usize::from(comparison.decision() == Difference::Higher);
    }
    (pairs as f64 / tests as f64, higher as f64 / tests as f64)
}

/// The number of comparisons that call code different that has the same law.
fn unchanged(draw: Draw, tests: usize, part: u64) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(100 + part);
    let mut different = 0;
    for _ in 0..tests {
        let mut comparison = comparison();
        for _ in 0..300 {
            let (old, new) = draw(&mut rng);
            comparison
                .push(Observation::pair(&new, &old))
                .expect("two values");
        }
        different += usize::from(comparison.decision() != Difference::Undecided);
    }
    different
}
