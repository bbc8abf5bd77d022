//! One cell of the truth table: many calibrations of one distribution, judged by exact tail probabilities.

use flex_core::bound::LearnedBound;
use flex_core::bound::race::{extra_runs, regression_rate};
use flex_core::sample::Samples;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::setting::{Setting, Variant};
use crate::distribution::Distribution;
use crate::statistics::quantile;

/// The results of many calibrations.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub calibrations: usize,
    pub guards: usize,
    pub guard_violations: usize,
    /// Sum over guards of true rate ÷ budget.
    pub guard_rate: f64,
    pub power: [f64; 4],
    pub extra_runs: f64,
    pub ceilings: usize,
    pub ceiling_violations: usize,
    pub ceiling_rate: f64,
    /// (B − median)/(true quantile − median), of each ceiling.
    pub tightness: Vec<f64>,
    pub both_violations: usize,
    pub both_rate: f64,
    pub refusals: usize,
    /// Tests of as many sites as the setting says, each site calibrated independently.
    pub tests: usize,
    pub test_violations: usize,
}

impl Cell {
    /// Violations as a share of the calibrations.
    pub fn share(&self, violations: usize) -> f64 {
        violations as f64 / self.calibrations.max(1) as f64
    }

    /// The median tightness of its ceilings.
    pub fn median_tightness(&self) -> Option<f64> {
        quantile(&self.tightness, 0.5)
    }

    /// The standard error of the median tightness, from its quartiles as if it were normal.
    pub fn tightness_error(&self) -> f64 {
        let n = self.tightness.len() as f64;
        let quartiles = [0.25, 0.75].map(|share| quantile(&self.tightness, share));
        match quartiles {
            [Some(low), Some(high)] => 1.2533 * (high - low) / 1.349 / n.sqrt(),
            _ => 0.0,
        }
    }

    /// The probability that the guard finds a shift by 1, 2, 3 and 4 standard deviations.
    pub fn mean_power(&self) -> [f64; 4] {
        self.power.map(|sum| sum / self.guards.max(1) as f64)
    }
}

/// The cells of one distribution and number of runs, for all settings.
pub fn simulate(
    distribution: &Distribution,
    runs: usize,
    settings: &[Setting],
    calibrations: usize,
    (sd, seed): (f64, u64),
) -> Vec<(Setting, Cell)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let median = distribution.quantile_above(0.5);
    let mut cells: Vec<(Setting, Cell)> = settings
        .iter()
        .map(|setting| (Setting { runs, ..*setting }, Cell::default()))
        .collect();
    let mut test_rates = vec![0.0; cells.len()];
    let quantiles: Vec<f64> = settings
        .iter()
        .map(|s| distribution.quantile_above(0.5 * s.budget()))
        .collect();
    for calibration in 1..=calibrations {
        let values: Vec<f64> = (0..runs).map(|_| distribution.draw(&mut rng)).collect();
        let samples = Samples::from_values(&values);
        for (index, (setting, cell)) in cells.iter_mut().enumerate() {
            let bound = LearnedBound::learn(&samples, &setting.question());
            let scale = quantiles[index] - median;
            let rate = cell.add(&bound, *setting, distribution, sd, (median, scale));
            test_rates[index] += rate;
            if calibration % setting.sites == 0 {
                cell.tests += 1;
                let allowed = (1.0 - setting.confidence) * (1.0 + 1e-9);
                cell.test_violations += usize::from(test_rates[index] > allowed);
                test_rates[index] = 0.0;
            }
        }
    }
    cells
}

impl Cell {
    /// Judges one calibration; the result is its true false-alarm rate.
    fn add(
        &mut self,
        bound: &LearnedBound,
        setting: Setting,
        distribution: &Distribution,
        sd: f64,
        (median, scale): (f64, f64),
    ) -> f64 {
        let budget = setting.budget();
        // A rate at its budget to the last digit is no violation.
        let half = 0.5 * budget * (1.0 + 1e-9);
        let side = &bound.sides[0];
        self.calibrations += 1;
        let beyond_ceiling = match &side.ceiling {
            Ok(ceiling) => {
                let bound = if setting.variant == Variant::Typical {
                    ceiling.typical
                } else {
                    ceiling.bound
                };
                let rate = distribution.beyond(bound);
                self.ceilings += 1;
                self.ceiling_violations += usize::from(rate > half);
                self.ceiling_rate += rate / (0.5 * budget);
                self.tightness.push((bound - median) / scale);
                rate
            }
            Err(_) => 0.0,
        };
        let confirmed = match &side.guard {
            Ok(guard) => {
                let hits = guard.plan.hits;
                let q = distribution.beyond(guard.bound);
                let rate = regression_rate(hits, q);
                self.guards += 1;
                self.guard_violations += usize::from(rate > half);
                self.guard_rate += rate / (0.5 * budget);
                self.extra_runs += extra_runs(hits, q);
                for (shift, power) in self.power.iter_mut().enumerate() {
                    let moved = distribution.beyond(guard.bound - (shift + 1) as f64 * sd);
                    *power += regression_rate(hits, moved);
                }
                // Beyond the ceiling the test fails at once, without a race.
                if q > 0.0 {
                    rate * (1.0 - beyond_ceiling / q).max(0.0)
                } else {
                    0.0
                }
            }
            Err(_) => 0.0,
        };
        let rate = beyond_ceiling + confirmed;
        self.refusals += usize::from(side.guard.is_err() && side.ceiling.is_err());
        self.both_violations += usize::from(rate > 2.0 * half);
        self.both_rate += rate / budget;
        rate
    }
}
