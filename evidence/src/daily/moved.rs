//! Values that moved: what `cargo flex calibrate --check` finds, simulated.
//!
//! Values go through the calibration machine, the entry of a bounds file and the decision of the real command; only
//! the tests that would show them are left out.

use std::fmt::Write;

use flex_core::bound::declared::clopper_pearson;
use flex_core::drift::LEVEL;

use super::runs::{CHECK_RUNS, LEARNED_RUNS, seeded};
use super::values::{TAILS, Values, contradiction, learn};
use crate::page::Section;
use crate::parallel::in_parallel;

/// Sites that are compared in one check, which divide its level.
const SITES: [usize; 3] = [1, 50, 500];

/// Checks of moved values in each cell.
const TRIALS: usize = 2000;

/// The share of the moves that must be found.
const FOUND: f64 = 0.99;

/// The section of the part `moved`.
pub fn section() -> Section {
    let [default, as_many] = LEARNED_RUNS;
    let mut text = format!(
        "## A distribution moved

`cargo flex calibrate --check` makes fresh runs and compares them with the quantiles in the bounds file. The level,
{LEVEL}, is that of the whole check, so each of its sites has the more to prove the more there are. Here the values of a
site moved by one standard deviation, up or down. They go through the calibration machine, an entry rounded as in the
file, and the decision of the command; only the processes are left out. Each cell: the share of {TRIALS} checks with
{CHECK_RUNS} runs that found it, and the 95 % interval of Clopper and Pearson.

The bar is {FOUND}. It is put on every cell whose entry rests on {as_many} runs, as the check does. Of entries of {default}
runs, which is the default, it is put on continuous values, and on counts that are compared alone. Counts among many
sites, in brackets, fall short of {FOUND} with entries of {default} runs, and no bar is put on them: an entry keeps 17
quantiles, which do not tell how many of the equal counts at a quantile lay below it, and ties are taken for \"not
moved\" so that the level is kept. Whoever counts small numbers in a large suite calibrates with {as_many} runs.

| values | entry from | moved | {} |
|---|---|---|---|---|---|
",
        SITES
            .map(|sites| match sites {
                1 => "1 site".to_owned(),
                sites => format!("{sites} sites"),
            })
            .join(" | ")
    );
    let mut missed = Vec::new();
    for cell in measure() {
        let _ = write!(
            text,
            "| {} | {} runs | {:+} sd |",
            cell.values.name(),
            cell.learned_runs,
            cell.by
        );
        for (sites, found) in SITES.iter().zip(cell.found) {
            let share = found as f64 / TRIALS as f64;
            let (low, high) = clopper_pearson(found, TRIALS, 0.95);
            let has_bar = cell.learned_runs == as_many || !cell.values.is_count() || *sites == 1;
            let (open, close) = if has_bar { ("", "") } else { ("(", ")") };
            let _ = write!(text, " {open}{share:.4}, {low:.3} to {high:.3}{close} |");
            if has_bar && share < FOUND {
                missed.push(format!(
                    "{} from {} runs, {:+} sd, {sites} sites: found {share}, bar {FOUND}",
                    cell.values.name(),
                    cell.learned_runs,
                    cell.by
                ));
            }
        }
        text.push('\n');
    }
    Section {
        text,
        missed,
        ..Section::default()
    }
}

/// Checks of values that moved by one standard deviation.
struct Moved {
    values: Values,
    learned_runs: usize,
    /// In standard deviations.
    by: f64,
    /// Checks that found it, for each number of sites.
    found: [usize; SITES.len()],
}

/// Checks values of every kind that moved up and down. Seeds are fixed.
fn measure() -> Vec<Moved> {
    let mut cells = Vec::new();
    for values in Values::ALL {
        for learned_runs in LEARNED_RUNS {
            for by in [1.0, -1.0] {
                cells.push((cells.len(), values, learned_runs, by));
            }
        }
    }
    in_parallel(&cells, |(index, values, learned_runs, by)| {
        let mut rng = seeded("moved", *index);
        let mut found = [0; SITES.len()];
        for trial in 0..TRIALS {
            let tail = TAILS[trial % TAILS.len()];
            let (old, _) = learn(&values.runs(*learned_runs, 0.0, &mut rng), tail);
            let (new, samples) = learn(&values.runs(CHECK_RUNS, *by, &mut rng), tail);
            for (sites, found) in SITES.iter().zip(&mut found) {
                *found += usize::from(contradiction(&old, &new, &samples, *sites).is_some());
            }
        }
        Moved {
            values: *values,
            learned_runs: *learned_runs,
            by: *by,
            found,
        }
    })
}
