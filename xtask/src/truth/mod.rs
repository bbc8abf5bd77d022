//! `cargo xtask truth`: is the engine right about its own false-alarm rate?
//!
//! Calibrations are simulated on distributions whose tail probabilities are known, and every learned bound is judged
//! by its exact false-alarm rate. Seeds are fixed, so that the same engine writes the same page.

mod cell;
mod distribution;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cell::{Cell, Setting, simulate};
use distribution::{Distribution, Kind};

pub const RUNS: [usize; 5] = [50, 100, 300, 1000, 3000];

/// All cells of one distribution.
pub struct Row {
    pub distribution: Distribution,
    pub cells: Vec<(Setting, Cell)>,
}

/// Simulates everything, over all cores; the result does not depend on their number.
pub fn measure(calibrations: usize, only: Option<&str>, runs: &[usize]) -> Vec<Row> {
    let distributions: Vec<Distribution> = distribution::all()
        .into_iter()
        .filter(|d| only.is_none_or(|only| d.name.contains(only)))
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
                    let cells = simulate(&distributions[*d], *n, calibrations, seed);
                    done.lock()
                        .expect("no worker panicked")
                        .push((*d, *n, cells));
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

pub fn print_quick(rows: &[Row]) {
    for row in rows {
        let worst = |of: fn(&Cell) -> f64| {
            row.cells
                .iter()
                .map(|(s, c)| (of(c), s))
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .map(|(v, s)| {
                    format!(
                        "{:5.1}% (n{} C{} s{})",
                        v * 100.0,
                        s.runs,
                        s.confidence,
                        s.sites
                    )
                })
                .unwrap_or_default()
        };
        let g = worst(|c| c.share(c.guard_violations));
        let ce = worst(|c| c.share(c.ceiling_violations));
        let b = worst(|c| c.share(c.both_violations));
        println!(
            "{:<42} {:<9} G {g:<26} C {ce:<26} B {b}",
            row.distribution.name,
            row.distribution.kind.as_str()
        );
    }
}
pub fn print_bad(rows: &[Row]) {
    for row in rows {
        for (s, c) in &row.cells {
            if c.share(c.ceiling_violations) > 0.04
                || c.share(c.guard_violations) > 0.055
                || c.share(c.both_violations) > 0.04
            {
                println!(
                    "  {} n{} C{} s{}: G {:.1}% C {:.1}% B {:.1}% ceilings {} tight {:.2}",
                    row.distribution.name,
                    s.runs,
                    s.confidence,
                    s.sites,
                    100.0 * c.share(c.guard_violations),
                    100.0 * c.share(c.ceiling_violations),
                    100.0 * c.share(c.both_violations),
                    c.ceilings,
                    c.median_tightness().unwrap_or(f64::NAN)
                );
            }
        }
    }
}
pub fn print_tightness(rows: &[Row], name: &str) {
    let row = rows.iter().find(|r| r.distribution.name == name).unwrap();
    for (s, c) in &row.cells {
        if s.sites == 1 {
            println!(
                "{name} n{} C{}: tight {:.2?} power {:.2?} extra {:.3} guards {} ceilings {} ref {}",
                s.runs,
                s.confidence,
                c.median_tightness().unwrap_or(f64::NAN),
                c.mean_power(),
                c.extra_runs / c.guards as f64,
                c.guards,
                c.ceilings,
                c.refusals
            );
        }
    }
}
