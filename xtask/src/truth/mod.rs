//! `cargo xtask truth`: is the engine right about its own false-alarm rate?
//!
//! Calibrations are simulated on distributions whose tail probabilities are known, and every learned bound is judged
//! by its exact false-alarm rate. Seeds are fixed, so that the same engine writes the same page.

mod cell;
mod distribution;
mod report;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use statrs::function::beta::beta_reg;

use crate::process::write;
use cell::{Cell, Setting, Variant, settings, simulate};
use distribution::{Distribution, Kind};

const RUNS: [usize; 5] = [50, 100, 300, 1000, 3000];

/// Calibrations in each cell of the full table.
const CALIBRATIONS: usize = 2000;

/// The share of calibrations that may break their promise: 1 − assurance.
const ALLOWED: f64 = 0.05;

#[derive(Debug, Default, Args)]
pub struct TruthArgs {
    /// A tenth of the calibrations, printed and not written
    #[arg(long)]
    quick: bool,
}

/// All cells of one distribution.
struct Row {
    distribution: Distribution,
    cells: Vec<(Setting, Cell)>,
}

/// Measures, writes docs/truth.md and docs/truth.csv, and fails if a bar is missed.
pub fn run(args: &TruthArgs) -> Result<(), String> {
    let calibrations = if args.quick {
        CALIBRATIONS / 10
    } else {
        CALIBRATIONS
    };
    let rows = measure(calibrations, &RUNS, &settings(&Variant::ALL));
    let page = report::page(&rows, calibrations);
    if args.quick {
        println!("{page}");
    } else {
        write("docs/truth.md", &page)?;
        write("docs/truth.csv", &report::csv(&rows))?;
    }
    let missed = missed_bars(&rows);
    if missed.is_empty() {
        Ok(())
    } else {
        Err(format!("missed bars:\n  {}", missed.join("\n  ")))
    }
}

/// Simulates everything, over all cores; the result does not depend on their number.
fn measure(calibrations: usize, runs: &[usize], settings: &[Setting]) -> Vec<Row> {
    let distributions = distribution::all();
    let deviations: Vec<f64> = distributions
        .iter()
        .map(Distribution::standard_deviation)
        .collect();
    let jobs: Vec<(usize, usize)> = (0..distributions.len())
        .flat_map(|d| runs.iter().map(move |n| (d, *n)))
        .collect();
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((d, n)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let seed = (*d as u64) << 32 | *n as u64;
                    let given = (deviations[*d], seed);
                    let cells = simulate(&distributions[*d], *n, settings, calibrations, given);
                    let mut done = done.lock().expect("no worker panicked");
                    done.push((*d, *n, cells));
                    if done.len().is_multiple_of(20) || done.len() == jobs.len() {
                        eprintln!("truth: {} of {} simulated", done.len(), jobs.len());
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no worker panicked");
    done.sort_by_key(|(d, n, _)| (*d, *n));
    let mut rows: Vec<Row> = distributions
        .into_iter()
        .map(|distribution| Row {
            distribution,
            cells: Vec::new(),
        })
        .collect();
    for (d, _, cells) in done {
        rows[d].cells.extend(cells);
    }
    rows
}

/// The bars: guard everywhere, ceiling and both together where the tail is regular.
fn missed_bars(rows: &[Row]) -> Vec<String> {
    let mut missed = Vec::new();
    for row in rows {
        let regular = row.distribution.kind != Kind::Irregular;
        for (setting, cell) in &row.cells {
            if setting.variant != Variant::Default {
                continue;
            }
            for (bar, violations, out_of, applies) in [
                ("guard", cell.guard_violations, cell.calibrations, true),
                (
                    "ceiling",
                    cell.ceiling_violations,
                    cell.calibrations,
                    regular,
                ),
                ("both", cell.both_violations, cell.calibrations, regular),
                ("whole test", cell.test_violations, cell.tests, regular),
            ] {
                if applies && violations > most_by_chance(out_of) {
                    let name = row.distribution.name;
                    missed.push(format!("{name}, {setting}: {bar} {violations} of {out_of}"));
                }
            }
        }
    }
    missed
}

/// Violations that chance explains at the allowed share: exceeded with probability below one in a million, so that
/// all cells together rarely raise a false alarm.
fn most_by_chance(calibrations: usize) -> usize {
    let exceeded = |most: usize| {
        if most >= calibrations {
            0.0
        } else {
            beta_reg(most as f64 + 1.0, (calibrations - most) as f64, ALLOWED)
        }
    };
    (0..calibrations)
        .find(|most| exceeded(*most) < 1e-6)
        .unwrap_or(calibrations)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed seeds: the verdict is the same each time.
    #[test]
    fn the_engine_keeps_its_rate_on_every_distribution() {
        let rows = measure(200, &[50, 300], &settings(&[Variant::Default]));
        assert!(rows.len() >= 20);
        assert_eq!(missed_bars(&rows), Vec::<String>::new());
        // A check that cannot fail checks nothing: without its margin, the ceiling would break its promise.
        let typical = measure(50, &[300], &settings(&[Variant::Typical]));
        let broken = |row: &Row| row.cells[0].1.ceiling_violations > most_by_chance(50);
        assert!(typical.iter().filter(|row| broken(row)).count() > 10);
    }

    #[test]
    fn chance_is_a_binomial_quantile() {
        // scipy.stats.binom.isf(1e-6, 2000, 0.05) is 149.
        assert_eq!(most_by_chance(2000), 149);
        assert_eq!(most_by_chance(0), 0);
    }
}
