//! Distributions of which values repeat: counts, and what is made of them.

use rand::RngExt;
use statrs::function::beta::beta_reg;

use super::exact::{Distribution, TailKind};
use super::families::{
    binomial, binomial_beyond, exponential, gamma, normal, normal_beyond, poisson, poisson_beyond,
    uniform,
};

/// All of them.
pub fn all() -> Vec<Distribution> {
    use TailKind::Discrete;
    let poisson_of = |name, mean: f64| {
        Distribution::new(
            name,
            Discrete,
            move |rng| poisson(rng, mean),
            move |x| poisson_beyond(mean, x),
        )
    };
    let negative_binomial_beyond = |x: f64| {
        // Failures before the 2nd success of probability 0.2: P(N ≤ k) = I_0.2(2, k+1).
        if x < 0.0 {
            1.0
        } else {
            beta_reg(x.floor() + 1.0, 2.0, 0.8)
        }
    };
    vec![
        poisson_of("Poisson 0.5", 0.5),
        poisson_of("Poisson 4", 4.0),
        poisson_of("Poisson 50", 50.0),
        Distribution::new(
            "geometric 0.3",
            Discrete,
            |rng| (uniform(rng).ln() / 0.7f64.ln()).floor(),
            |x: f64| {
                if x < 0.0 {
                    1.0
                } else {
                    0.7f64.powf(x.floor() + 1.0)
                }
            },
        ),
        Distribution::new(
            "negative binomial 2, 0.2",
            Discrete,
            |rng| {
                let rate = gamma(rng, 2.0) * 4.0;
                poisson(rng, rate.max(1e-300))
            },
            negative_binomial_beyond,
        ),
        Distribution::new(
            "binomial 20, 0.1",
            Discrete,
            |rng| binomial(rng, 20, 0.1),
            |x| binomial_beyond(20, 0.1, x),
        ),
        Distribution::new(
            "accuracy on 200, lower tail",
            Discrete,
            |rng| -binomial(rng, 200, 0.93) / 200.0,
            // In terms of the errors, which grow with the value.
            |x| {
                let errors = (200.0 + 200.0 * x).round();
                let is_beyond = -(200.0 - errors) / 200.0 > x;
                binomial_beyond(200, 0.07, if is_beyond { errors - 1.0 } else { errors })
            },
        ),
        Distribution::new(
            "tenths with last-bit noise",
            Discrete,
            |rng| {
                let count = binomial(rng, 30, 0.3);
                if rng.random() {
                    count * 0.1
                } else {
                    count / 10.0
                }
            },
            |x| {
                let count = (x * 10.0).round();
                let half = |value: f64| {
                    let count = if value > x { count - 1.0 } else { count };
                    0.5 * binomial_beyond(30, 0.3, count)
                };
                half(count * 0.1) + half(count / 10.0)
            },
        ),
        Distribution::new(
            "root of Poisson 4 (unequal steps)",
            Discrete,
            |rng| poisson(rng, 4.0).sqrt(),
            |x: f64| {
                let count = (x.max(0.0) * x).round();
                let is_beyond = x < 0.0 || count.sqrt() > x;
                poisson_beyond(4.0, if is_beyond { count - 1.0 } else { count })
            },
        ),
        Distribution::new(
            "log of 1 + geometric 0.3 (unequal steps)",
            Discrete,
            |rng| (uniform(rng).ln() / 0.7f64.ln()).floor().ln_1p(),
            |x: f64| {
                let count = x.max(0.0).exp_m1().round();
                let is_beyond = count.ln_1p() > x;
                0.7f64.powf(if is_beyond { count } else { count + 1.0 })
            },
        ),
        Distribution::new(
            "square of Poisson 4 (unequal steps)",
            Discrete,
            |rng| poisson(rng, 4.0).powi(2),
            |x: f64| poisson_beyond(4.0, x.max(0.0).sqrt()),
        ),
        Distribution::new(
            "exponential with an atom of 0.7 at 0",
            Discrete,
            |rng| {
                if uniform(rng) < 0.7 {
                    0.0
                } else {
                    exponential(rng)
                }
            },
            |x: f64| if x < 0.0 { 1.0 } else { 0.3 * (-x).exp() },
        ),
        Distribution::new(
            "normal rounded to 0.5",
            Discrete,
            |rng| (2.0 * normal(rng)).round() / 2.0,
            |x: f64| normal_beyond((2.0 * x).floor() / 2.0 + 0.25),
        ),
    ]
}
