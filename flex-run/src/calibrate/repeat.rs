//! Which runs of a test are made again, in another process, to see whether the seed alone decides what they show.
//!
//! One policy for everybody who asks: calibrations, and searches of cargo's and of pytest's tests.

use super::settings::PROCESSES;

/// Runs that take longer than this many seconds are repeated less.
const SLOW: f64 = 5.0;

/// Runs that take no longer than this many seconds are repeated as often as the policy likes.
const QUICK: f64 = 0.01;

/// Runs of a calibration that are repeated where time is short.
pub(super) const REPEATS_IN_A_HURRY: u32 = 4;

/// A run that was made, and can be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MadeRun {
    /// Its index.
    pub index: u32,
    /// The process that made it, counted from 0.
    pub process: usize,
    /// Whether it failed.
    pub failed: bool,
}

/// How many runs are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatPolicy {
    most: usize,
}

impl RepeatPolicy {
    /// Runs of a calibration, whose promise rests on the answer: fewer only where a run takes long or time is short.
    pub fn of_calibration(seconds_per_run: f64, is_in_a_hurry: bool) -> Self {
        RepeatPolicy {
            most: match seconds_per_run > SLOW || is_in_a_hurry {
                true => REPEATS_IN_A_HURRY as usize,
                false => 2 * PROCESSES as usize,
            },
        }
    }

    /// Runs of a search, whose cost is to be a small share of its runs. A finding is worth more than that.
    #[inline]
    pub fn of_search(runs: &[MadeRun], seconds_per_run: f64) -> Self {
        let all = 2 * PROCESSES as usize;
        let share = match seconds_per_run < QUICK {
            true => all,
            false => (runs.len() / 150).max(1),
        };
        let failed = runs.iter().filter(|run| run.failed).count();
        let is_finding = failed > 0 && failed < runs.len();
        RepeatPolicy {
            most: share.max(if is_finding { 3 } else { 1 }).min(all),
        }
    }

    /// The runs to repeat of those that a calibration begins with, if so many processes make them and none fails.
    #[inline]
    pub fn choose_of_first(&self, runs: u32, processes: u32) -> Vec<u32> {
        let made = (0..runs).map(|index| MadeRun {
            index,
            process: process_of(index, runs, processes),
            failed: false,
        });
        self.choose(&made.collect::<Vec<_>>())
    }

    /// The runs to repeat, in an order in which none comes first in its process again: some that failed, and the first
    /// and the last of each of the first processes, with as many from between where there are fewer.
    pub fn choose(&self, runs: &[MadeRun]) -> Vec<u32> {
        let failed = indices(runs, |run| run.failed);
        let mut chosen = match failed.len() < runs.len() {
            true => spread(&failed, self.most.div_ceil(2)),
            false => Vec::new(),
        };
        let all = runs.iter().map(|run| run.process + 1).max().unwrap_or(0);
        let processes = all.clamp(1, self.most.div_ceil(2));
        let each = self.most.div_ceil(processes);
        for process in 0..processes {
            let of_process = indices(runs, |run| run.process == process);
            chosen.extend(spread(&of_process, each));
        }
        chosen = without_repeats(&chosen);
        chosen.truncate(self.most);
        chosen.reverse();
        chosen
    }
}

/// The process that makes a run, counted from 0, where so many share the first runs in their order.
pub(super) fn process_of(index: u32, first_runs: u32, processes: u32) -> usize {
    (index / first_runs.div_ceil(processes.max(1)).max(1)) as usize
}

/// The runs as they come first. They are few.
fn without_repeats(runs: &[u32]) -> Vec<u32> {
    let mut first = Vec::new();
    for run in runs {
        if !first.contains(run) {
            first.push(*run);
        }
    }
    first
}

fn indices(runs: &[MadeRun], are_meant: impl Fn(&MadeRun) -> bool) -> Vec<u32> {
    let meant = runs.iter().filter(|run| are_meant(run));
    meant.map(|run| run.index).collect()
}

/// So many of the runs, the first and the last among them.
fn spread(runs: &[u32], count: usize) -> Vec<u32> {
    let last = runs.len().saturating_sub(1);
    let places = (0..count).map(|i| i * last / count.saturating_sub(1).max(1));
    places
        .filter_map(|place| runs.get(place).copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of processes of ten each, of which these fail.
    fn made(processes: usize, failed: &[u32]) -> Vec<MadeRun> {
        let runs = (0..10 * processes as u32).map(|index| MadeRun {
            index,
            process: index as usize / 10,
            failed: failed.contains(&index),
        });
        runs.collect()
    }

    #[test]
    fn a_calibration_repeats_the_ends_of_its_processes() {
        let policy = RepeatPolicy::of_calibration(0.1, false);
        let chosen = policy.choose(&made(5, &[]));
        assert_eq!(chosen, [49, 40, 39, 30, 29, 20, 19, 10, 9, 0]);
        assert_eq!(policy.choose(&made(1, &[])).len(), 10);
        assert_eq!(policy.choose(&[]), [] as [u32; 0]);
        for hurried in [
            RepeatPolicy::of_calibration(6.0, false),
            RepeatPolicy::of_calibration(0.1, true),
        ] {
            assert_eq!(hurried.choose(&made(5, &[])), [19, 10, 9, 0]);
        }
    }

    #[test]
    fn some_that_failed_are_among_them() {
        let policy = RepeatPolicy::of_calibration(0.1, false);
        let chosen = policy.choose(&made(5, &[3, 17]));
        assert!(chosen.contains(&3) && chosen.contains(&17) && chosen.len() == 10);
        let all: Vec<u32> = (0..50).collect();
        assert_eq!(policy.choose(&made(5, &all)).len(), 10);
    }

    #[test]
    fn a_search_repeats_a_small_share() {
        let count = |processes, failed: &[u32], seconds| {
            let runs = made(processes, failed);
            let policy = RepeatPolicy::of_search(&runs, seconds);
            policy.choose(&runs).len()
        };
        assert_eq!(count(30, &[], 0.001), 10);
        assert_eq!(count(30, &[], 1.0), 2);
        assert_eq!(count(3, &[], 1.0), 1);
        assert_eq!(count(3, &[7], 1.0), 3);
        assert_eq!(count(300, &[7], 1.0), 10);
    }
}
