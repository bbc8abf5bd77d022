//! Samplers: rand_distr's, and our own with a bug in each.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::Distribution as _;
use statrs::distribution::{ContinuousCDF, DiscreteCDF};

/// A sampler, and the law that it should have.
pub struct Sampler {
    pub name: &'static str,
    pub draw: fn(&mut ChaCha8Rng) -> f64,
    pub law: Law,
}

/// A law by its distribution function.
pub enum Law {
    Continuous(Box<dyn Fn(f64) -> f64 + Send + Sync>),
    /// The values are whole numbers.
    Discrete(Box<dyn Fn(u64) -> f64 + Send + Sync>),
}

impl Law {
    /// The distribution function before and at a value.
    pub fn place(&self, value: f64) -> (f64, f64) {
        match self {
            Law::Continuous(cdf) => {
                let at = cdf(value).clamp(0.0, 1.0);
                (at, at)
            }
            Law::Discrete(cdf) => {
                let count = value as u64;
                let before = if count == 0 { 0.0 } else { cdf(count - 1) };
                let at = cdf(count).clamp(0.0, 1.0);
                (before.clamp(0.0, at), at)
            }
        }
    }
}

fn continuous<L: ContinuousCDF<f64, f64> + Send + Sync + 'static, E: std::fmt::Debug>(
    law: Result<L, E>,
) -> Law {
    let law = law.expect("parameters of a law");
    Law::Continuous(Box::new(move |x| law.cdf(x)))
}

fn discrete<L: DiscreteCDF<u64, f64> + Send + Sync + 'static, E: std::fmt::Debug>(
    law: Result<L, E>,
) -> Law {
    let law = law.expect("parameters of a law");
    Law::Discrete(Box::new(move |x| law.cdf(x)))
}

fn normal_law() -> Law {
    continuous(statrs::distribution::Normal::new(0.0, 1.0))
}

fn gamma_law(shape: f64) -> Law {
    continuous(statrs::distribution::Gamma::new(shape, 1.0))
}

/// rand_distr's generators.
pub fn published() -> Vec<Sampler> {
    use rand_distr as published;
    use statrs::distribution as known;
    let sampler = |name, law, draw| Sampler { name, draw, law };
    vec![
        sampler("Normal(0, 1)", normal_law(), |rng| {
            published::Normal::new(0.0, 1.0).expect("sd").sample(rng)
        }),
        sampler("Exp(1)", continuous(known::Exp::new(1.0)), |rng| {
            published::Exp::new(1.0).expect("rate").sample(rng)
        }),
        sampler("Gamma(0.5, 1)", gamma_law(0.5), |rng| {
            published::Gamma::new(0.5, 1.0).expect("shape").sample(rng)
        }),
        sampler("Gamma(2.5, 1)", gamma_law(2.5), |rng| {
            published::Gamma::new(2.5, 1.0).expect("shape").sample(rng)
        }),
        sampler(
            "Beta(2, 3)",
            continuous(known::Beta::new(2.0, 3.0)),
            |rng| published::Beta::new(2.0, 3.0).expect("shapes").sample(rng),
        ),
        sampler(
            "StudentT(5)",
            continuous(known::StudentsT::new(0.0, 1.0, 5.0)),
            |rng| published::StudentT::new(5.0).expect("degrees").sample(rng),
        ),
        sampler(
            "Weibull(1, 1.5)",
            continuous(known::Weibull::new(1.5, 1.0)),
            |rng| {
                published::Weibull::new(1.0, 1.5)
                    .expect("shape")
                    .sample(rng)
            },
        ),
        sampler(
            "Cauchy(0, 1)",
            continuous(known::Cauchy::new(0.0, 1.0)),
            |rng| published::Cauchy::new(0.0, 1.0).expect("scale").sample(rng),
        ),
        sampler("Poisson(4)", discrete(known::Poisson::new(4.0)), |rng| {
            published::Poisson::new(4.0).expect("mean").sample(rng)
        }),
        sampler("Poisson(30)", discrete(known::Poisson::new(30.0)), |rng| {
            published::Poisson::new(30.0).expect("mean").sample(rng)
        }),
        sampler(
            "Binomial(20, 0.3)",
            discrete(known::Binomial::new(0.3, 20)),
            |rng| published::Binomial::new(20, 0.3).expect("rate").sample(rng) as f64,
        ),
        sampler(
            "Geometric(0.2), counted from 1",
            discrete(known::Geometric::new(0.2)),
            |rng| 1.0 + published::Geometric::new(0.2).expect("rate").sample(rng) as f64,
        ),
    ]
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    1.0 - rng.random::<f64>()
}

