//! The law of all quantiles at once: whether new samples lie higher or lower than the old ones as a whole.
//!
//! The order statistics that old quantiles stand for cut the line into cells. If nothing moved, the numbers of new
//! samples in the cells follow a Dirichlet-multinomial law with as many points per cell as ranks lie in it, whatever the
//! distribution is. A weighted sum of the numbers below each quantile is the Mann–Whitney statistic (1947) as far as
//! quantiles tell it. Its moments are exact, and they limit its tail (Chernoff 1952).

use crate::sample::QUANTILES;

/// The sum of new samples below each quantile, and its law.
pub(super) struct Shift {
    /// New samples.
    m: usize,
    /// For each cell its ranks, and what a sample in it adds to the sum.
    cells: Vec<(f64, f64)>,
}

/// Nearer to the middle than so many standard deviations nothing is surprising enough to be worth the arithmetic.
const NEAR: f64 = 3.0;

/// The tilt of moments, in standard deviations, beyond which they would say little more.
const FAR: f64 = 12.0;

impl Shift {
    /// The law for m new samples, where the quantiles are these order statistics of n old ones.
    pub fn new(n: usize, m: usize, ranks: &[usize; QUANTILES.len()]) -> Self {
        let mut cells = Vec::with_capacity(ranks.len() + 1);
        let mut before = 0;
        // A sample below a quantile is below all that follow it.
        let mut score: f64 = weights().iter().sum();
        for (rank, weight) in ranks.iter().zip(weights()) {
            cells.push(((rank - before) as f64, score));
            score -= weight;
            before = *rank;
        }
        cells.push(((n + 1 - before) as f64, 0.0));
        Shift { m, cells }
    }

    /// At least P(sum ≤ the sum of these counts).
    pub fn at_most(self, counts: &[usize; QUANTILES.len()]) -> f64 {
        let mirrored = Shift {
            cells: self.cells.iter().map(|(a, s)| (*a, -s)).collect(),
            ..self
        };
        mirrored.tail(-sum(counts))
    }

    /// At least P(sum ≥ the sum of these counts).
    pub fn at_least(self, counts: &[usize; QUANTILES.len()]) -> f64 {
        self.tail(sum(counts))
    }

    /// At least P(sum ≥ total).
    fn tail(&self, total: f64) -> f64 {
        let (mean, deviation) = self.mean_and_deviation();
        let distance = (total - mean) / deviation;
        // Also where nothing varies, and the distance is not a number.
        if distance.is_nan() || distance < NEAR {
            return 1.0;
        }
        // Any tilt gives a limit; that of a normal law gives nearly the best one.
        let tilt = distance.min(FAR) / deviation;
        (self.ln_moment(tilt) - tilt * total).exp().min(1.0)
    }

    /// Of the Dirichlet-multinomial law (Mosimann 1962).
    fn mean_and_deviation(&self) -> (f64, f64) {
        let m = self.m as f64;
        let ranks: f64 = self.cells.iter().map(|(a, _)| a).sum();
        let mean: f64 = self.cells.iter().map(|(a, s)| a * s / ranks).sum();
        let spread = |(a, s): &(f64, f64)| a * (s - mean).powi(2) / ranks;
        let variance: f64 = self.cells.iter().map(spread).sum();
        (
            m * mean,
            (variance * m * (ranks + m) / (ranks + 1.0)).sqrt(),
        )
    }

