//! Who makes what in the first round, when nothing is known of tests but how many there are.
//!
//! Every test is cut into parts, one process each, which go round all shards, shifted from test to test, so that all shards
//! have about the same to do whatever tests take. With one of them go the runs that a calibration repeats in another
//! process: that is the longest share of a test, and shards with a small number have those, since whoever hands shards out
//! begins with them. One shard replays runs of the last calibration.

use std::ops::Range;

use flex_run::calibrate::RepeatPolicy;
use flex_run::model::{ProcessRecord, Runner, Site};
use flex_run::project::part::Part;

use crate::Shard;

/// A calibration is spread over so many processes at least.
const PROCESSES: u32 = 5;

/// The parts of a test of cargo, unless there are more shards for each test. How many runs a test begins with, only its
/// process knows, so that a part without runs costs the start of one; this many have five runs each where a test
/// states no number.
const PARTS: u32 = 20;

/// The part with which the repeated runs go. It is never empty, and tells whether the test is fixed, and how long its runs take.
const REPEATS: u32 = PROCESSES / 2;

/// What a shard does for one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardShare {
    /// The parts of its runs.
    pub parts: Vec<Part>,
    /// Whether it repeats runs of other processes.
    pub repeats: bool,
    /// Whether it replays all runs that tell whether the test is unchanged; the others look at one of them.
    pub replays: bool,
}

impl ShardShare {
    /// The share of a test, by its place among so many, which begins with so many runs at most.
    pub fn of(
        shard: Shard,
        (test, tests): (usize, usize),
        most: Option<u32>,
        runner: Runner,
    ) -> Self {
        let total = shard.total();
        let of = match runner {
            Runner::Cargo => parts(total, tests),
            Runner::Pytest => total,
        };
        let step = step(total, tests, of);
        let is_ours = |place: u32| {
            let rank = match place {
                REPEATS => 0,
                place if place < REPEATS => place + 1,
                place => place,
            };
            (u64::from(rank) * step + test as u64) % u64::from(total) == u64::from(shard.place())
        };
        let part = |place| Part { place, of, most };
        ShardShare {
            parts: (0..of).filter(|place| is_ours(*place)).map(part).collect(),
            repeats: is_ours(REPEATS),
            replays: is_ours(0),
        }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && !self.repeats && !self.replays
    }
}

/// Into how many parts so many shards cut each of so many tests of cargo.
pub fn parts(shards: u32, tests: usize) -> u32 {
    let for_each = (shards as usize).div_ceil(tests.max(1)) as u32;
    let of = shards.saturating_mul(PROCESSES.div_ceil(shards));
    of.min(for_each.max(PARTS))
}

/// So many runs has each part of a test that states no number: a shard for each of them is the most that anybody can use.
pub const RUNS_OF_PART: u32 = 5;

/// The shards that have a part each of so many tests of cargo, beyond which parts are cut smaller only for who asks for it.
pub fn most_shards(tests: usize) -> u32 {
    let tests = u32::try_from(tests).unwrap_or(u32::MAX);
    PARTS.saturating_mul(tests)
}

/// How far the next part of a test goes: past all tests, and so that no two of its parts come to one shard, unless there are
/// fewer shards than parts.
fn step(total: u32, tests: usize, of: u32) -> u64 {
    let (total, of) = (u64::from(total), u64::from(of.min(total)));
    let mut step = tests.max(1) as u64;
    // It comes round to the same shard after so many parts.
    while total / common_factor(step, total) < of {
        step += 1;
    }
    step
}

fn common_factor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        b => common_factor(b, a % b),
    }
}

/// The processes that make the first runs of a test on one machine: those of cargo, and the one of pytest.
pub const BY_CARGO: u32 = PROCESSES;
/// See [`BY_CARGO`].
pub const BY_PYTEST: u32 = 1;

/// The runs that a calibration repeats, of a test that begins with so many, whose runs take so long and of which none fails.
pub fn repeated(runs: u32, seconds_per_run: f64, processes: u32) -> Vec<u32> {
    RepeatPolicy::of_calibration(seconds_per_run, false).choose_of_first(runs, processes)
}

