//! Families of distributions: how to draw from them, and their tail probabilities.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};
use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc;
use statrs::function::gamma::{gamma_lr, gamma_ur};

/// A uniform draw from the open interval (0, 1).
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    // The open interval, so that inverse distribution functions stay finite.
    loop {
        let u: f64 = rng.random();
        if u > 0.0 {
            return u;
        }
    }
}

/// A standard normal draw.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// P(Z > z) for a standard normal Z.
pub fn normal_beyond(z: f64) -> f64 {
    0.5 * erfc(z / std::f64::consts::SQRT_2)
}

/// A draw from the exponential distribution with mean 1.
pub fn exponential(rng: &mut ChaCha8Rng) -> f64 {
    -uniform(rng).ln()
}

/// A draw from the gamma distribution with scale 1.
pub fn gamma(rng: &mut ChaCha8Rng, shape: f64) -> f64 {
    rand_distr::Gamma::new(shape, 1.0)
        .expect("a positive shape")
        .sample(rng)
}

/// A draw from a beta distribution.
pub fn beta(rng: &mut ChaCha8Rng, a: f64, b: f64) -> f64 {
    let (x, y) = (gamma(rng, a), gamma(rng, b));
    x / (x + y)
}

/// A draw of a Poisson count.
pub fn poisson(rng: &mut ChaCha8Rng, mean: f64) -> f64 {
    rand_distr::Poisson::new(mean)
        .expect("a positive mean")
        .sample(rng)
}

/// A draw of a binomial count.
pub fn binomial(rng: &mut ChaCha8Rng, n: u64, p: f64) -> f64 {
    rand_distr::Binomial::new(n, p)
        .expect("a probability")
        .sample(rng) as f64
}

/// P(X > x) for the gamma distribution with scale 1.
pub fn gamma_beyond(shape: f64, x: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { gamma_ur(shape, x) }
}

/// P(X > x) for a beta distribution.
pub fn beta_beyond(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        1.0
    } else if x >= 1.0 {
        0.0
    } else {
        beta_reg(b, a, 1.0 - x)
    }
}

/// P(N > x) for a Poisson count N.
pub fn poisson_beyond(mean: f64, x: f64) -> f64 {
    if x < 0.0 {
        1.0
    } else {
        gamma_lr(x.floor() + 1.0, mean)
    }
}

/// P(N > x) for a binomial count N.
pub fn binomial_beyond(n: u64, p: f64, x: f64) -> f64 {
    let k = x.floor();
    if k < 0.0 {
        1.0
    } else if k >= n as f64 {
        0.0
    } else {
        beta_reg(k + 1.0, n as f64 - k, p)
    }
}

/// P(T > x) for Student's t.
pub fn t_beyond(freedom: f64, x: f64) -> f64 {
    let half = 0.5 * beta_reg(0.5 * freedom, 0.5, freedom / (freedom + x * x));
    if x >= 0.0 { half } else { 1.0 - half }
}
