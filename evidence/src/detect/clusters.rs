//! How often healthy samples are said to have a second mode, and how often a real one is seen.

use std::fmt::Write;

use flex_core::sample::Samples;
use flex_core::sample::second_mode::{LIKELY, SecondMode};
use flex_core::tail::Side;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::distribution::{self, Distribution, TailKind};
use crate::page::Section;
use crate::parallel::in_parallel;

/// Sizes of the samples.
const SIZES: [usize; 4] = [60, 100, 230, 500];

/// Samples of each healthy distribution and size.
const SAMPLES: usize = 10_000;

/// Samples of each real second mode and size.
const REAL: usize = 2_000;

/// The share of healthy samples that may be said to have a second mode.
const WRONG: f64 = 1e-4;

/// The runs of a calibration, which asks for less evidence.
const CALIBRATED: usize = 100;

/// The section of the part `clusters`.
pub fn section() -> Section {
    let sizes = SIZES.map(|size| format!("{size} runs")).join(" | ");
    let mut text = format!(
        "## A second mode is claimed on strong evidence only

{SAMPLES} samples of each size from every distribution of the truth table that has one mode, and {REAL} from those that
mix two: how many are said to have a second mode. The bar, {WRONG:e}, is on each distribution, over all sizes. Of fewer
than 52 runs it is never said. `calibrate` asks for less evidence (one in {} instead of one in a million under the heaviest
tail) on the side that is bounded, of which the last column has {CALIBRATED} runs and the same bar.

| values | {sizes} | | {CALIBRATED} runs, calibrated |
|---|{}---|---|
",
        (1.0 / LIKELY).round(),
        "---|".repeat(SIZES.len())
    );
    let mut missed = Vec::new();
    for row in measure() {
        let cells = row.claims.map(|count| count.to_string()).join(" | ");
        let total: usize = row.claims.iter().sum();
        let all = SIZES.len() * SAMPLES;
        let kept = total as f64 <= WRONG * all as f64;
        let word = match (row.is_healthy, kept) {
            (false, _) => "two populations",
            (true, true) => "kept",
            (true, false) => "**missed**",
        };
        let likely = row.likely;
        let _ = writeln!(text, "| {} | {cells} | {word} | {likely} |", row.name);
        if row.is_healthy && likely as f64 > WRONG * SAMPLES as f64 {
            missed.push(format!(
                "second mode of {}, calibrated: {likely} of {SAMPLES}, bar {WRONG}",
                row.name
            ));
        }
        if row.is_healthy && !kept {
            missed.push(format!(
                "second mode of {}: {total} of {all}, bar {WRONG}",
                row.name
            ));
        }
    }
    Section {
        text,
        missed,
        ..Section::default()
    }
}

/// The samples of a distribution that are said to have a second mode.
struct Claimed {
    name: &'static str,
    is_healthy: bool,
    /// By size.
    claims: [usize; SIZES.len()],
    /// Those of a calibration's runs.
    likely: usize,
}

/// Draws from every distribution of the truth table. Seeds are fixed.
fn measure() -> Vec<Claimed> {
    let all = distribution::all();
    let indexed: Vec<(usize, &Distribution)> = all.iter().enumerate().collect();
    in_parallel(&indexed, |(index, distribution)| {
        let is_healthy = distribution.tail != TailKind::Irregular;
        let mut rng = ChaCha8Rng::seed_from_u64(*index as u64);
        let samples = if is_healthy { SAMPLES } else { REAL };
        let mut count = |size: usize, is_claimed: fn(&Samples) -> bool| {
            let mut claim = || is_claimed(&drawn(distribution, size, &mut rng));
            (0..samples).filter(|_| claim()).count()
        };
        Claimed {
            name: distribution.name,
            is_healthy,
            claims: SIZES.map(|size| count(size, |samples| SecondMode::find(samples).is_some())),
            likely: count(CALIBRATED, |samples| {
                SecondMode::beyond(samples, Side::Upper, LIKELY).is_some()
            }),
        }
    })
}

fn drawn(distribution: &Distribution, size: usize, rng: &mut ChaCha8Rng) -> Samples {
    let values: Vec<f64> = (0..size).map(|_| distribution.draw(rng)).collect();
    Samples::from_values(&values)
}
