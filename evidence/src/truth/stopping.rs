//! Does a calibration that goes on until its ceiling is tight still keep its promise?
//!
//! The stop rule looks at the data, which could spoil the rate; here the real machine is driven to its end.

use std::fmt::Write;

use flex_core::bound::confidence::Confidence;
use flex_core::calibration::{Calibrated, CalibrationPlan};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::bars::most_by_chance;
use super::driven::{self, Shown};
use super::rates::Tier;
use super::setting::CONFIDENCES;
use crate::distribution::{self, Distribution};
use crate::page::Section;
use crate::parallel::in_parallel;
use crate::statistics::percent;

const NAMES: [&str; 7] = [
    "normal",
    "exponential",
    "uniform",
    "lognormal 1",
    "Weibull 0.5",
    "t with 4 degrees",
    "Poisson 4",
];

/// The section of the part `stopping`.
pub fn section(calibrations: usize) -> Section {
    let stopped = measure(calibrations);
    let mut text = format!(
        "
## Stopping when tight

`--tight` goes on until the ceiling is tight, a rule that looks at the data. Violations of the ceiling when the real
calibration machine is driven to its end, {calibrations} calibrations each, and the runs it took:

| distribution | C = 0.99 | C = 0.999 | C = 0.9999 |
|---|---|---|---|
"
    );
    for of_one in stopped.chunks(CONFIDENCES.len()) {
        let Some(first) = of_one.first() else {
            continue;
        };
        let _ = write!(text, "| {} |", first.distribution);
        for stopped in of_one {
            let share = stopped.violations as f64 / stopped.calibrations.max(1) as f64;
            let _ = write!(text, " {}, {:.0} runs |", percent(share), stopped.mean_runs);
        }
        text.push('\n');
    }
    Section {
        text,
        missed: stopped.iter().filter_map(Stopped::missed).collect(),
        ..Section::default()
    }
}

/// Calibrations of one distribution and confidence, each run to its end.
struct Stopped {
    distribution: &'static str,
    confidence: f64,
    calibrations: usize,
    violations: usize,
    mean_runs: f64,
}

impl Stopped {
    /// Why the promise is broken, if it is.
    fn missed(&self) -> Option<String> {
        (self.violations > most_by_chance(self.calibrations)).then(|| {
            format!(
                "{}, C {}, stopped when tight: {} of {}",
                self.distribution, self.confidence, self.violations, self.calibrations
            )
        })
    }
}

fn measure(calibrations: usize) -> Vec<Stopped> {
    let distributions = distribution::named(&NAMES);
    let jobs: Vec<(&Distribution, f64)> = distributions
        .iter()
        .flat_map(|distribution| CONFIDENCES.map(|confidence| (distribution, confidence)))
        .collect();
    in_parallel(&jobs, |(distribution, confidence)| {
        let mut rng = ChaCha8Rng::seed_from_u64(0x57_0b);
        let (mut violations, mut runs) = (0, 0.0);
        for _ in 0..calibrations {
            let done = calibrate(distribution, *confidence, &mut rng);
            runs += f64::from(done.runs);
            if let Ok(ceiling) = &done.sites[0].bound.sides[0].ceiling {
                let budget = Tier::Ceiling.part() * (1.0 - confidence) * (1.0 + 1e-9);
                violations += usize::from(distribution.beyond(ceiling.bound) > budget);
            }
        }
        Stopped {
            distribution: distribution.name,
            confidence: *confidence,
            calibrations,
            violations,
            mean_runs: runs / calibrations.max(1) as f64,
        }
    })
}

fn calibrate(distribution: &Distribution, confidence: f64, rng: &mut ChaCha8Rng) -> Calibrated {
    let plan = CalibrationPlan {
        confidence: Confidence::new(confidence).expect("a confidence"),
        tight: true,
        ..CalibrationPlan::default()
    };
    driven::calibrate(plan, || Shown {
        value: distribution.draw(rng),
        failed: false,
    })
}
