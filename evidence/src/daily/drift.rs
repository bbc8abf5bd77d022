//! Drift, simulated: what `cargo flex calibrate --check` finds when values moved, and when they did not.
//!
//! Values go through the calibration machine, the entry of a bounds file and the decision of the real command; only
//! the tests that would show them are left out.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use flex_bounds::change::{Change, Seen};
use flex_core::sample::Samples;
use flex_core::tail::Tail;

use super::seeded;
use super::values::{Values, learn};

/// Runs of a check.
pub const CHECK_RUNS: usize = 300;

/// Runs that the entries were learned from: the default, and as many as the check makes.
pub const LEARNED_RUNS: [usize; 2] = [100, 300];

/// Sites that are compared in one check, which divide its level.
pub const SITES: [usize; 3] = [1, 50, 500];

/// Checks of moved values in each cell.
pub const TRIALS: usize = 2000;

/// Checks of a whole suite that did not move, each against a calibration of its own, and the sites of the suite.
pub const CHECKS: usize = 1000;
pub const SUITE: usize = 500;

const TAILS: [Tail; 3] = [Tail::Upper, Tail::Lower, Tail::Both];

/// Checks of values that moved by one standard deviation.
pub struct Moved {
    pub values: Values,
    pub learned_runs: usize,
    /// In standard deviations.
    pub by: f64,
    /// Checks that found it, for each number of sites.
    pub found: [usize; SITES.len()],
}

pub fn moved() -> Vec<Moved> {
    let mut cells = Vec::new();
    for values in Values::ALL {
        for learned_runs in LEARNED_RUNS {
            for by in [1.0, -1.0] {
                cells.push((values, learned_runs, by));
            }
        }
    }
    in_parallel(cells.len(), |index| {
        let (values, learned_runs, by) = cells[index];
        let mut rng = seeded("moved", index);
        let mut found = [0; SITES.len()];
        for trial in 0..TRIALS {
            let tail = TAILS[trial % TAILS.len()];
            let (old, _) = learn(&values.runs(learned_runs, 0.0, &mut rng), tail);
            let (new, samples) = learn(&values.runs(CHECK_RUNS, by, &mut rng), tail);
            for (sites, found) in SITES.iter().zip(&mut found) {
                let against = Change::contradiction(&old, &new, all(&samples), *sites);
                *found += usize::from(against.is_some());
            }
        }
        Moved {
            values,
            learned_runs,
            by,
            found,
        }
    })
}

/// A site that no run missed.
fn all(samples: &Samples) -> Seen<'_> {
    Seen { samples, missed: 0 }
}

/// Numbers of sites that share the level with one that did not move, as in smaller suites: what is counted there tells
/// how careful the level of the whole suite is.
pub const SMALLER: [usize; 2] = [1, 10];

/// What a check of a suite that did not move found.
pub struct Unmoved {
    /// Nothing, or why it is red.
    pub found: Vec<String>,
    /// Sites that would be red among so few.
    pub among_few: [usize; SMALLER.len()],
}

pub fn unmoved() -> Vec<Unmoved> {
    in_parallel(CHECKS, |check| {
        let mut rng = seeded("unmoved", check);
        let (mut found, mut among_few) = (Vec::new(), [0; SMALLER.len()]);
        for site in 0..SUITE {
            let values = Values::ALL[site % Values::ALL.len()];
            let tail = TAILS[site % TAILS.len()];
            let (old, _) = learn(&values.runs(LEARNED_RUNS[0], 0.0, &mut rng), tail);
            let (new, samples) = learn(&values.runs(CHECK_RUNS, 0.0, &mut rng), tail);
            let against = Change::contradiction(&old, &new, all(&samples), SUITE);
            found.extend(against.map(|why| format!("{}: {why}", values.name())));
            for (sites, count) in SMALLER.iter().zip(&mut among_few) {
                let against = Change::contradiction(&old, &new, all(&samples), *sites);
                *count += usize::from(against.is_some());
            }
        }
        Unmoved { found, among_few }
    })
}

/// Answers to so many questions, in their order, by as many threads as there are processors.
fn in_parallel<T: Send>(count: usize, answer: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(count));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let made = answer(index);
                    let mut answers = answers.lock().expect("nothing panics");
                    answers.push((index, made));
                }
            });
        }
    });
    let mut answers = answers.into_inner().expect("nothing panics");
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
