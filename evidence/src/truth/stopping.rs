//! Does a calibration that goes on until its ceiling is tight still keep its promise?
//!
//! The stop rule looks at the data, which could spoil the rate; here the real machine is driven to its end.

use flex_core::bound::confidence::Confidence;
use flex_core::calibration::{Calibrated, Calibration, CalibrationPlan, Run, SiteSpec, Step};
use flex_core::tail::Tail;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::cell::CONFIDENCES;
use super::distribution::{self, Distribution};
use super::{in_parallel, most_by_chance};

const NAMES: [&str; 7] = [
    "normal",
    "exponential",
    "uniform",
    "lognormal 1",
    "Weibull 0.5",
    "t with 4 degrees",
    "Poisson 4",
];

/// Calibrations of one distribution and confidence, each run to its end.
pub struct Stopped {
    pub distribution: &'static str,
    pub confidence: f64,
    pub calibrations: usize,
    pub violations: usize,
    pub mean_runs: f64,
}

impl Stopped {
    pub fn missed(&self) -> Option<String> {
        (self.violations > most_by_chance(self.calibrations)).then(|| {
            format!(
                "{}, C {}, stopped when tight: {} of {}",
                self.distribution, self.confidence, self.violations, self.calibrations
            )
        })
    }
}

pub fn measure(calibrations: usize) -> Vec<Stopped> {
    let distributions: Vec<Distribution> = distribution::all()
        .into_iter()
        .filter(|distribution| NAMES.contains(&distribution.name))
        .collect();
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
                let budget = 0.5 * (1.0 - confidence) * (1.0 + 1e-9);
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
    let mut calibration = Calibration::new(CalibrationPlan {
        confidence: Confidence::new(confidence).expect("a confidence"),
        tight: true,
        ..CalibrationPlan::default()
    });
    loop {
        match calibration.step().expect("one site spends one budget") {
            Step::Done(calibrated) => return calibrated,
            Step::Collect(_) => {
                let wanted: Vec<u32> = calibration.wanted().collect();
                for index in wanted {
                    let hit = (
                        "x".to_owned(),
                        SiteSpec::new(Tail::Upper),
                        distribution.draw(rng),
                    );
                    let run = Run {
                        index,
                        panicked: false,
                        hits: vec![hit],
                    };
                    calibration.push(&run).expect("runs are new");
                }
            }
        }
    }
}