/// The runs beyond the first ones that a test probably needs whose means or rates are learned: twice as many more, by which
/// most have enough (docs/evidence/sequential.md, "Learned means and rates"). None for other tests.
pub fn for_claims(shown: &ProcessRecord, runs: u32, most: Option<u32>) -> Range<u32> {
    const MORE: u32 = 2;
    let is_held = |site: &Site| site.learns().is_some_and(|spec| spec.about.is_held());
    if !shown.sites.iter().any(is_held) {
        return runs..runs;
    }
    let all = runs.saturating_add(runs.saturating_mul(MORE));
    runs..most.map_or(all, |most| all.min(most)).max(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(total: u32, tests: usize, test: usize, runner: Runner) -> Vec<ShardShare> {
        let share = |shard| ShardShare::of(shard, (test, tests), None, runner);
        Shard::all(total).map(share).collect()
    }

    #[test]
    fn all_shards_together_make_each_part_once() {
        for total in [1, 2, 3, 4, 5, 7, 16, 21, 64, 1280] {
            for tests in [1, 2, 5, 16, 64, 100] {
                for test in [0, tests / 2, tests - 1] {
                    let shares = shares(total, tests, test, Runner::Cargo);
                    let made = shares.iter().flat_map(|share| &share.parts);
                    let mut places: Vec<u32> = made.map(|part| part.place).collect();
                    places.sort_unstable();
                    let of = parts(total, tests);
                    assert!(of >= 5);
                    assert_eq!(places, (0..of).collect::<Vec<u32>>());
                    let each = of.div_ceil(total) as usize;
                    assert!(shares.iter().all(|share| share.parts.len() <= each));
                    let is_one = |is: fn(&ShardShare) -> bool| {
                        shares.iter().filter(|share| is(share)).count() == 1
                    };
                    assert!(is_one(|share| share.repeats) && is_one(|share| share.replays));
                    // What is repeated is known from a part beside it.
                    let told = |share: &ShardShare| !share.repeats || !share.parts.is_empty();
                    assert!(shares.iter().all(told));
                }
            }
        }
    }

    #[test]
    fn many_shards_start_no_more_processes_than_have_runs() {
        // Each process costs some milliseconds: 1,280 shards of 64 tests once started 80,000 that had nothing to do.
        let count = |total, tests| {
            let shares = (0..tests).flat_map(|test| shares(total, tests, test, Runner::Cargo));
            shares.map(|share| share.parts.len()).sum::<usize>()
        };
        assert_eq!(count(1280, 64), 20 * 64);
        assert_eq!(count(64, 200), 20 * 200);
        // One for each shard, where there are more: whoever asks for them has tests with many runs.
        assert_eq!(count(100, 1), 100);
        assert_eq!(most_shards(64), 1280);
    }

    #[test]
    fn all_shards_have_about_the_same_to_do() {
        let runs = |share: &ShardShare| {
            let repeated = repeated(100, 1.0, BY_CARGO).len();
            let parts = share.parts.iter().map(|part| part.runs(100).len());
            parts.sum::<usize>() + usize::from(share.repeats) * repeated
        };
        for (total, tests) in [(4, 200), (16, 200), (64, 200), (5, 1), (16, 16), (64, 64)] {
            let mut loads = vec![0; total as usize];
            for test in 0..tests {
                for (load, share) in loads
                    .iter_mut()
                    .zip(shares(total, tests, test, Runner::Cargo))
                {
                    *load += runs(&share);
                }
            }
            let even = loads.iter().sum::<usize>() as f64 / f64::from(total);
            // One test has one share that repeats runs, however many shards there are.
            let most = *loads.iter().max().unwrap() as f64;
            let once = if tests == 1 { 10.0 } else { 0.1 * even };
            assert!(most <= even + once, "{total}, {tests}: {loads:?}");
        }
    }

    #[test]
    fn shards_that_take_longest_come_first() {
        let (total, tests) = (1280, 64);
        let mut shares_of = vec![0; total as usize];
        for test in 0..tests {
            for (place, share) in shares(total, tests, test, Runner::Cargo).iter().enumerate() {
                shares_of[place] += share.parts.len() + 2 * usize::from(share.repeats);
            }
        }
        assert!(shares_of[..tests].iter().all(|of| *of >= 3));
        assert!(
            shares_of[tests..].iter().all(|of| *of <= 1),
            "{shares_of:?}"
        );
    }

    #[test]
    fn what_is_repeated_does_not_depend_on_how_many_shards_there_are() {
        let by_one_machine = [99, 80, 79, 60, 59, 40, 39, 20, 19, 0];
        assert_eq!(repeated(100, 0.1, BY_CARGO), by_one_machine);
        assert_eq!(repeated(100, 60.0, BY_CARGO), [39, 20, 19, 0]);
        assert_eq!(repeated(100, 0.1, BY_PYTEST).len(), 10);
    }
}