    /// ln E exp(t · sum), exactly.
    ///
    /// With z = exp(t · score) for each cell this is E (Σ p z)^m over a Dirichlet law of p, which is the m-th coefficient
    /// of Π (1 − z x)^−ranks, divided by that of (1 − x)^−(all ranks). Coefficients follow from the logarithmic
    /// derivative, whose own are sums of powers of z.
    fn ln_moment(&self, t: f64) -> f64 {
        let mut most = f64::NEG_INFINITY;
        let mut ranks = 0.0;
        for (a, s) in &self.cells {
            most = most.max(t * s);
            ranks += a;
        }
        // Relative to the largest z no power overflows.
        let mut factors = Vec::with_capacity(self.cells.len());
        let mut powers = Vec::with_capacity(self.cells.len());
        for (a, s) in &self.cells {
            let factor = (t * s - most).exp();
            factors.push(factor);
            powers.push(a * factor);
        }
        let mut sums = Vec::with_capacity(self.m);
        let mut coefficients: Vec<f64> = Vec::with_capacity(self.m + 1);
        coefficients.push(1.0);
        // Coefficients are kept relative to those of (1 − x)^−ranks, up to the latest of which this is the logarithm.
        let mut ln_scale = 0.0;
        for k in 1..=self.m {
            let mut sum = 0.0;
            for (power, factor) in powers.iter_mut().zip(&factors) {
                sum += *power;
                *power *= factor;
            }
            sums.push(sum);
            let mut next = 0.0;
            for (sum, c) in sums.iter().zip(coefficients.iter().rev()) {
                next += sum * c;
            }
            next /= k as f64;
            coefficients.push(next);
            ln_scale += ((ranks + k as f64 - 1.0) / k as f64).ln();
            if next > 1e200 {
                for c in &mut coefficients {
                    *c *= 1e-200;
                }
                ln_scale -= 200.0 * std::f64::consts::LN_10;
            }
        }
        let last = coefficients.last().copied().unwrap_or(1.0);
        last.ln() - ln_scale + self.m as f64 * most
    }
}

/// What each quantile stands for: half the way to its neighbours.
fn weights() -> [f64; QUANTILES.len()] {
    let at = |index: usize| QUANTILES[index.min(QUANTILES.len() - 1)];
    let mut weights = [0.0; QUANTILES.len()];
    for (index, weight) in weights.iter_mut().enumerate() {
        *weight = 0.5 * (at(index + 1) - at(index.saturating_sub(1)));
    }
    weights
}

fn sum(counts: &[usize; QUANTILES.len()]) -> f64 {
    let weighted = counts.iter().zip(weights());
    weighted.map(|(count, weight)| *count as f64 * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve samples in four cells.
    fn small() -> Shift {
        Shift {
            m: 12,
            cells: vec![(3.0, 1.0), (4.0, 0.7), (6.0, 0.25), (8.0, 0.0)],
        }
    }

    #[test]
    fn moments_agree_with_a_sum_over_all_cases() {
        // The law of 455 ways to put 12 samples into 4 cells, summed up in fractions by a program of its own in Python.
        for (t, expected) in [
            (0.4, 1.8715742888019458),
            (-0.9, -2.921946458766415),
            (2.0, 13.745655450230956),
        ] {
            let moment = small().ln_moment(t);
            assert!((moment - expected).abs() < 1e-12, "{t}: {moment}");
        }
    }

    #[test]
    fn the_limit_is_above_the_tail_and_not_far_above() {
        // From the same sum.
        for (total, exact) in [
            (9.5, 0.0007365202545838034),
            (10.5, 6.744235113921239e-05),
            (11.2, 6.78055158879263e-06),
        ] {
            let limit = small().tail(total);
            assert!(limit >= exact && limit < 12.0 * exact, "{total}: {limit}");
        }
        assert_eq!(small().tail(5.0), 1.0);
    }

    #[test]
    fn many_samples_neither_overflow_nor_vanish() {
        let ranks = QUANTILES.map(|p| (p * 2999.0) as usize + 1);
        let law = || Shift::new(3000, 3000, &ranks);
        let (mean, deviation) = law().mean_and_deviation();
        assert!((mean / 1500.0 - 1.0).abs() < 1e-2, "{mean}");
        for (distance, ln_normal) in [(5.0, -12.5), (8.0, -32.0)] {
            let limit = law().tail(mean + distance * deviation).ln();
            assert!(
                (limit / ln_normal - 1.0).abs() < 0.05,
                "{distance}: {limit}"
            );
        }
        let moved = [3000; QUANTILES.len()];
        assert!(law().at_least(&moved) < 1e-100);
        assert!(law().at_most(&[0; QUANTILES.len()]) < 1e-100);
    }
}
