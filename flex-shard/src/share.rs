//! Who makes what in the first round, when nothing is known of tests but how many there are.
//!
//! Every test is cut into parts, one process each, which go round all shards, shifted from test to test, so that all shards
//! have about the same to do whatever tests take. One shard more makes the runs that a calibration repeats in another
//! process, and one replays runs of the last calibration.

use std::ops::Range;

use flex_run::calibrate::RepeatPolicy;
use flex_run::model::{ProcessRecord, Site};
use flex_run::project::part::Part;

use crate::Shard;

/// A calibration is spread over so many processes at least.
const PROCESSES: u32 = 5;

/// What a shard does for one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The parts of its runs.
    pub parts: Vec<Part>,
    /// How many parts there are.
    pub of: u32,
    /// Whether it repeats runs of other processes.
    pub repeats: bool,
    /// Whether it replays all runs that tell whether the test is unchanged; the others look at one of them.
    pub replays: bool,
}

impl Share {
    /// The share of a test, by its place among all, which begins with so many runs at most, and is made by so many
    /// processes at least.
    pub fn of(shard: Shard, test: usize, most: Option<u32>, processes: u32) -> Self {
        let total = shard.total();
        let of = total.saturating_mul(processes.div_ceil(total));
        let shift = shift(test, total);
        let is_ours = |place: u32| (place + shift) % total == shard.place();
        let part = |place| Part { place, of, most };
        Share {
            parts: (0..of).filter(|place| is_ours(*place)).map(part).collect(),
            of,
            // A part that is never empty tells whether the test is fixed, and how long its runs take.
            repeats: is_ours(PROCESSES / 2),
            replays: is_ours(0),
        }
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

/// How far parts of a test are shifted: by the golden ratio, which spreads any number of tests evenly.
pub fn shift(test: usize, total: u32) -> u32 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    ((test as f64 * GOLDEN).fract() * f64::from(total)) as u32 % total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shards_together_make_each_part_once() {
        for total in [1, 2, 3, 4, 5, 7, 16, 64] {
            for test in 0..50 {
                let mut places: Vec<u32> = Vec::new();
                let (mut repeats, mut replays) = (0, 0);
                for shard in Shard::all(total) {
                    let share = Share::of(shard, test, None, BY_CARGO);
                    assert!(share.of >= 5);
                    places.extend(share.parts.iter().map(|part| part.place));
                    repeats += u32::from(share.repeats);
                    replays += u32::from(share.replays);
                }
                places.sort_unstable();
                let of = total * 5_u32.div_ceil(total);
                assert_eq!(places, (0..of).collect::<Vec<u32>>());
                assert_eq!((repeats, replays), (1, 1));
            }
        }
    }

    #[test]
    fn all_shards_have_about_the_same_to_do() {
        for total in [4, 16, 64] {
            let of_shard = |shard| -> usize {
                let share = |test| Share::of(shard, test, None, BY_CARGO);
                let all = (0..200).map(|test| {
                    let share = share(test);
                    let repeated = repeated(100, 1.0, BY_CARGO).len();
                    let parts = share.parts.iter().map(|part| part.runs(100).len());
                    parts.sum::<usize>() + usize::from(share.repeats) * repeated
                });
                all.sum()
            };
            let loads: Vec<usize> = Shard::all(total).map(of_shard).collect();
            let even = loads.iter().sum::<usize>() as f64 / f64::from(total);
            let most = *loads.iter().max().unwrap() as f64;
            assert!(most / even < 1.05, "{total}: {loads:?}");
        }
    }

    #[test]
    fn what_is_repeated_does_not_depend_on_how_many_shards_there_are() {
        let by_one_machine = [99, 80, 79, 60, 59, 40, 39, 20, 19, 0];
        assert_eq!(repeated(100, 0.1, BY_CARGO), by_one_machine);
        assert_eq!(repeated(100, 60.0, BY_CARGO), [39, 20, 19, 0]);
        assert_eq!(repeated(100, 0.1, BY_PYTEST).len(), 10);
    }
}
