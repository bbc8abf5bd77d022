//! What the code does that the authors of the published method made public (github.com/uiuc-arc/flex), as far as it
//! differs from their paper: every sample is a threshold, each is tested by itself with a bootstrap of 100, and no rule
//! looks at all tests together.

use flex_core::bound::confidence::Confidence;
use flex_core::published::gof::replicate;
use flex_core::published::{FEWEST_EXCEEDANCES, PValuesBy, ThresholdFit, fit_at};
use flex_core::sample::Samples;
use flex_core::tail::Side;

/// The most samples for which it can be simulated: its cost grows with their square.
pub const MOST_SAMPLES: usize = 100;

/// Bootstrap replicates for each threshold.
const REPLICATES: usize = 100;

/// The level of each test.
const LEVEL: f64 = 0.05;

/// The upper bound: from the lowest threshold with an accepted tail that is light or exponential, if there is one.
/// `uniform` gives numbers in [0, 1).
pub fn bound(
    values: &[f64],
    confidence: Confidence,
    uniform: &mut dyn FnMut() -> f64,
) -> Option<f64> {
    let mut ascending = values.to_vec();
    ascending.sort_by(f64::total_cmp);
    // Below all samples, so that each of them is beyond a threshold.
    ascending.insert(0, ascending.first()? - 0.1);
    let samples = Samples::from_values(&ascending);
    let mut thresholds = ascending.clone();
    thresholds.dedup();
    thresholds.into_iter().find_map(|threshold| {
        let beyond = ascending.len() - ascending.partition_point(|x| *x <= threshold);
        if beyond < FEWEST_EXCEEDANCES {
            return None;
        }
        let fit = fit_at(&samples, Side::Upper, beyond, PValuesBy::Table).ok()?;
        let excess = quantile(&fit, confidence.false_alarm_rate())?;
        is_accepted(&fit, uniform).then_some(threshold + excess)
    })
}

/// The quantile of the excesses themselves, of a tail that is light or exponential.
fn quantile(fit: &ThresholdFit, rate: f64) -> Option<f64> {
    let is_light = fit.fit.gpd.shape() < 0.0;
    let is_exponential = || fit.against_exponential().p_value > LEVEL;
    match is_light {
        true => Some(fit.fit.gpd.quantile_above(rate)),
        false if is_exponential() => Some(-fit.mean_excess * rate.ln()),
        false => None,
    }
}

/// Whether the bootstrapped p-value of A², (1 + count)/(1 + replicates), is above the level.
fn is_accepted(fit: &ThresholdFit, uniform: &mut dyn FnMut() -> f64) -> bool {
    let needed = (LEVEL * (REPLICATES + 1) as f64).floor() as usize;
    let seen = fit.distance.anderson_darling;
    let (mut made, mut larger) = (0, 0);
    // Replicates without a fit are drawn again, but not for ever.
    for _ in 0..10 * REPLICATES {
        if made == REPLICATES || larger == needed {
            break;
        }
        let Some(drawn) = replicate(fit.exceedances, fit.fit.gpd.shape(), uniform) else {
            continue;
        };
        made += 1;
        larger += usize::from(drawn.anderson_darling >= seen);
    }
    larger >= needed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in [0, 1) with a fixed seed.
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 7u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    #[test]
    fn the_lowest_threshold_that_fits_is_taken_and_its_quantile_is_that_of_the_excesses() {
        let exponential = |i: u32| -((f64::from(i) + 0.5) / 100.0).ln();
        let values: Vec<f64> = (0..100).map(exponential).collect();
        let bound = bound(&values, Confidence::DEFAULT, &mut numbers()).unwrap();
        // All 100 are beyond the lowest threshold: about −ln 1e-4 = 9.2. Quantiles have a lighter tail than draws.
        assert!((6.0..11.0).contains(&bound), "{bound}");
    }

    #[test]
    fn a_heavy_tail_and_too_few_samples_have_no_bound() {
        let pareto = |i: u32| ((f64::from(i) + 0.5) / 100.0).powf(-1.0);
        let values: Vec<f64> = (0..100).map(pareto).collect();
        assert_eq!(bound(&values, Confidence::DEFAULT, &mut numbers()), None);
        assert_eq!(
            bound(&values[..49], Confidence::DEFAULT, &mut numbers()),
            None
        );
        assert_eq!(bound(&[], Confidence::DEFAULT, &mut numbers()), None);
    }
}
