//! A generalised Pareto fit over one threshold, with its goodness of fit and its likelihood ratio against the
//! exponential tail (Coles 2001, §§4.3 and 2.6.6).

use std::fmt;

use crate::numeric::normal::normal_sf;
use crate::published::gof::{FitDistance, PValues, bootstrap};
use crate::published::gpd_fit::{GpdFit, NoFit};
use crate::sample::Samples;
use crate::tail::Side;

/// The tail beyond one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdFit {
    /// The largest value that is not an exceedance.
    pub threshold: f64,
    /// The samples beyond the threshold.
    pub exceedances: usize,
    /// The mean excess, which is the scale of the exponential fit.
    pub mean_excess: f64,
    /// The maximum likelihood fit to the excesses.
    pub fit: GpdFit,
    /// How far the excesses are from it.
    pub distance: FitDistance,
    /// How probable so large a distance is.
    pub p_values: PValues,
}

/// Where p-values come from.
pub enum PValuesBy<'a> {
    /// The table of critical values.
    Table,
    /// A parametric bootstrap.
    Bootstrap {
        /// Replicates for each threshold.
        replicates: usize,
        /// Gives numbers in [0, 1).
        uniform: &'a mut dyn FnMut() -> f64,
    },
}

/// The likelihood ratio of the generalised Pareto fit against the exponential one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LikelihoodRatio {
    /// Twice the difference of the log-likelihoods.
    pub statistic: f64,
    /// The probability of one so large, if the tail is exponential (χ² with one degree of freedom).
    pub p_value: f64,
}

/// Why there is no fit over a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoThresholdFit {
    /// The threshold would lie under the smallest sample.
    TooFewSamples {
        /// Samples there are.
        samples: usize,
        /// Exceedances asked for.
        exceedances: usize,
    },
    /// Samples are NaN or infinite in the direction of the tail.
    NotFinite {
        /// How many.
        count: usize,
    },
    /// The threshold is tied with exceedances.
    Tied {
        /// Exceedances asked for.
        exceedances: usize,
        /// Samples that are truly beyond the threshold.
        beyond: usize,
    },
    /// There is no maximum likelihood fit.
    NoFit(NoFit),
    /// The bootstrap gave no p-values.
    NoPValues(crate::published::gof::NoBootstrap),
}

