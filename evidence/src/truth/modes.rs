//! Bugs that hit a part of the seeds: values beyond all samples and below the ceiling.

use std::fmt::Write;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::{LearnedBound, Question};
use flex_core::sample::Samples;
use flex_core::tail::Tail;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::law::law;
use crate::distribution;
use crate::page::Section;
use crate::parallel::in_parallel;
use crate::statistics::percent;

/// The parts of all runs that a bug hits.
const MODES: [f64; 5] = [0.05, 0.1, 0.2, 0.3, 0.5];

const RUNS: [usize; 4] = [30, 100, 300, 1000];

/// The section of the part `modes`.
pub fn section(calibrations: usize) -> Section {
    let mut text = format!(
        "
## Bugs that hit a part of the seeds

A part of all runs gives values beyond all samples and below the ceiling, all others are as before. The probability that
one run of the test fails, if the replayed run shows nothing of it: a run must be hit itself, so the part is the most
that can be. Normal values, one site, C = 0.9999, mean over {calibrations} calibrations. The first edition caught 0.01%,
0.5% and 7% of modes of 10%, 30% and 50% at n = 100.

| n |"
    );
    text += &MODES.map(|mode| format!(" {mode:.0$} |", 2)).concat();
    text += "\n|---|---|---|---|---|---|\n";
    let caught = in_parallel(&RUNS, |runs| measure(*runs, calibrations));
    for (runs, caught) in RUNS.iter().zip(caught) {
        let _ = writeln!(text, "| {runs} | {} |", caught.map(percent).join(" | "));
    }
    text.into()
}

fn measure(runs: usize, calibrations: usize) -> [f64; MODES.len()] {
    let normal = &distribution::named(&["normal"])[0];
    let mut rng = ChaCha8Rng::seed_from_u64(0x30_de);
    let mut caught = [0.0; MODES.len()];
    for _ in 0..calibrations {
        let values: Vec<f64> = (0..runs).map(|_| normal.draw(&mut rng)).collect();
        let question = Question::new(Tail::Upper, Confidence::DEFAULT);
        let bound = LearnedBound::learn(&Samples::from_values(&values), &question);
        let guard = bound.sides[0].guard.as_ref();
        let Some(strays) = guard.ok().and_then(|guard| guard.strays.as_ref()) else {
            continue;
        };
        let healthy = normal.beyond(strays.cuts()[0].value);
        for (caught, mode) in caught.iter_mut().zip(MODES) {
            let beyond = mode + (1.0 - mode) * healthy;
            let found = law(strays, &[0.0, beyond], &[1.0 - beyond, beyond]);
            *caught += found.lost / calibrations as f64;
        }
    }
    caught
}
