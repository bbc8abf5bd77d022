//! Tests that may fail by themselves and are given further attempts: do their bounds keep the rate?

use std::fmt::Write;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::guard::Settling;
use flex_core::calibration::{Calibrated, CalibrationPlan};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::bars::most_by_chance;
use super::driven::{self, Shown};
use super::rates::{Tier, TrueRates};
use crate::distribution::{self, Distribution};
use crate::page::Section;
use crate::parallel::in_parallel;
use crate::statistics::percent;

const FAILING: [f64; 4] = [0.0, 0.1, 0.2, 0.3];

const NAMES: [&str; 4] = ["normal", "exponential", "t with 4 degrees", "uniform"];

/// The section of the part `attempts`.
pub fn section(calibrations: usize) -> Section {
    let distributions = distribution::named(&NAMES);
    let jobs: Vec<(&Distribution, f64)> = distributions
        .iter()
        .flat_map(|distribution| FAILING.map(|failing| (distribution, failing)))
        .collect();
    let violations = in_parallel(&jobs, |(distribution, failing)| {
        measure(distribution, *failing, calibrations)
    });
    let mut text = format!(
        "
## Tests that fail by themselves

With `attempts`, bounds are judged on runs that did not fail by themselves. Worst case: it is the runs with the smallest
values that fail, so that those which are judged have larger ones than all runs together. Violations of race, strays and
ceiling, and of all together, by the share of runs that fail; n = 100, C = 0.9999, {calibrations} calibrations. The first
edition, which learned from failed runs too, went from 4% to 59%.

| distribution |"
    );
    text += &FAILING
        .map(|failing| format!(" {} fail |", percent(failing)))
        .concat();
    text += "\n|---|---|---|---|---|\n";
    let mut missed = Vec::new();
    for (of_one, distribution) in violations.chunks(FAILING.len()).zip(&distributions) {
        let _ = write!(text, "| {} |", distribution.name);
        for (violations, failing) in of_one.iter().zip(FAILING) {
            let shares = violations.map(|count| percent(count as f64 / calibrations.max(1) as f64));
            let _ = write!(text, " {} |", shares.join(", "));
            if violations
                .iter()
                .any(|count| *count > most_by_chance(calibrations))
            {
                missed.push(format!(
                    "{}, {} of runs fail by themselves: {violations:?} of {calibrations}",
                    distribution.name,
                    percent(failing)
                ));
            }
        }
        text.push('\n');
    }
    Section {
        text,
        missed,
        ..Section::default()
    }
}

/// How many calibrations broke the promise of each tier.
fn measure(
    distribution: &Distribution,
    failing: f64,
    calibrations: usize,
) -> [usize; Tier::ALL.len()] {
    let mut rng = ChaCha8Rng::seed_from_u64(0xa7);
    let least = match failing > 0.0 {
        true => distribution.quantile_above(1.0 - failing),
        false => f64::NEG_INFINITY,
    };
    let beyond = |x: f64| (distribution.beyond(x) / distribution.beyond(least)).min(1.0);
    let mut violations = [0; Tier::ALL.len()];
    for _ in 0..calibrations {
        let calibrated = calibrate(distribution, least, &mut rng);
        let side = &calibrated.sites[0].bound.sides[0];
        let rates = TrueRates::of(side, Settling::Replay, beyond);
        for (count, tier) in violations.iter_mut().zip(Tier::ALL) {
            let budget = Confidence::DEFAULT.false_alarm_rate();
            *count += usize::from(rates.exceeds(tier, budget));
        }
    }
    violations
}

/// A calibration of a test whose runs fail if their value is not above the least.
fn calibrate(distribution: &Distribution, least: f64, rng: &mut ChaCha8Rng) -> Calibrated {
    let plan = CalibrationPlan {
        only_passed: true,
        ..CalibrationPlan::default()
    };
    driven::calibrate(plan, || {
        let value = distribution.draw(rng);
        let failed = value <= least;
        Shown { value, failed }
    })
}