impl fmt::Display for NoThresholdFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoThresholdFit::TooFewSamples {
                samples,
                exceedances,
            } => write!(
                f,
                "{exceedances} exceedances need at least {} samples, and there are {samples}; ask for fewer, or take more samples",
                exceedances.saturating_add(1)
            ),
            NoThresholdFit::NotFinite { count } => write!(
                f,
                "{} NaN or infinite; look at the runs they came from",
                crate::words::count(*count, "sample is", "samples are")
            ),
            NoThresholdFit::Tied {
                exceedances,
                beyond,
            } => write!(
                f,
                "exactly {exceedances} exceedances cannot be had, because the threshold is tied; ask for {beyond}"
            ),
            NoThresholdFit::NoFit(why) => why.fmt(f),
            NoThresholdFit::NoPValues(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for NoThresholdFit {}

/// Fits the tail of exactly so many exceedances over the next largest sample.
pub fn fit_at(
    samples: &Samples,
    side: Side,
    exceedances: usize,
    mut p_values: PValuesBy<'_>,
) -> Result<ThresholdFit, NoThresholdFit> {
    let oriented = samples.orient(side);
    if !oriented.unbounded.is_empty() {
        return Err(NoThresholdFit::NotFinite {
            count: oriented.unbounded.len(),
        });
    }
    let fit = ThresholdFit::over(&oriented.values, exceedances, &mut p_values)?;
    if fit.exceedances != exceedances {
        return Err(NoThresholdFit::Tied {
            exceedances,
            beyond: fit.exceedances,
        });
    }
    Ok(ThresholdFit {
        threshold: side.orient(fit.threshold),
        ..fit
    })
}

impl ThresholdFit {
    /// The upper tail of ascending values beyond the one with `exceedances` after it; fewer where that one is tied.
    pub(super) fn over(
        ascending: &[f64],
        exceedances: usize,
        p_values: &mut PValuesBy<'_>,
    ) -> Result<ThresholdFit, NoThresholdFit> {
        let samples = ascending.len();
        let Some(index) = samples.checked_sub(exceedances.saturating_add(1)) else {
            return Err(NoThresholdFit::TooFewSamples {
                samples,
                exceedances,
            });
        };
        let threshold = ascending[index];
        let first = ascending.partition_point(|x| *x <= threshold);
        let excesses: Vec<f64> = ascending[first..].iter().map(|x| x - threshold).collect();
        let fit = GpdFit::maximum_likelihood(&excesses).map_err(NoThresholdFit::NoFit)?;
        let distance =
            FitDistance::of(&excesses, fit.gpd).ok_or(NoThresholdFit::NoFit(NoFit::NotPositive))?;
        let p_values = match p_values {
            PValuesBy::Table => distance.p_values(fit.gpd.shape(), excesses.len()),
            PValuesBy::Bootstrap {
                replicates,
                uniform,
            } => bootstrap(&excesses, *replicates, uniform).map_err(NoThresholdFit::NoPValues)?,
        };
        let count = excesses.len() as f64;
        Ok(ThresholdFit {
            threshold,
            exceedances: excesses.len(),
            // Dividing first keeps the sum finite.
            mean_excess: excesses.iter().map(|y| y / count).sum(),
            fit,
            distance,
            p_values,
        })
    }

    /// The likelihood ratio against an exponential tail of the same mean.
    pub fn against_exponential(&self) -> LikelihoodRatio {
        let exponential = -(self.exceedances as f64) * (self.mean_excess.ln() + 1.0);
        // The exponential is among the tails that were fitted, so that less than 0 is a rounding error.
        let statistic = (2.0 * (self.fit.log_likelihood - exponential)).max(0.0);
        LikelihoodRatio {
            statistic,
            p_value: 2.0 * normal_sf(statistic.sqrt()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(values: &[f64], exceedances: usize) -> Result<ThresholdFit, NoThresholdFit> {
        fit_at(
            &Samples::from_values(values),
            Side::Upper,
            exceedances,
            PValuesBy::Table,
        )
    }

    fn exponential(n: u32) -> Vec<f64> {
        let quantile = |i: u32| -((f64::from(i) + 0.5) / f64::from(n)).ln();
        (0..n).map(quantile).collect()
    }

    #[test]
    fn an_exponential_tail_is_recognised() {
        let fit = at(&exponential(200), 100).unwrap();
        assert_eq!(fit.exceedances, 100);
        assert!(fit.fit.gpd.shape().abs() < 0.1);
        assert!(fit.p_values.anderson_darling > 0.9);
        assert!(fit.against_exponential().p_value > 0.3);
    }

    #[test]
    fn a_lower_tail_mirrors_an_upper_one() {
        let values = exponential(100);
        let mirrored: Vec<f64> = values.iter().map(|x| -x).collect();
        let lower = fit_at(
            &Samples::from_values(&mirrored),
            Side::Lower,
            60,
            PValuesBy::Table,
        )
        .unwrap();
        let upper = at(&values, 60).unwrap();
        assert_eq!(lower.threshold, -upper.threshold);
        assert_eq!(lower.fit, upper.fit);
    }

    #[test]
    fn what_cannot_be_fitted_is_said() {
        let values = exponential(100);
        let says = |result: Result<ThresholdFit, NoThresholdFit>, words: &str| {
            let why = result.unwrap_err().to_string();
            assert!(why.contains(words), "{why}");
        };
        says(at(&values, 100), "need at least 101 samples");
        says(at(&[], 5), "there are 0");
        says(at(&values, usize::MAX), "ask for fewer");
        says(at(&values, 1), "at least two excesses");
        says(at(&[1.0; 50], 10), "at least two excesses");
        let mut tied = values.clone();
        tied.sort_by(f64::total_cmp);
        tied[50] = tied[49];
        says(at(&tied, 50), "ask for 49");
        let mut broken = values;
        broken[0] = f64::NAN;
        says(at(&broken, 50), "1 sample is NaN");
    }
}
