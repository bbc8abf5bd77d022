//! Randomised code as it is found in the wild, small: what the flaky tests of the corpus test.

use rand::{Rng, RngExt};

/// A normal value (Box & Muller 1958).
pub fn normal(rng: &mut impl Rng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// The distribution function of the standard normal (Abramowitz & Stegun 26.2.17; error below 1e-7).
pub fn normal_cdf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.2316419 * x.abs());
    let polynomial = t
        * (0.319381530
            + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    let upper = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt() * polynomial;
    if x > 0.0 { 1.0 - upper } else { upper }
}

/// The largest distance between the empirical distribution of a sample and a distribution function.
pub fn ks_statistic(sample: &[f64], cdf: impl Fn(f64) -> f64) -> f64 {
    let mut ordered = sample.to_vec();
    ordered.sort_by(f64::total_cmp);
    let n = ordered.len() as f64;
    let distance = |(i, x): (usize, &f64)| {
        let (below, p) = (i as f64 / n, cdf(*x));
        (p - below).abs().max((p - below - 1.0 / n).abs())
    };
    ordered.iter().enumerate().map(distance).fold(0.0, f64::max)
}

/// The p-value of a KS statistic, by the asymptotic law (Kolmogorov 1933).
pub fn ks_p_value(statistic: f64, n: usize) -> f64 {
    let t = (n as f64).sqrt() * statistic;
    let term = |k: i32| (-1f64).powi(k - 1) * (-2.0 * f64::from(k * k) * t * t).exp();
    (2.0 * (1..=100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

/// A mixture of two normals, one unit wide, at ± `apart`.
pub fn mixture_cdf(x: f64, apart: f64) -> f64 {
    0.5 * (normal_cdf(x - apart) + normal_cdf(x + apart))
}

/// Random-walk Metropolis on that mixture, every tenth state.
pub fn metropolis(rng: &mut impl Rng, apart: f64, width: f64, states: usize) -> Vec<f64> {
    let density = |x: f64| {
        (-0.5 * (x - apart) * (x - apart)).exp() + (-0.5 * (x + apart) * (x + apart)).exp()
    };
    let mut x = apart;
    let mut kept = Vec::with_capacity(states);
    for step in 1..=10 * states {
        let proposal = x + width * normal(rng);
        if rng.random::<f64>() * density(x) < density(proposal) {
            x = proposal;
        }
        if step % 10 == 0 {
            kept.push(x);
        }
    }
    kept
}

/// Trains a perceptron on two overlapping clouds and returns its accuracy on as many fresh points.
pub fn perceptron_accuracy(rng: &mut impl Rng, points: usize) -> f64 {
    let mut point = || {
        let label = if rng.random::<bool>() { 1.0 } else { -1.0 };
        ([normal(rng) + 1.6 * label, normal(rng), 1.0], label)
    };
    let score = |w: &[f64; 3], x: &[f64; 3]| w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
    let mut weights = [0.0; 3];
    let mut mean = [0.0; 3];
    for _ in 0..points {
        let (x, label) = point();
        if score(&weights, &x) * label <= 0.0 {
            weights.iter_mut().zip(x).for_each(|(w, x)| *w += label * x);
        }
        mean.iter_mut().zip(weights).for_each(|(m, w)| *m += w);
    }
    let right = (0..points).filter(|_| {
        let (x, label) = point();
        score(&mean, &x) * label > 0.0
    });
    right.count() as f64 / points as f64
}

/// Throws so many keys into so many buckets; keys that found their bucket taken.
pub fn collisions(rng: &mut impl Rng, keys: usize, buckets: usize) -> usize {
    let mut taken = vec![false; buckets];
    (0..keys)
        .filter(|_| std::mem::replace(&mut taken[rng.random_range(0..buckets)], true))
        .count()
}

/// The slowest of so many jobs whose durations have a Pareto tail of index 5.
pub fn slowest_job(rng: &mut impl Rng, jobs: usize) -> f64 {
    let job = |_| (1.0 - rng.random::<f64>()).powf(-0.2);
    (0..jobs).map(job).fold(0.0, f64::max)
}

/// Gradient descent on a polynomial with a good and a bad valley, from a random start; what is left of the loss.
pub fn descend(rng: &mut impl Rng) -> f64 {
    let loss = |x: f64| (x * x - 1.0).powi(2) + 0.4 * (x + 1.0);
    let slope = |x: f64| 4.0 * x * (x * x - 1.0) + 0.4;
    let mut x = -0.9 + 0.55 * normal(rng);
    for _ in 0..60 {
        // A noisy gradient, as from batches.
        x -= 0.05 * (slope(x.clamp(-3.0, 3.0)) + 0.05 * normal(rng));
    }
    loss(x)
}
