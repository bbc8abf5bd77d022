//! Where the fitted tail runs, and how much the samples leave open about it, for those who draw it.

use crate::bound::ceiling::{FEWEST_EXCESSES, exceedances, excesses_over};
use crate::sample::Samples;
use crate::sample::ties::Ties;
use crate::tail::Side;
use crate::tail::posterior::{TailPosterior, exceedance_rates};

/// The value that a run goes beyond with some probability, as the fitted tail has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TailPoint {
    /// The probability.
    pub rate: f64,
    /// The value that is too small with a posterior probability of 2.5 %; nearer to the samples than the others.
    pub near: f64,
    /// The median of the posterior.
    pub typical: f64,
    /// The value that is too large with a posterior probability of 2.5 %.
    pub far: f64,
}

/// The tail of samples on a side at rates that are smaller than the part of the samples in the tail; `None` if no tail can
/// be fitted.
pub fn tail_band(samples: &Samples, side: Side, rates: &[f64]) -> Option<Vec<TailPoint>> {
    let oriented = samples.orient(side);
    let n = oriented.len();
    let wanted = exceedances(n);
    if oriented.values.len() < 2 * wanted || samples.is_constant() {
        return None;
    }
    let ties = Ties::new(&oriented.values);
    let values = match ties.reach(wanted + 1) {
        true => ties.spread(),
        false => oriented.values,
    };
    let (threshold, excesses) = excesses_over(&values, wanted);
    let range = values.last()? - values.first()?;
    if excesses.len() < FEWEST_EXCESSES || !range.is_finite() {
        return None;
    }
    let posterior = TailPosterior::new(&excesses, 0);
    let of_threshold = exceedance_rates(excesses.len(), n);
    let least = of_threshold.into_iter().fold(1.0, f64::min);
    let point = |rate: &f64| {
        let quantiles = posterior.excess_quantiles(*rate, &of_threshold, [0.025, 0.5, 0.975]);
        let [near, typical, far] = quantiles.map(|excess| side.orient(threshold + excess));
        TailPoint {
            rate: *rate,
            near,
            typical,
            far,
        }
    };
    Some(
        rates
            .iter()
            .filter(|rate| **rate < least)
            .map(point)
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::tail_rate::FittedTail;

    /// Quantiles of an exponential: a sample without chance.
    fn exponential() -> Samples {
        let values: Vec<f64> = (0..500)
            .map(|i| -((f64::from(i) + 0.5) / 500.0).ln())
            .collect();
        Samples::from_values(&values)
    }

    #[test]
    fn the_band_holds_the_truth_and_what_the_ceiling_is_made_of() {
        let samples = exponential();
        let band = tail_band(&samples, Side::Upper, &[1e-2, 1e-3, 1e-4]).unwrap();
        assert_eq!(band.len(), 3);
        for point in band {
            let truth = -point.rate.ln();
            assert!(point.near < truth && truth < point.far, "{point:?}");
            assert!(point.near < point.typical && point.typical < point.far);
            if point.rate < 1.0 / 500.0 {
                let ceiling = FittedTail::new(&samples, Side::Upper).ceiling(point.rate);
                let ceiling = ceiling.unwrap();
                assert!((point.typical / ceiling.typical - 1.0).abs() < 1e-9);
                // It is kept with a probability of 99 %, the band's end with 97.5 %.
                assert!(point.far < ceiling.bound, "{ceiling:?} {point:?}");
            }
        }
    }

    #[test]
    fn sides_mirror_each_other_and_few_samples_have_no_band() {
        let upper = exponential();
        let mirrored = Samples::new(upper.by_run().into_iter().map(|(run, value)| (run, -value)));
        let of_upper = tail_band(&upper, Side::Upper, &[1e-3]).unwrap()[0];
        let of_lower = tail_band(&mirrored, Side::Lower, &[1e-3]).unwrap()[0];
        assert!((of_upper.far + of_lower.far).abs() < 1e-9);
        let few = Samples::from_values(&[1.0, 2.0, 3.0]);
        assert_eq!(tail_band(&few, Side::Upper, &[1e-3]), None);
    }
}
