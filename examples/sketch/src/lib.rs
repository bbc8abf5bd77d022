//! How many different items were there? A counter that needs a few kilobytes, however many there are.
//!
//! It is the HyperLogLog sketch of the published crate `hyperloglogplus`. Its answer is random: it depends on the hash
//! function, which the seed decides. `tests/sketch.rs` says how wrong it may be, without a single guessed number.

#![forbid(unsafe_code)]

use std::hash::{BuildHasher, DefaultHasher, Hasher};

use hyperloglogplus::{HyperLogLog, HyperLogLogPlus};

/// Bits of precision: each one less makes the error 1.4 times as large.
const PRECISION: u8 = 12;

/// Counts different items, approximately.
pub struct DistinctCounter {
    sketch: HyperLogLogPlus<u64, SeededHash>,
}

impl DistinctCounter {
    /// A counter that has seen nothing.
    pub fn new(seed: u64) -> Self {
        DistinctCounter {
            sketch: HyperLogLogPlus::new(PRECISION, SeededHash { seed })
                .expect("the sketch accepts 4 to 18 bits"),
        }
    }

    /// Sees an item, for the first time or again.
    pub fn insert(&mut self, item: u64) {
        self.sketch.insert(&item);
    }

    /// About how many different items it has seen.
    pub fn count(&mut self) -> f64 {
        self.sketch.count()
    }
}

/// A hash function for each seed.
struct SeededHash {
    seed: u64,
}

impl BuildHasher for SeededHash {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.seed);
        hasher
    }
}
