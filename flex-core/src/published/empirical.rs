//! The empirical bound of the published method: a bootstrap of the sample extreme (Davison & Hinkley 1997, eq. 5.6).
//!
//! The largest of n draws from n samples is at most the i-th smallest with probability (i/n)ⁿ, so the bootstrap of the
//! extreme is known exactly and needs no draws. Its basic 95 % interval mirrors the bootstrap quantiles at the extreme
//! and so reaches beyond the samples; its outer end is the bound.

use std::fmt;

use crate::sample::Samples;
use crate::tail::{Domain, Side};

/// The fewest samples whose extreme is bootstrapped.
const FEWEST_SAMPLES: usize = 20;

/// A bound from the extreme of the samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Empirical {
    /// The outer end of the interval.
    pub bound: f64,
    /// The 95 % interval of the extreme, in ascending order.
    pub interval: (f64, f64),
}

/// Why there is no empirical bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoEmpirical {
    /// Too few samples.
    TooFewSamples {
        /// Samples there are.
        samples: usize,
    },
    /// The extreme is not finite.
    NotFinite,
    /// The interval is wider than the middle half of the samples.
    TooWide {
        /// The width of the interval.
        width: f64,
        /// The interquartile range.
        interquartile: f64,
    },
    /// The bound is not inside of the domain.
    LeavesDomain {
        /// The bound.
        bound: f64,
        /// The domain.
        domain: Domain,
    },
}

impl fmt::Display for NoEmpirical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoEmpirical::TooFewSamples { samples } => write!(
                f,
                "the extreme of {samples} samples says little; take at least {FEWEST_SAMPLES}"
            ),
            NoEmpirical::NotFinite => f.write_str(
                "the extreme is not a finite number; look at the runs with NaN or infinite values",
            ),
            NoEmpirical::TooWide {
                width,
                interquartile,
            } => write!(
                f,
                "the interval of the extreme ({width:.3e} wide) is wider than the middle half of the samples ({interquartile:.3e}); more samples may narrow it"
            ),
            NoEmpirical::LeavesDomain { bound, domain } => write!(
                f,
                "a bound of {bound} would leave the domain {domain}, where nothing can pass it"
            ),
        }
    }
}

impl Empirical {
    /// The bound of one side.
    pub fn learn(
        samples: &Samples,
        side: Side,
        domain: Option<Domain>,
    ) -> Result<Empirical, NoEmpirical> {
        let n = samples.len();
        if n < FEWEST_SAMPLES {
            return Err(NoEmpirical::TooFewSamples { samples: n });
        }
        let oriented = samples.orient(side);
        let rank = outer_rank(n);
        let (Ok(extreme), Ok(inner)) = (oriented.nth_largest(0), oriented.nth_largest(rank)) else {
            return Err(NoEmpirical::NotFinite);
        };
        let width = extreme - inner;
        let quartile = |p: f64| samples.quantile(p).unwrap_or(f64::NAN);
        let interquartile = quartile(0.75) - quartile(0.25);
        if width.is_nan() || width > interquartile {
            return Err(NoEmpirical::TooWide {
                width,
                interquartile,
            });
        }
        let bound = side.orient(extreme + width);
        if !bound.is_finite() {
            return Err(NoEmpirical::NotFinite);
        }
        if let Some(domain) = domain
            && !domain.leaves_room_beyond(side, bound)
        {
            return Err(NoEmpirical::LeavesDomain { bound, domain });
        }
        let extreme = side.orient(extreme);
        Ok(Empirical {
            bound,
            interval: (bound.min(extreme), bound.max(extreme)),
        })
    }
}

/// How many samples lie beyond the 2.5 % quantile of the bootstrapped extreme.
fn outer_rank(n: usize) -> usize {
    let share = 0.025f64.powf(1.0 / n as f64);
    n - ((share * n as f64).ceil() as usize).min(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learn(values: &[f64], side: Side, domain: &str) -> Result<Empirical, NoEmpirical> {
        Empirical::learn(&Samples::from_values(values), side, domain.parse().ok())
    }

    fn evenly(n: u32) -> Vec<f64> {
        (0..n).map(|i| f64::from(i) / f64::from(n)).collect()
    }

    #[test]
    fn the_quantile_of_the_bootstrapped_extreme_is_exact() {
        // The smallest i with (i/n)^n ≥ 0.025, counted from the top.
        for n in [20, 21, 50, 100, 101, 1000, 3000] {
            let at_most = |i: usize| (i as f64 / n as f64).powi(n as i32);
            let rank = outer_rank(n);
            assert!(
                at_most(n - rank) >= 0.025 && at_most(n - rank - 1) < 0.025,
                "{n}"
            );
        }
        assert_eq!(outer_rank(100), 3);
    }

    #[test]
    fn the_bound_is_as_far_beyond_the_extreme_as_the_interval_is_wide() {
        let upper = learn(&evenly(100), Side::Upper, "").unwrap();
        assert!((upper.bound - 1.02).abs() < 1e-12, "{upper:?}");
        assert_eq!(upper.interval.1, upper.bound);
        let lower = learn(&evenly(100), Side::Lower, "").unwrap();
        assert!((lower.bound + 0.03).abs() < 1e-12, "{lower:?}");
        assert_eq!(lower.interval, (lower.bound, 0.0));
    }

    #[test]
    fn a_constant_bounds_itself() {
        assert_eq!(
            learn(&[0.5; 100], Side::Upper, "").map(|e| e.bound),
            Ok(0.5)
        );
    }

    #[test]
    fn what_is_useless_is_refused() {
        let why = |values: &[f64], domain| {
            let refusal = learn(values, Side::Upper, domain).unwrap_err();
            refusal.to_string()
        };
        assert!(why(&evenly(100), "0..1").contains("leave the domain 0..1"));
        assert!(why(&evenly(10), "").contains("at least 20"));
        let mut wild = evenly(100);
        wild[99] = 1e6;
        assert!(why(&wild, "").contains("wider than the middle half"));
        wild[99] = f64::NAN;
        assert!(why(&wild, "").contains("not a finite number"));
    }
}
