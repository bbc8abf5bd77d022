//! Has a distribution moved? New samples against the quantiles that an entry keeps of older ones (DESIGN §4.6).
//!
//! A quantile of the old samples is one of their order statistics, or lies between two. If nothing moved, the number
//! of new samples below the r-th of n old ones follows a beta-binomial law, whatever the distribution is (Wilks 1942).
//! That gives an exact probability for each quantile; the least of them, times their number, is the answer. It errs
//! to the side of "not moved": where quantiles lie between order statistics, are rounded, or meet ties.

use crate::calibration::QUANTILES;
use crate::gamma::ln_beta;
use crate::sample::Samples;

/// How surprising new samples are, if the distribution is still the old one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The probability of something as surprising; at most 1.
    pub p_value: f64,
    /// The probability of the old quantile that is most surprising.
    pub at: f64,
    /// The share of the new samples up to that quantile.
    pub share: f64,
}

/// The probability below which a suite as a whole takes a difference for drift.
pub const LEVEL: f64 = 1e-3;

impl Drift {
    /// Compares new samples with the quantiles of `old_samples` older ones; `None` without any of either.
    pub fn between(
        quantiles: &[f64; QUANTILES.len()],
        old_samples: u32,
        new: &Samples,
    ) -> Option<Drift> {
        let (n, m) = (old_samples as usize, new.len());
        if n == 0 || m == 0 {
            return None;
        }
        // Kept quantiles are rounded to a thousandth of this distance at most.
        let slack = 1e-3 * (quantiles[11] - quantiles[5]);
        let mut most: Option<Drift> = None;
        for (p, quantile) in QUANTILES.iter().zip(quantiles) {
            let position = p * (n - 1) as f64;
            let (low, high) = (position.floor() as usize + 1, position.ceil() as usize + 1);
            let values = new.finite();
            let up_to = values.partition_point(|sample| sample.value <= quantile + slack);
            let below = values.partition_point(|sample| sample.value < quantile - slack);
            let few = Law::new(n, m, low).at_most(up_to);
            let many = Law::new(n, m, high).at_least(below);
            let p_value = (2.0 * few.min(many) * QUANTILES.len() as f64).min(1.0);
            if most.is_none_or(|most| p_value < most.p_value) {
                most = Some(Drift {
                    p_value,
                    at: *p,
                    share: up_to as f64 / m as f64,
                });
            }
        }
        most
    }

    /// Whether this is drift, among so many sites that were compared.
    pub fn is_significant(&self, sites: usize) -> bool {
        self.p_value < LEVEL / sites.max(1) as f64
    }
}

/// How many of m new samples lie below the r-th of n old ones: beta-binomial with parameters r and n + 1 − r.
struct Law {
    m: usize,
    a: f64,
    b: f64,
}

impl Law {
    fn new(n: usize, m: usize, rank: usize) -> Self {
        Law {
            m,
            a: rank as f64,
            b: (n + 1 - rank) as f64,
        }
    }

    fn probability(&self, count: usize) -> f64 {
        let (k, m) = (count as f64, self.m as f64);
        let ln_choose = -ln_beta(k + 1.0, m - k + 1.0) - (m + 1.0).ln();
        (ln_choose + ln_beta(k + self.a, m - k + self.b) - ln_beta(self.a, self.b)).exp()
    }

    /// P(K ≤ count).
    fn at_most(&self, count: usize) -> f64 {
        // From the far end of the tail on, terms grow until the middle; the ratio of neighbours is a fraction.
        let m = self.m as f64;
        let mut term = self.probability(count.min(self.m));
        let mut sum = term;
        for k in (1..=count.min(self.m)).rev() {
            let k = k as f64;
            term *= k * (self.b + m - k) / ((m - k + 1.0) * (self.a + k - 1.0));
            sum += term;
            if term < 1e-18 * sum {
                break;
            }
        }
        sum.min(1.0)
    }

