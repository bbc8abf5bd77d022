//! `cargo xtask gof-table`: makes the critical values of `flex_core::published::gof`, by simulation.
//!
//! Choulakian & Stephens (2001) give the asymptotic values over the shape. Here they are simulated at several numbers
//! of excesses, because a tail is tested at 50 of them, and down to shapes at which a fit often does not exist; there
//! they are conditional on one. Cells have seeds of their own, so that the result does not depend on the threads.

use std::fmt::Write;

use flex_core::published::gof::{FitDistance, replicate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtask::process::root;

use crate::parallel::on_threads;

/// A description of the command, for lists.
pub const ABOUT: &str =
    "Makes flex-core/src/published/gof_table.rs anew: critical values of goodness-of-fit tests";

/// The time that it takes.
pub const TAKES: &str = "5 minutes";

/// The replicates per cell that the committed table is made with.
const REPLICATES: usize = 40_000;

const SIZES: [usize; 4] = [50, 100, 250, 1000];
const SHAPES: [f64; 15] = [
    -0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.4, 0.6, 0.9,
];
const LEVELS: [f64; 27] = [
    0.999, 0.995, 0.99, 0.975, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4,
    0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001,
];

/// Draws per replicate that may be without a fit before a cell is given up.
const PATIENCE: usize = 50;

/// The critical values of A² and W² of one cell, by level.
type Critical = [[f64; LEVELS.len()]; 2];

/// Makes the committed table.
pub fn write() -> Result<(), String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let path = root().join("flex-core/src/published/gof_table.rs");
    std::fs::write(&path, make(REPLICATES, threads))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The Rust source of the table, from so many replicates per cell, on so many threads.
fn make(replicates: usize, threads: usize) -> String {
    // The largest sizes take longest, so they come first.
    let cells: Vec<usize> = (0..SIZES.len() * SHAPES.len()).rev().collect();
    let mut critical = on_threads(threads, &cells, |cell| {
        let (size, shape) = (SIZES[cell / SHAPES.len()], SHAPES[cell % SHAPES.len()]);
        simulate(size, shape, replicates, *cell as u64)
    });
    critical.reverse();
    source(&critical, replicates)
}

/// The critical values for so many excesses of this shape.
fn simulate(size: usize, shape: f64, replicates: usize, seed: u64) -> Critical {
    let mut rng = ChaCha8Rng::seed_from_u64(0x9e37_0000 + seed);
    let mut uniform = || rng.random::<f64>();
    let distances: Vec<FitDistance> = (0..replicates * PATIENCE)
        .filter_map(|_| replicate(size, shape, &mut uniform))
        .take(replicates)
        .collect();
    assert_eq!(distances.len(), replicates, "{size} excesses of {shape}");
    let statistics = [
        |distance: &FitDistance| distance.anderson_darling,
        |distance: &FitDistance| distance.cramer_von_mises,
    ];
    statistics.map(|statistic| {
        let mut values: Vec<f64> = distances.iter().map(statistic).collect();
        values.sort_unstable_by(f64::total_cmp);
        LEVELS.map(|level| values[((1.0 - level) * replicates as f64) as usize])
    })
}

fn source(critical: &[Critical], replicates: usize) -> String {
    let mut text = format!(
        "//! Critical values of A² and W² for a generalised Pareto tail whose shape and scale are estimated.\n\
         //!\n\
         //! Made by `cargo xtask gof-table` from {replicates} replicates per cell; do not edit. Given that a fit exists, a\n\
         //! statistic is larger than the value with probability `LEVELS[level]`.\n\n\
         /// Numbers of excesses, ascending.\n\
         pub(crate) const SIZES: [usize; {}] = {SIZES:?};\n\n\
         /// Shapes, ascending.\n\
         #[rustfmt::skip]\n\
         pub(crate) const SHAPES: [f64; {}] = {SHAPES:?};\n\n\
         /// Upper tail probabilities, descending.\n\
         #[rustfmt::skip]\n\
         pub(crate) const LEVELS: [f64; {}] = {LEVELS:?};\n",
        SIZES.len(),
        SHAPES.len(),
        LEVELS.len(),
    );
    for (statistic, (name, words)) in [
        ("ANDERSON_DARLING", "A² by size, shape and level."),
        ("CRAMER_VON_MISES", "W² by size, shape and level."),
    ]
    .into_iter()
    .enumerate()
    {
        let _ = write!(
            text,
            "\n/// {words}\n#[rustfmt::skip]\npub(crate) const {name}: [[[f64; {}]; {}]; {}] = [\n",
            LEVELS.len(),
            SHAPES.len(),
            SIZES.len()
        );
        for row in critical.chunks(SHAPES.len()) {
            text.push_str("    [\n");
            for cell in row {
                let values: Vec<String> =
                    cell[statistic].iter().map(|v| format!("{v:.5}")).collect();
                let _ = writeln!(text, "        [{}],", values.join(", "));
            }
            text.push_str("    ],\n");
        }
        text.push_str("];\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_does_not_depend_on_the_threads() {
        let table = make(20, 1);
        assert_eq!(table, make(20, 2));
        let rows = table
            .lines()
            .filter(|line| line.starts_with("        ["))
            .count();
        assert_eq!(rows, 2 * SIZES.len() * SHAPES.len());
    }

    #[test]
    fn critical_values_rise_as_levels_fall() {
        for statistic in simulate(50, 0.1, 500, 7) {
            assert!(statistic.is_sorted());
        }
    }
}
