//! The published method beside the default, on the same samples.

use std::fmt::Write;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::guard::Settling;
use flex_core::bound::{LearnedBound, Question};
use flex_core::published::{PValuesBy, Published, PublishedQuestion, ThresholdRule};
use flex_core::sample::Samples;
use flex_core::tail::{Side, Tail};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::authors;
use super::rates::{Tier, TrueRates};
use crate::distribution::{self, Distribution};
use crate::page::Section;
use crate::parallel::in_parallel;
use crate::statistics::median;
use crate::statistics::percent;

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

/// The section of the part `published`.
pub fn section(calibrations: usize) -> Section {
    let mut text = format!(
        "
## The published method

`--method flex` (Peak over Threshold with maximum likelihood, thresholds by Anderson–Darling and the paper's rule,
StrongStop) beside the default and beside what the code that its authors published does, on the same samples,
C = 0.9999, {calibrations} calibrations: violations, median true rate ÷ (1 − C), and how often there is a bound at all.
The default's rate is that of race, strays and ceiling together.

The authors' code takes every sample as a threshold that 50 others are beyond, p-values from 100 bootstrap replicates,
the lowest threshold whose own p-value is above 0.05 and whose tail is light or exponential, without a rule over all of
them; and of the excesses the quantile C, whatever share of the samples they are. What is computed here is this rule with
our fits. It is computed for n = 100 alone: with 1000 samples it fits some hundred thousand tails for each bound.

| distribution | n | method | violations | median rate | has a bound |
|---|---|---|---|---|---|
"
    );
    for compared in measure(calibrations) {
        for (method, result) in &compared.methods {
            let share = |count: usize, of: usize| percent(count as f64 / of as f64);
            let (violations, rate) = match result.bounds {
                0 => ("–".to_owned(), "–".to_owned()),
                bounds => (
                    share(result.violations, bounds),
                    format!("{:.2}", result.median_rate()),
                ),
            };
            let _ = writeln!(
                text,
                "| {} | {} | {method} | {violations} | {rate} | {} |",
                compared.distribution,
                compared.runs,
                share(result.bounds, result.calibrations),
            );
        }
    }
    text.into()
}

/// All methods at C = 0.9999.
struct Comparison {
    distribution: &'static str,
    runs: usize,
    methods: Vec<(&'static str, MethodResult)>,
}

/// The results of one method.
#[derive(Default)]
struct MethodResult {
    calibrations: usize,
    bounds: usize,
    violations: usize,
    /// True rate ÷ (1 − C), of each bound.
    rates: Vec<f64>,
}

impl MethodResult {
    fn add(&mut self, rate: Option<f64>, allowed: f64) {
        self.calibrations += 1;
        if let Some(rate) = rate {
            self.bounds += 1;
            self.violations += usize::from(rate > allowed * (1.0 + 1e-9));
            self.rates.push(rate / allowed);
        }
    }

    /// The median of the true rates ÷ (1 − C).
    fn median_rate(&self) -> f64 {
        median(&self.rates)
    }
}

fn measure(calibrations: usize) -> Vec<Comparison> {
    let distributions = distribution::named(&NAMES);
    let jobs: Vec<(&Distribution, usize)> = distributions
        .iter()
        .flat_map(|distribution| [100, 1000].map(|runs| (distribution, runs)))
        .collect();
    let confidence = Confidence::DEFAULT;
    let allowed = confidence.false_alarm_rate();
    in_parallel(&jobs, |(distribution, runs)| {
        let mut rng = ChaCha8Rng::seed_from_u64(0xc0);
        // Draws of its own, so that the samples are the same with it and without.
        let mut replicates = ChaCha8Rng::seed_from_u64(0xa7);
        let [mut published, mut authors, mut default] = [(); 3].map(|()| MethodResult::default());
        for _ in 0..calibrations {
            let values: Vec<f64> = (0..*runs).map(|_| distribution.draw(&mut rng)).collect();
            let samples = Samples::from_values(&values);
            let question = PublishedQuestion {
                side: Side::Upper,
                confidence,
                domain: None,
                declared: None,
                rule: ThresholdRule::StrongStop,
            };
            let bound = Published::learn(&samples, &question, PValuesBy::Table)
                .decision
                .bound();
            published.add(bound.map(|bound| distribution.beyond(bound)), allowed);

            if *runs <= authors::MOST_SAMPLES {
                let bound = authors::bound(&values, confidence, &mut || replicates.random());
                authors.add(bound.map(|bound| distribution.beyond(bound)), allowed);
            }

            let bound = LearnedBound::learn(&samples, &Question::new(Tail::Upper, confidence));
            let beyond = |x: f64| distribution.beyond(x);
            let rates = TrueRates::of(&bound.sides[0], Settling::Replay, beyond);
            default.add(Some(rates.get(Tier::All)), allowed);
        }
        let methods = [
            ("published", published),
            ("authors' code", authors),
            ("default", default),
        ];
        let was_asked = |(_, result): &(&str, MethodResult)| result.calibrations > 0;
        Comparison {
            distribution: distribution.name,
            runs: *runs,
            methods: methods.into_iter().filter(was_asked).collect(),
        }
    })
}
