//! Two things that programs do by chance: waiting between attempts, and integrating.

use std::time::Duration;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Makes attempts until one succeeds, and waits between them: a random time, of which twice as much is allowed after each
/// failure. Returns how many attempts it took.
pub async fn retry(rng: &mut impl Rng, mut attempt: impl FnMut() -> bool) -> u32 {
    let mut longest = Duration::from_millis(100);
    let mut attempts = 1;
    while !attempt() {
        tokio::time::sleep(longest.mul_f64(rng.random())).await;
        longest *= 2;
        attempts += 1;
    }
    attempts
}

/// The integral of `f` from 0 to 1, from `points` random points.
pub fn integral(rng: &mut impl Rng, points: usize, f: impl Fn(f64) -> f64) -> f64 {
    let sum = (0..points).map(|_| f(rng.random())).sum::<f64>();
    sum / points as f64
}

/// The same on all processors. Every part has a seed of its own, so the result does not depend on how many threads there are.
pub fn parallel_integral(rng: &mut impl Rng, points: usize, f: impl Fn(f64) -> f64 + Sync) -> f64 {
    const PARTS: usize = 16;
    let seeds = (0..PARTS).map(|_| rng.random()).collect::<Vec<[u8; 32]>>();
    let parts = seeds.into_par_iter().map(|seed| {
        let mut rng = ChaCha8Rng::from_seed(seed);
        integral(&mut rng, points / PARTS, &f)
    });
    // In order: sums of floating-point numbers depend on it.
    parts.collect::<Vec<_>>().iter().sum::<f64>() / PARTS as f64
}
