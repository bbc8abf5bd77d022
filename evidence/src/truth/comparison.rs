//! The published method beside the default, on the same samples.

use flex_core::bound::confidence::Confidence;
use flex_core::bound::race::regression_rate;
use flex_core::bound::{LearnedBound, Question};
use flex_core::published::{PValuesBy, Published, PublishedQuestion};
use flex_core::sample::Samples;
use flex_core::tail::{Side, Tail};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::distribution::{self, Distribution};
use super::in_parallel;

const NAMES: [&str; 8] = [
    "normal",
    "exponential",
    "uniform",
    "gamma 0.5",
    "beta 2, 5",
    "lognormal 1",
    "t with 4 degrees",
    "Poisson 4",
];

/// Both methods at C = 0.9999.
pub struct Comparison {
    pub distribution: &'static str,
    pub runs: usize,
    pub published: Method,
    pub default: Method,
}

/// What one method came to.
#[derive(Default)]
pub struct Method {
    pub calibrations: usize,
    pub bounds: usize,
    pub violations: usize,
    /// True rate ÷ (1 − C), of each bound.
    rates: Vec<f64>,
}

impl Method {
    fn add(&mut self, rate: Option<f64>, allowed: f64) {
        self.calibrations += 1;
        if let Some(rate) = rate {
            self.bounds += 1;
            self.violations += usize::from(rate > allowed * (1.0 + 1e-9));
            self.rates.push(rate / allowed);
        }
    }

    pub fn median_rate(&self) -> f64 {
        let mut sorted = self.rates.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

pub fn measure(calibrations: usize) -> Vec<Comparison> {
    let distributions: Vec<Distribution> = distribution::all()
        .into_iter()
        .filter(|distribution| NAMES.contains(&distribution.name))
        .collect();
    let jobs: Vec<(&Distribution, usize)> = distributions
        .iter()
        .flat_map(|distribution| [100, 1000].map(|runs| (distribution, runs)))
        .collect();
    let confidence = Confidence::DEFAULT;
    let allowed = confidence.false_alarm_rate();
    in_parallel(&jobs, |(distribution, runs)| {
        let mut rng = ChaCha8Rng::seed_from_u64(0xc0);
        let (mut published, mut default) = (Method::default(), Method::default());
        for _ in 0..calibrations {
            let values: Vec<f64> = (0..*runs).map(|_| distribution.draw(&mut rng)).collect();
            let samples = Samples::from_values(&values);
            let question = PublishedQuestion {
                side: Side::Upper,
                confidence,
                domain: None,
                declared: None,
            };
            let bound = Published::learn(&samples, &question, PValuesBy::Table)
                .decision
                .bound();
            published.add(bound.map(|bound| distribution.beyond(bound)), allowed);

            let bound = LearnedBound::learn(&samples, &Question::new(Tail::Upper, confidence));
            let side = &bound.sides[0];
            let ceiling = side
                .ceiling
                .as_ref()
                .map_or(0.0, |c| distribution.beyond(c.bound));
            let guard = side.guard.as_ref().map_or(0.0, |guard| {
                regression_rate(guard.plan.hits, distribution.beyond(guard.bound))
            });
            default.add(Some(ceiling + guard), allowed);
        }
        Comparison {
            distribution: distribution.name,
            runs: *runs,
            published,
            default,
        }
    })
}
