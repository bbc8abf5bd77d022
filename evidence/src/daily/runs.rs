//! How many runs are made, and the random numbers that they draw.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Runs of a check.
pub const CHECK_RUNS: usize = 300;

/// Runs that entries are learned from: the default, and as many as the check makes.
pub const LEARNED_RUNS: [usize; 2] = [100, 300];

/// A stream of random numbers of its own for each part and index.
pub fn seeded(part: &str, index: usize) -> ChaCha8Rng {
    let mut seed = [0; 32];
    let name = part.as_bytes();
    seed[..name.len()].copy_from_slice(name);
    seed[24..].copy_from_slice(&(index as u64).to_le_bytes());
    ChaCha8Rng::from_seed(seed)
}
