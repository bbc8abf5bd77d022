//! Laws whose means and rates are learned, with and without a domain.

use flex_core::tail::{Domain, Tail};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::distribution::{self, TailKind};

/// A mean or a rate that is to be held where it was.
pub struct Holding {
    pub name: String,
    pub kind: ValueKind,
    pub tail: Tail,
    pub domain: Option<Domain>,
    pub draw: Box<dyn Fn(&mut ChaCha8Rng) -> f64 + Send + Sync>,
}

/// What is known of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Nothing; limits are learned.
    Open,
    /// Nothing, and learned limits do not fit.
    Unfit,
    /// The domain is stated.
    Domain,
    /// They are 0 and 1.
    Rate,
}

impl ValueKind {
    pub fn words(self) -> &'static str {
        match self {
            ValueKind::Open => "any",
            ValueKind::Unfit => "any; unfit",
            ValueKind::Domain => "in a domain",
            ValueKind::Rate => "rate",
        }
    }
}

impl Holding {
    pub fn is_rate(&self) -> bool {
        self.kind == ValueKind::Rate
    }

    /// A value of code whose mean is worse by so much. Where values end, some of them are at that end instead.
    pub fn worse(&self, by: f64, mean: f64, rng: &mut ChaCha8Rng) -> f64 {
        let end = match (self.kind, self.domain) {
            (ValueKind::Rate, _) => 0.0,
            (_, Some(domain)) => domain.upper(),
            (_, None) => return (self.draw)(rng) + by,
        };
        let share = by / (end - mean).abs();
        match rng.random::<f64>() < share {
            true => end,
            false => (self.draw)(rng),
        }
    }

    /// The mean and the standard deviation, by many draws.
    pub fn moments(&self, rng: &mut ChaCha8Rng) -> (f64, f64) {
        const MANY: usize = 4_000_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..MANY {
            let value = (self.draw)(rng);
            sum += value;
            squares += value * value;
        }
        let mean = sum / MANY as f64;
        (mean, (squares / MANY as f64 - mean * mean).sqrt())
    }
}

const OPEN: [&str; 16] = [
    "normal",
    "uniform",
    "logistic",
    "Laplace",
    "Gumbel",
    "gamma 5",
    "half normal",
    "Weibull 2",
    "beta 2, 5",
    "beta 0.5, 0.5",
    "Poisson 4",
    "binomial 20, 0.1",
    "geometric 0.3",
    "exponential",
    "lognormal 1",
    "Pareto 3",
];

const BOUNDED: [&str; 3] = ["uniform", "beta 2, 5", "beta 0.5, 0.5"];

/// Everything that is learned.
pub fn holdings() -> Vec<Holding> {
    let unit = Domain::new(0.0, 1.0).ok();
    let mut all = Vec::new();
    for law in distribution::named(&OPEN) {
        all.push(Holding {
            name: law.name.to_owned(),
            kind: match law.tail {
                TailKind::Heavy => ValueKind::Unfit,
                _ => ValueKind::Open,
            },
            tail: Tail::Upper,
            domain: None,
            draw: Box::new(move |rng| law.draw(rng)),
        });
    }
    for law in distribution::named(&BOUNDED) {
        all.push(Holding {
            name: law.name.to_owned(),
            kind: ValueKind::Domain,
            tail: Tail::Upper,
            domain: unit,
            draw: Box::new(move |rng| law.draw(rng).clamp(0.0, 1.0)),
        });
    }
    for (kind, domain) in [(ValueKind::Domain, unit), (ValueKind::Unfit, None)] {
        let law = distribution::named(&["normal"]).remove(0);
        all.push(Holding {
            name: "0.1 ± 0.03, and 1 in a fiftieth".to_owned(),
            kind,
            tail: Tail::Upper,
            domain,
            draw: Box::new(move |rng| match rng.random_bool(0.02) {
                true => 1.0,
                false => (0.1 + 0.03 * law.draw(rng)).clamp(0.0, 1.0),
            }),
        });
    }
    for rate in [0.5, 0.8, 0.9, 0.95, 0.99] {
        all.push(Holding {
            name: format!("yes in {rate}"),
            kind: ValueKind::Rate,
            tail: Tail::Lower,
            domain: None,
            draw: Box::new(move |rng| f64::from(u8::from(rng.random_bool(rate)))),
        });
    }
    all
}
