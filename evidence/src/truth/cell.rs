//! One cell of the truth table: many calibrations of one distribution, judged by exact tail probabilities.

use flex_core::bound::LearnedBound;
use flex_core::sample::Samples;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::rates::{Tier, TrueRates};
use super::setting::{Setting, Variant};
use crate::distribution::Distribution;
use crate::statistics::quantile;

/// The results of many calibrations.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub calibrations: usize,
    pub guards: usize,
    pub ceilings: usize,
    /// Nothing could be learned.
    pub refusals: usize,
    /// Calibrations whose true rate exceeds its part of the budget, tier by tier.
    violations: [usize; Tier::ALL.len()],
    /// Sum over calibrations of true rate ÷ its part of the budget.
    rates: [f64; Tier::ALL.len()],
    /// (B − median)/(true quantile − median), of each ceiling.
    pub tightness: Vec<f64>,
    /// (B − median)/standard deviation, of each ceiling.
    pub distance: Vec<f64>,
    /// Tests of as many sites as the setting says, each site calibrated independently.
    pub tests: usize,
    pub test_violations: usize,
}

impl Cell {
    /// Calibrations that broke the promise of a tier.
    pub fn violations(&self, tier: Tier) -> usize {
        self.violations[tier as usize]
    }

    /// A count as a share of the calibrations.
    pub fn share(&self, count: usize) -> f64 {
        count as f64 / self.calibrations.max(1) as f64
    }

    /// The mean of true rate ÷ its part of the budget.
    pub fn mean_rate(&self, tier: Tier) -> f64 {
        self.rates[tier as usize] / self.calibrations.max(1) as f64
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
        .map(|s| distribution.quantile_above(Tier::Ceiling.part() * s.budget()))
        .collect();
    for calibration in 1..=calibrations {
        let values: Vec<f64> = (0..runs).map(|_| distribution.draw(&mut rng)).collect();
        let samples = Samples::from_values(&values);
        for (index, (setting, cell)) in cells.iter_mut().enumerate() {
            let bound = LearnedBound::learn(&samples, &setting.question());
            let scales = (median, quantiles[index] - median, sd);
            test_rates[index] += cell.add(&bound, *setting, distribution, scales);
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
        (median, scale, sd): (f64, f64, f64),
    ) -> f64 {
        let side = &bound.sides[0];
        let beyond = |x: f64| distribution.beyond(x);
        let mut rates = TrueRates::of(side, setting.settling, beyond);
        if let Ok(ceiling) = &side.ceiling {
            let bound = match setting.variant {
                Variant::Typical => ceiling.typical,
                _ => ceiling.bound,
            };
            rates.ceiling = beyond(bound);
            self.ceilings += 1;
            self.tightness.push((bound - median) / scale);
            self.distance.push((bound - median) / sd);
        }
        self.calibrations += 1;
        self.guards += usize::from(side.guard.is_ok());
        self.refusals += usize::from(side.guard.is_err() && side.ceiling.is_err());
        for tier in Tier::ALL {
            let budget = setting.budget();
            self.violations[tier as usize] += usize::from(rates.exceeds(tier, budget));
            self.rates[tier as usize] += rates.get(tier) / (tier.part() * budget);
        }
        rates.get(Tier::All)
    }
}
