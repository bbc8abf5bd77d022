//! Distributions whose upper tail ends somewhere.

use super::exact::{Distribution, TailKind};
use super::families::{beta, beta_beyond, exponential, normal, normal_beyond, uniform};

/// All of them.
pub fn all() -> Vec<Distribution> {
    use TailKind::Bounded;
    let beta_of = |name, a: f64, b: f64| {
        Distribution::new(
            name,
            Bounded,
            move |rng| beta(rng, a, b),
            move |x| beta_beyond(a, b, x),
        )
    };
    vec![
        Distribution::new("uniform", Bounded, uniform, |x: f64| {
            1.0 - x.clamp(0.0, 1.0)
        }),
        Distribution::new(
            "exponential, lower tail",
            Bounded,
            |rng| -exponential(rng),
            |x: f64| if x >= 0.0 { 0.0 } else { -x.exp_m1() },
        ),
        Distribution::new(
            "lognormal 1, lower tail",
            Bounded,
            |rng| -normal(rng).exp(),
            |x: f64| {
                if x >= 0.0 {
                    0.0
                } else {
                    normal_beyond(-(-x).ln())
                }
            },
        ),
        beta_of("beta 2, 5", 2.0, 5.0),
        beta_of("beta 5, 2", 5.0, 2.0),
        beta_of("beta 0.5, 0.5", 0.5, 0.5),
        beta_of("beta 20, 2", 20.0, 2.0),
        Distribution::new(
            "normal clipped at 1",
            Bounded,
            |rng| normal(rng).min(1.0),
            |x: f64| if x >= 1.0 { 0.0 } else { normal_beyond(x) },
        ),
    ]
}
