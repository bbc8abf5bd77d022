//! `cargo xtask daily`: the bars of daily use. What a check finds, what a recalibration changes, what merges.

mod merging;
mod moved;
mod recalibration;
mod unmoved;
mod values;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::page::{Page, Part};

/// The page on daily use.
pub struct DailyPage;

impl Page for DailyPage {
    fn name(&self) -> &'static str {
        "daily"
    }

    fn about(&self) -> &'static str {
        "daily use: what a check finds, what a recalibration changes, what merges; needs git"
    }

    fn takes(&self) -> &'static str {
        "10 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "moved",
                about: "Values that moved, and checks that find it",
                measure: |_| Ok(moved::section()),
            },
            Part {
                name: "unmoved",
                about: "Suites that did not move, and checks that find nothing",
                measure: |_| Ok(unmoved::section()),
            },
            Part {
                name: "recalibration",
                about: "Fifty tests, calibrated again and again",
                measure: |_| recalibration::section(),
            },
            Part {
                name: "merging",
                about: "Bounds files of two branches",
                measure: |_| merging::section(),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# Daily use, measured

Written by `cargo xtask daily`, which fails if a bar is missed. Seeds are fixed, so the counts are the same each time.

{moved}
{unmoved}
{recalibration}
{merging}"
    }
}

/// Runs of a check.
const CHECK_RUNS: usize = 300;

/// Runs that entries are learned from: the default, and as many as the check makes.
const LEARNED_RUNS: [usize; 2] = [100, 300];

/// A stream of random numbers of its own for each part and index.
fn seeded(part: &str, index: usize) -> ChaCha8Rng {
    let mut seed = [0; 32];
    let name = part.as_bytes();
    seed[..name.len()].copy_from_slice(name);
    seed[24..].copy_from_slice(&(index as u64).to_le_bytes());
    ChaCha8Rng::from_seed(seed)
}
