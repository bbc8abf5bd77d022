//! Continuous distributions without an upper end, light and heavy.

use super::exact::{Distribution, TailKind};
use super::families::{exponential, gamma, gamma_beyond, normal, normal_beyond, t_beyond, uniform};

/// All of them.
pub fn all() -> Vec<Distribution> {
    use TailKind::{Heavy, Light};
    let weibull = |name, tail, shape: f64| {
        Distribution::new(
            name,
            tail,
            move |rng| exponential(rng).powf(1.0 / shape),
            move |x: f64| {
                if x <= 0.0 {
                    1.0
                } else {
                    (-x.powf(shape)).exp()
                }
            },
        )
    };
    let lognormal = |name, sigma: f64| {
        Distribution::new(
            name,
            Heavy,
            move |rng| (sigma * normal(rng)).exp(),
            move |x: f64| {
                if x <= 0.0 {
                    1.0
                } else {
                    normal_beyond(x.ln() / sigma)
                }
            },
        )
    };
    let t = |name, freedom: f64| {
        Distribution::new(
            name,
            Heavy,
            move |rng| normal(rng) / (2.0 * gamma(rng, 0.5 * freedom) / freedom).sqrt(),
            move |x| t_beyond(freedom, x),
        )
    };
    let gamma_of = |name, shape: f64| {
        Distribution::new(
            name,
            Light,
            move |rng| gamma(rng, shape),
            move |x| gamma_beyond(shape, x),
        )
    };
    vec![
        Distribution::new("normal", Light, normal, normal_beyond),
        Distribution::new(
            "normal, far from 0",
            Light,
            |rng| 1e6 + normal(rng),
            |x| normal_beyond(x - 1e6),
        ),
        Distribution::new(
            "half normal",
            Light,
            |rng| normal(rng).abs(),
            |x: f64| {
                if x <= 0.0 {
                    1.0
                } else {
                    2.0 * normal_beyond(x)
                }
            },
        ),
        Distribution::new("exponential", Light, exponential, |x: f64| {
            if x <= 0.0 { 1.0 } else { (-x).exp() }
        }),
        gamma_of("gamma 0.5", 0.5),
        gamma_of("gamma 5", 5.0),
        Distribution::new(
            "Gumbel",
            Light,
            |rng| -exponential(rng).ln(),
            |x: f64| -(-(-x).exp()).exp_m1(),
        ),
        Distribution::new(
            "Laplace",
            Light,
            |rng| exponential(rng) - exponential(rng),
            |x: f64| {
                if x >= 0.0 {
                    0.5 * (-x).exp()
                } else {
                    1.0 - 0.5 * x.exp()
                }
            },
        ),
        Distribution::new(
            "logistic",
            Light,
            |rng| {
                let u = uniform(rng);
                (u / (1.0 - u)).ln()
            },
            |x: f64| 1.0 / (1.0 + x.exp()),
        ),
        weibull("Weibull 2", Light, 2.0),
        weibull("Weibull 0.7", Heavy, 0.7),
        weibull("Weibull 0.5", Heavy, 0.5),
        lognormal("lognormal 0.5", 0.5),
        lognormal("lognormal 1", 1.0),
        t("t with 3 degrees", 3.0),
        t("t with 4 degrees", 4.0),
        t("t with 8 degrees", 8.0),
        Distribution::new(
            "Pareto 3",
            Heavy,
            |rng| uniform(rng).powf(-1.0 / 3.0),
            |x: f64| if x <= 1.0 { 1.0 } else { x.powi(-3) },
        ),
    ]
}
