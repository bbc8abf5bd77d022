//! How often healthy samples are said to have a second mode, and how often a real one is seen.

use flex_core::sample::Samples;
use flex_core::sample::second_mode::SecondMode;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::truth::distribution::{self, Distribution, Kind};
use crate::truth::in_parallel;

/// Sizes of the samples.
pub const SIZES: [usize; 4] = [60, 100, 230, 500];

/// Samples of each healthy distribution and size.
pub const SAMPLES: usize = 10_000;

/// Samples of each real second mode and size.
pub const REAL: usize = 2_000;

/// How many samples of a distribution are said to have a second mode.
pub struct Claimed {
    pub name: &'static str,
    pub is_healthy: bool,
    /// By size.
    pub claims: [usize; SIZES.len()],
}

/// Every distribution of the truth table. Seeds are fixed.
pub fn measure() -> Vec<Claimed> {
    let all = distribution::all();
    let indexed: Vec<(usize, &Distribution)> = all.iter().enumerate().collect();
    in_parallel(&indexed, |(place, distribution)| {
        let is_healthy = distribution.kind != Kind::Irregular;
        let mut rng = ChaCha8Rng::seed_from_u64(*place as u64);
        let samples = if is_healthy { SAMPLES } else { REAL };
        Claimed {
            name: distribution.name,
            is_healthy,
            claims: SIZES.map(|size| claims(distribution, size, samples, &mut rng)),
        }
    })
}

fn claims(distribution: &Distribution, size: usize, samples: usize, rng: &mut ChaCha8Rng) -> usize {
    let mut claim = || {
        let values: Vec<f64> = (0..size).map(|_| distribution.draw(rng)).collect();
        SecondMode::find(&Samples::from_values(&values)).is_some()
    };
    (0..samples).filter(|_| claim()).count()
}
