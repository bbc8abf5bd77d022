//! Pairs of old and new values whose law is known, and how many of them it is to take until a shift is seen.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// The probability that unchanged code is called different, at most.
pub const ALPHA: f64 = 1e-4;

/// How many more pairs than asked for are allowed.
pub const TOLERANCE: f64 = 1.1;

/// Correlation of old and new, the shift in standard deviations of either, and the pairs that it is to take.
pub const SHIFTS: [(f64, f64, f64); 6] = [
    (0.9, 0.1, 439.0),
    (0.9, 0.25, 82.0),
    (0.9, 0.5, 35.0),
    (0.99, 0.1, 58.0),
    (0.99, 0.25, 21.0),
    (0.99, 0.5, 17.0),
];

/// Draws an old and a new value.
pub type Draw = fn(&mut ChaCha8Rng) -> (f64, f64);

/// A standard normal value.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Two standard normal values with this correlation.
pub fn correlated(rng: &mut ChaCha8Rng, correlation: f64) -> (f64, f64) {
    let (shared, own) = (correlation.sqrt() * normal(rng), (1.0 - correlation).sqrt());
    (shared + own * normal(rng), shared + own * normal(rng))
}
