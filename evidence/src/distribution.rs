//! Distributions whose tail probabilities are known exactly.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};
use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc;
use statrs::function::gamma::{gamma_lr, gamma_ur};

/// What a distribution is like, which decides what may be asked of a ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Light,
    Heavy,
    Bounded,
    Discrete,
    /// Two populations, or values that appear too rarely for a sample to show them: no single-run bound can know.
    Irregular,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Light => "light",
            Kind::Heavy => "heavy",
            Kind::Bounded => "bounded",
            Kind::Discrete => "discrete",
            Kind::Irregular => "irregular",
        }
    }
}

/// A distribution on the upper tail: how to draw from it, and P(X > x).
pub struct Distribution {
    pub name: &'static str,
    pub kind: Kind,
    draw: Box<dyn Fn(&mut ChaCha8Rng) -> f64 + Send + Sync>,
    beyond: Box<dyn Fn(f64) -> f64 + Send + Sync>,
}

impl Distribution {
    fn new(
        name: &'static str,
        kind: Kind,
        draw: impl Fn(&mut ChaCha8Rng) -> f64 + Send + Sync + 'static,
        beyond: impl Fn(f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Distribution {
            name,
            kind,
            draw: Box::new(draw),
            beyond: Box::new(beyond),
        }
    }

    pub fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        (self.draw)(rng)
    }

    /// P(X > x), exactly.
    pub fn beyond(&self, x: f64) -> f64 {
        (self.beyond)(x)
    }