    /// P(K ≥ count).
    fn at_least(&self, count: usize) -> f64 {
        let mirrored = Law {
            m: self.m,
            a: self.b,
            b: self.a,
        };
        mirrored.at_most(self.m - count.min(self.m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCIPY: [(usize, usize, usize, usize, f64, f64); 5] = [
        (3, 100, 20, 100, 0.00011199183621469664, 0.9999745438356114),
        (40, 100, 20, 100, 0.9994505723531336, 0.000898254568872936),
        (0, 30, 1, 100, 0.769230769230769, 1.0),
        (
            280,
            300,
            150,
            300,
            0.9999999999999291,
            3.9283230245779595e-35,
        ),
        (95, 100, 100, 100, 0.029691605234298705, 0.9855348589884196),
    ];

    #[test]
    fn the_law_agrees_with_scipy() {
        // scipy.stats.betabinom(m, r, n + 1 - r): cdf(k), and the sum of pmf from k on
        for (k, m, r, n, cdf, sf) in SCIPY {
            let law = Law::new(n, m, r);
            assert!((law.at_most(k) / cdf - 1.0).abs() < 1e-9, "{k} {m} {r} {n}");
            assert!((law.at_least(k) / sf - 1.0).abs() < 1e-9, "{k} {m} {r} {n}");
        }
    }

    /// Quantiles of so many samples of a function of a uniform number.
    fn kept(values: &[f64]) -> [f64; QUANTILES.len()] {
        let samples = Samples::from_values(values);
        QUANTILES.map(|p| samples.quantile(p).unwrap())
    }

    /// The quantiles of an exponential, from a given place on.
    fn exponential(n: usize, shift: f64) -> Vec<f64> {
        (0..n)
            .map(|i| shift - ((i as f64 + 0.5) / n as f64).ln())
            .collect()
    }

    #[test]
    fn the_same_distribution_has_not_moved() {
        for (n, m) in [(100, 100), (100, 1000), (3000, 30)] {
            let new = Samples::from_values(&exponential(m, 0.0));
            let drift = Drift::between(&kept(&exponential(n, 0.0)), n as u32, &new).unwrap();
            assert_eq!(drift.p_value, 1.0, "{n} {m}");
        }
    }

    #[test]
    fn a_shift_is_seen_on_either_side() {
        let old = kept(&exponential(300, 0.0));
        for shift in [1.0, -1.0] {
            let new = Samples::from_values(&exponential(300, shift));
            let drift = Drift::between(&old, 300, &new).unwrap();
            assert!(drift.is_significant(500), "{drift:?}");
        }
    }

    #[test]
    fn ties_and_rounding_are_no_drift() {
        // Thirds are cut to four digits; every value is a tie.
        let thirds: Vec<f64> = (0..300).map(|i| f64::from(i % 3) / 3.0).collect();
        let rounded = kept(&thirds).map(|q| (q * 1e4).floor() / 1e4);
        let drift = Drift::between(&rounded, 300, &Samples::from_values(&thirds)).unwrap();
        assert_eq!(drift.p_value, 1.0);
        let constant = Samples::from_values(&[2.0; 100]);
        let drift = Drift::between(&[2.0; 17], 100, &constant).unwrap();
        assert_eq!(drift.p_value, 1.0);
        let moved = Samples::from_values(&[2.1; 100]);
        let drift = Drift::between(&[2.0; 17], 100, &moved).unwrap();
        assert!(drift.p_value < 1e-20);
    }

    #[test]
    fn without_samples_nothing_is_said() {
        assert_eq!(
            Drift::between(&[0.0; 17], 0, &Samples::from_values(&[1.0])),
            None
        );
        assert_eq!(
            Drift::between(&[0.0; 17], 9, &Samples::from_values(&[])),
            None
        );
    }

    #[test]
    fn values_that_are_not_finite_are_beyond_all() {
        let old = kept(&exponential(100, 0.0));
        let new = Samples::from_values(&[f64::NAN; 100]);
        let drift = Drift::between(&old, 100, &new).unwrap();
        assert!(drift.p_value < 1e-20, "{drift:?}");
    }
}
