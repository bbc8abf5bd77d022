//! The law of one quantile: how many new samples lie below an order statistic of the old ones (Wilks 1942).

use crate::numeric::gamma::ln_beta;

/// How many of m new samples lie below the r-th of n old ones: beta-binomial with parameters r and n + 1 − r.
pub(super) struct DriftLaw {
    m: usize,
    a: f64,
    b: f64,
}

impl DriftLaw {
    pub fn new(n: usize, m: usize, rank: usize) -> Self {
        DriftLaw {
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
    pub fn at_most(&self, count: usize) -> f64 {
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
    pub fn at_least(&self, count: usize) -> f64 {
        let mirrored = DriftLaw {
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
            let law = DriftLaw::new(n, m, r);
            assert!((law.at_most(k) / cdf - 1.0).abs() < 1e-9, "{k} {m} {r} {n}");
            assert!((law.at_least(k) / sf - 1.0).abs() < 1e-9, "{k} {m} {r} {n}");
        }
    }
}