    /// The least x with P(X > x) ≤ p, by bisection.
    pub fn quantile_above(&self, p: f64) -> f64 {
        let (mut low, mut high) = (-1.0, 1.0);
        while self.beyond(high) > p {
            high *= 2.0;
        }
        while self.beyond(low) <= p && low > -1e12 {
            low *= 2.0;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.beyond(middle) > p {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// The standard deviation, from equally likely quantiles: exact enough for a unit of shift.
    pub fn standard_deviation(&self) -> f64 {
        const QUANTILES: usize = 4000;
        // Sums around the median keep their digits far from zero.
        let median = self.quantile_above(0.5);
        let low = self.quantile_above(1.0 - 1e-9);
        let mut high = self.quantile_above(1e-9);
        let (mut sum, mut squares) = (0.0, 0.0);
        for i in 0..QUANTILES {
            let p = (i as f64 + 0.5) / QUANTILES as f64;
            let mut bottom = low;
            for _ in 0..50 {
                let middle = 0.5 * (bottom + high);
                if self.beyond(middle) > p {
                    bottom = middle;
                } else {
                    high = middle;
                }
            }
            // Quantiles only fall from here, so the next search begins where this one ended.
            sum += high - median;
            squares += (high - median).powi(2);
        }
        let mean = sum / QUANTILES as f64;
        (squares / QUANTILES as f64 - mean * mean).max(0.0).sqrt()
    }
}

/// All distributions of the truth table.
pub fn all() -> Vec<Distribution> {
    let mut all = Vec::new();
    all.extend(continuous());
    all.extend(bounded());
    all.extend(discrete());
    all.extend(irregular());
    all
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    // The open interval, so that inverse distribution functions stay finite.
    loop {
        let u: f64 = rng.random();
        if u > 0.0 {
            return u;
        }
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn normal_beyond(z: f64) -> f64 {
    0.5 * erfc(z / std::f64::consts::SQRT_2)
}

fn exponential(rng: &mut ChaCha8Rng) -> f64 {
    -uniform(rng).ln()
}

fn gamma(rng: &mut ChaCha8Rng, shape: f64) -> f64 {
    rand_distr::Gamma::new(shape, 1.0)
        .expect("a positive shape")
        .sample(rng)
}

fn beta(rng: &mut ChaCha8Rng, a: f64, b: f64) -> f64 {
    let (x, y) = (gamma(rng, a), gamma(rng, b));
    x / (x + y)
}

fn poisson(rng: &mut ChaCha8Rng, mean: f64) -> f64 {
    rand_distr::Poisson::new(mean)
        .expect("a positive mean")
        .sample(rng)
}

fn binomial(rng: &mut ChaCha8Rng, n: u64, p: f64) -> f64 {
    rand_distr::Binomial::new(n, p)
        .expect("a probability")
        .sample(rng) as f64
}

fn gamma_beyond(shape: f64, x: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { gamma_ur(shape, x) }
}

fn beta_beyond(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        1.0
    } else if x >= 1.0 {
        0.0
    } else {
        beta_reg(b, a, 1.0 - x)
    }
}

/// P(N > x) for a Poisson count N.
fn poisson_beyond(mean: f64, x: f64) -> f64 {
    if x < 0.0 {
        1.0
    } else {
        gamma_lr(x.floor() + 1.0, mean)
    }
}

/// P(N > x) for a binomial count N.
fn binomial_beyond(n: u64, p: f64, x: f64) -> f64 {
    let k = x.floor();
    if k < 0.0 {
        1.0
    } else if k >= n as f64 {
        0.0
    } else {
        beta_reg(k + 1.0, n as f64 - k, p)
    }
}

/// Student's t: P(T > x).
fn t_beyond(freedom: f64, x: f64) -> f64 {
    let half = 0.5 * beta_reg(0.5 * freedom, 0.5, freedom / (freedom + x * x));
    if x >= 0.0 { half } else { 1.0 - half }
}

fn continuous() -> Vec<Distribution> {
    use Kind::{Heavy, Light};
    let weibull = |name, kind, shape: f64| {
        Distribution::new(
            name,
            kind,
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

fn bounded() -> Vec<Distribution> {
    use Kind::Bounded;
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

fn discrete() -> Vec<Distribution> {
    use Kind::Discrete;
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

fn irregular() -> Vec<Distribution> {
    use Kind::Irregular;
    let mixture = |name, rare: f64, centre: f64, spread: f64| {
        Distribution::new(
            name,
            Irregular,
            move |rng| {
                if uniform(rng) < rare {
                    centre + spread * normal(rng)
                } else {
                    normal(rng)
                }
            },
            move |x| (1.0 - rare) * normal_beyond(x) + rare * normal_beyond((x - centre) / spread),
        )
    };
    vec![
        mixture("two modes, half and half", 0.5, 6.0, 1.0),
        mixture("two modes, 1 in 10", 0.1, 6.0, 1.0),
        mixture("contaminated, 1 in 20 three times as wide", 0.05, 0.0, 3.0),
        mixture("contaminated, 1 in 100 ten times as wide", 0.01, 0.0, 10.0),
        mixture("rare jump, 1 in 50", 0.02, 20.0, 1.0),
        mixture("rare jump, 1 in 500", 0.002, 20.0, 1.0),
        mixture("rare jump, 1 in 5000", 0.0002, 20.0, 1.0),
        Distribution::new(
            "Bernoulli 0.02",
            Irregular,
            |rng| if uniform(rng) < 0.02 { 1.0 } else { 0.0 },
            |x: f64| {
                if x < 0.0 {
                    1.0
                } else if x < 1.0 {
                    0.02
                } else {
                    0.0
                }
            },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn standard_deviations_are_known_ones() {
        for (name, sd) in [
            ("normal", 1.0),
            ("normal, far from 0", 1.0),
            ("exponential", 1.0),
            ("uniform", 12f64.sqrt().recip()),
            ("Poisson 4", 2.0),
            ("t with 8 degrees", (8.0f64 / 6.0).sqrt()),
        ] {
            let found = all().into_iter().find(|d| d.name == name);
            let got = found.map_or(f64::NAN, |d| d.standard_deviation());
            assert!((got / sd - 1.0).abs() < 0.01, "{name}: {got}");
        }
    }

    /// The stated tail probabilities are those of the draws. Fixed seed.
    #[test]
    fn draws_have_the_stated_tail_probabilities() {
        const DRAWS: usize = 200_000;
        for distribution in all() {
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let mut draws: Vec<f64> = (0..DRAWS).map(|_| distribution.draw(&mut rng)).collect();
            draws.sort_by(f64::total_cmp);
            for p in [0.9, 0.5, 0.1, 0.01, 0.001] {
                let x = draws[((1.0 - p) * DRAWS as f64) as usize];
                let observed = (DRAWS - draws.partition_point(|d| *d <= x)) as f64 / DRAWS as f64;
                let stated = distribution.beyond(x);
                let error = 5.0 * (stated.max(1e-5) / DRAWS as f64).sqrt();
                assert!(
                    (observed - stated).abs() < error,
                    "{}: P(X > {x}) is {stated}, seen {observed}",
                    distribution.name
                );
            }
        }
    }
}
