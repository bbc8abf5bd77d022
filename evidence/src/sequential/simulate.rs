//! Tests that are simulated: what each run shows is drawn from a law.

use flex_core::sequential::{Claim, Decision, Levels, Observation, Process};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::parallel::in_parallel;

/// What one run shows.
pub type Shown = (f64, Option<f64>);

/// A law of what runs show.
pub type Draw = Box<dyn Fn(&mut ChaCha8Rng) -> Shown + Send + Sync>;

/// What became of many tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tested {
    /// The mean of their runs.
    pub runs: f64,
    /// The share that was found broken.
    pub broken: f64,
    /// The share that was found fine.
    pub fine: f64,
}

/// Counts a run.
pub fn push(process: &mut Process, shown: Shown) -> Decision {
    let (first, second) = shown;
    let run = Observation {
        first: std::slice::from_ref(&first),
        second: second.as_slice(),
    };
    process.push(run).expect("the laws keep to their domains")
}

/// Makes so many tests, each until it is decided or has made `most` runs.
pub fn decide(claim: &Claim, levels: Levels, draw: &Draw, tests: usize, most: u64) -> Tested {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let mut found = Tested::default();
    for _ in 0..tests {
        let mut process = Process::new(claim, levels).expect("the claims can be decided");
        while process.decision() == Decision::Undecided && process.runs() < most {
            push(&mut process, draw(&mut rng));
        }
        found.runs += process.runs() as f64;
        found.broken += f64::from(u8::from(process.decision() == Decision::Broken));
        found.fine += f64::from(u8::from(process.decision() == Decision::Fine));
    }
    let tests = tests.max(1) as f64;
    Tested {
        runs: found.runs / tests,
        broken: found.broken / tests,
        fine: found.fine / tests,
    }
}

/// Counts the tests of a claim that holds whose evidence against it ever reaches each of these levels, in so many runs.
/// A test goes on when it was called fine.
pub fn alarms<const N: usize>(
    claim: &Claim,
    levels: [f64; N],
    draw: &Draw,
    tests: usize,
    runs: u64,
) -> [usize; N] {
    const PARTS: usize = 20;
    let parts: Vec<u64> = (0..PARTS as u64).collect();
    let counted = in_parallel(&parts, |part| {
        let mut rng = ChaCha8Rng::seed_from_u64(1000 + part);
        let mut counts = [0; N];
        for _ in 0..tests / PARTS {
            let mut process =
                Process::new(claim, Levels::new(1e-4)).expect("the claims can be decided");
            let mut most = f64::NEG_INFINITY;
            for _ in 0..runs {
                push(&mut process, draw(&mut rng));
                most = most.max(process.evidence().broken);
            }
            for (count, level) in counts.iter_mut().zip(levels) {
                *count += usize::from(most >= -level.ln());
            }
        }
        counts
    });
    let mut total = [0; N];
    for counts in counted {
        for (total, count) in total.iter_mut().zip(counts) {
            *total += count;
        }
    }
    total
}