/// A normal draw from two uniform ones (Box & Muller 1958).
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// A sum of exponential draws: a gamma law with a whole shape.
fn erlang(shape: usize, rng: &mut ChaCha8Rng) -> f64 {
    (0..shape).map(|_| -uniform(rng).ln()).sum()
}

/// Counts the products of uniform draws until they fall below a limit (Knuth 1969).
fn poisson(limit: f64, first: f64, rng: &mut ChaCha8Rng) -> f64 {
    let (mut count, mut product) = (first, uniform(rng));
    while product > limit {
        count += 1.0;
        product *= uniform(rng);
    }
    count
}

/// Samplers with a bug that somebody could make.
pub fn with_a_bug() -> Vec<Sampler> {
    use statrs::distribution as known;
    let sampler = |name, law, draw| Sampler { name, draw, law };
    vec![
        sampler(
            "normal: the variance is given for the sd 1.2",
            continuous(known::Normal::new(0.0, 1.2)),
            |rng| 1.2 * 1.2 * normal(rng),
        ),
        sampler("normal: the factor 2 is forgotten", normal_law(), |rng| {
            (-uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
        }),
        sampler("normal: a sum of 4 uniform draws", normal_law(), |rng| {
            ((0..4).map(|_| rng.random::<f64>()).sum::<f64>() - 2.0) * 3f64.sqrt()
        }),
        sampler(
            "normal: values beyond 2.5 are drawn again, as nearly all",
            normal_law(),
            |rng| {
                let value = normal(rng);
                if value.abs() > 2.5 {
                    normal(rng)
                } else {
                    value
                }
            },
        ),
        sampler(
            "exponential: of a number of 3 bits",
            continuous(known::Exp::new(1.0)),
            |rng| -(((8.0 * rng.random::<f64>()).floor() + 0.5) / 8.0).ln(),
        ),
        sampler(
            "exponential: the mean is given for the rate 1.25",
            continuous(known::Exp::new(1.25)),
            |rng| -1.25 * uniform(rng).ln(),
        ),
        sampler("gamma: the shape is one too small", gamma_law(3.0), |rng| {
            erlang(2, rng)
        }),
        sampler(
            "beta: the shapes are exchanged",
            continuous(known::Beta::new(2.0, 3.0)),
            |rng| {
                let (x, y) = (erlang(2, rng), erlang(3, rng));
                y / (x + y)
            },
        ),
        sampler(
            "Poisson: counted from 1",
            discrete(known::Poisson::new(4.0)),
            |rng| poisson((-4f64).exp(), 1.0, rng),
        ),
        sampler(
            "Poisson: the limit is rounded",
            discrete(known::Poisson::new(4.0)),
            |rng| poisson(0.02, 0.0, rng),
        ),
        sampler(
            "binomial: one trial is missing",
            discrete(known::Binomial::new(0.3, 20)),
            |rng| {
                (0..19)
                    .map(|_| f64::from(u8::from(rng.random::<f64>() < 0.3)))
                    .sum()
            },
        ),
        sampler(
            "dice: a remainder of 16 values",
            discrete(known::DiscreteUniform::new(0, 5).map(Dice)),
            |rng| (16.0 * rng.random::<f64>()).floor() % 6.0,
        ),
    ]
}

/// A uniform law of whole numbers, with a distribution function of such.
struct Dice(statrs::distribution::DiscreteUniform);

impl statrs::statistics::Min<u64> for Dice {
    fn min(&self) -> u64 {
        0
    }
}

impl statrs::statistics::Max<u64> for Dice {
    fn max(&self) -> u64 {
        5
    }
}

impl DiscreteCDF<u64, f64> for Dice {
    fn cdf(&self, x: u64) -> f64 {
        self.0.cdf(x as i64)
    }
}
