//! Maximum likelihood for the generalised Pareto distribution, by the profile of Grimshaw (1993).
//!
//! With θ = ξ/σ, the likelihood has its maximum over ξ at ξ(θ) = mean ln(1 + θy), which leaves a function of θ alone.
//! Towards θ = −1/max y that function grows without limit (the density with ξ < −1 is infinite at its end), so the
//! maximum likelihood estimate is the best *interior* maximum, and there may be none. A grid over θ finds every
//! change of sign of the score from rising to falling, and each is polished.

use std::fmt;

use crate::numeric::root::crossing;
use crate::tail::gpd::Gpd;

/// The interior maximum of the likelihood.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpdFit {
    /// The fitted distribution of the excesses.
    pub gpd: Gpd,
    /// The log-likelihood at the maximum.
    pub log_likelihood: f64,
}

/// Why there is no fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoFit {
    /// Fewer than two excesses.
    TooFew,
    /// An excess is not a positive, finite number.
    NotPositive,
    /// The likelihood has no interior maximum: it only grows towards the end of the support.
    NoInteriorMaximum,
}

impl fmt::Display for NoFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoFit::TooFew => "a tail needs at least two excesses",
            NoFit::NotPositive => "an excess is not a positive, finite number",
            NoFit::NoInteriorMaximum => {
                "the likelihood has no interior maximum; the largest values pile up at an end point"
            }
        })
    }
}

impl GpdFit {
    /// Fits excesses over a threshold, in any order.
    pub fn maximum_likelihood(excesses: &[f64]) -> Result<GpdFit, NoFit> {
        if excesses.len() < 2 {
            return Err(NoFit::TooFew);
        }
        if !excesses.iter().all(|y| *y > 0.0 && y.is_finite()) {
            return Err(NoFit::NotPositive);
        }
        let profile = Profile::new(excesses);
        let grid = profile.grid();
        let mut best: Option<(f64, f64)> = None;
        let mut previous: Option<(f64, f64)> = None;
        for theta in grid {
            let score = profile.rough_score(theta);
            if let Some((left, rising)) = previous
                && rising > 0.0
                && score <= 0.0
            {
                let root = crossing(left, theta, 1e-12, |theta| -profile.score(theta));
                let value = profile.mean_log_likelihood(root);
                if best.is_none_or(|(_, known)| value > known) {
                    best = Some((root, value));
                }
            }
            previous = Some((theta, score));
        }
        let (theta, value) = best.ok_or(NoFit::NoInteriorMaximum)?;
        let (shape, scale) = profile.shape_and_scale(theta);
        let count = excesses.len() as f64;
        Ok(GpdFit {
            gpd: Gpd::new(scale * profile.unit, shape).ok_or(NoFit::NoInteriorMaximum)?,
            log_likelihood: count * (value - profile.unit.ln()),
        })
    }
}

/// The profile likelihood of excesses that are measured in units of their mean.
struct Profile {
    values: Vec<f64>,
    unit: f64,
    largest: f64,
    smallest: f64,
    second_moment: f64,
}

impl Profile {
    fn new(excesses: &[f64]) -> Self {
        // Dividing by the largest first keeps the sum finite for any finite excess.
        let top = excesses.iter().copied().fold(0.0, f64::max);
        let count = excesses.len() as f64;
        let unit = top * (excesses.iter().map(|y| y / top).sum::<f64>() / count);
        let values: Vec<f64> = excesses.iter().map(|y| y / unit).collect();
        Profile {
            largest: top / unit,
            smallest: values.iter().copied().fold(f64::INFINITY, f64::min),
            second_moment: values.iter().map(|z| z * z).sum::<f64>() / count,
            values,
            unit,
        }
    }

    /// Ascending θ from just inside −1/max to Grimshaw's upper limit for a root.
    fn grid(&self) -> impl Iterator<Item = f64> {
        const NEGATIVE: i32 = 40;
        const FROM: f64 = 1e-12;
        let ratio = (0.98 / FROM).powf(1.0 / f64::from(NEGATIVE - 1));
        let largest = self.largest;
        let negative = (0..NEGATIVE).map(move |i| (FROM * ratio.powi(i) - 1.0) / largest);
        let limit = 2.0 * (1.0 - self.smallest) / (self.smallest * self.smallest);
        let limit = limit.clamp(0.1, 1e18) * 1.01;
        let positive = std::iter::successors(Some(0.01), |theta| Some(theta * 2.0))
            .take_while(move |theta| *theta < limit)
            .chain([limit]);
        negative.chain([0.0]).chain(positive)
    }

    /// The sign of the score, from plain sums: exact enough away from θ = 0, where its limit is known.
    fn rough_score(&self, theta: f64) -> f64 {
        if theta == 0.0 {
            return 0.5 * self.second_moment - 1.0;
        }
        let count = self.values.len() as f64;
        let (mut logs, mut inverses) = (0.0, 0.0);
        for chunk in self.values.chunks(4) {
            let mut product = 1.0;
            for z in chunk {
                let t = 1.0 + theta * z;
                product *= t;
                inverses += 1.0 / t;
            }
            logs += f64::ln(product);
        }
        (1.0 + logs / count) * (inverses / count) - 1.0
    }

    /// The score g(θ)/θ², without the cancellation that the plain form suffers near θ = 0.
    ///
    /// With t = θz: 1/(1+t) = 1 − t + t²/(1+t) and ln(1+t) = t − r(t); the terms of order 0 and 1 cancel on paper.
    fn score(&self, theta: f64) -> f64 {
        if theta == 0.0 {
            return 0.5 * self.second_moment - 1.0;
        }
        let count = self.values.len() as f64;
        let (mut a, mut r) = (0.0, 0.0);
        for z in &self.values {
            let t = theta * z;
            a += t * t / (1.0 + t);
            r += log_remainder(t);
        }
        let (a, r) = (a / count, r / count);
        (a - r + theta * (r + a) - a * r - theta * theta) / (theta * theta)
    }

    fn shape_and_scale(&self, theta: f64) -> (f64, f64) {
        let count = self.values.len() as f64;
        let shape = self.values.iter().map(|z| (theta * z).ln_1p()).sum::<f64>() / count;
        let scale = if theta == 0.0 { 1.0 } else { shape / theta };
        (shape, scale)
    }

    fn mean_log_likelihood(&self, theta: f64) -> f64 {
        let (shape, scale) = self.shape_and_scale(theta);
        -scale.ln() - shape - 1.0
    }
}

/// r(t) = t − ln(1 + t), with full relative precision near 0.
fn log_remainder(t: f64) -> f64 {
    if t.abs() > 0.02 {
        return t - t.ln_1p();
    }
    // t²/2 − t³/3 + …; nine terms reach double precision for |t| ≤ 0.02.
    let series = (2..=10)
        .rev()
        .fold(0.0, |sum, j| 1.0 / f64::from(j) - t * sum);
    t * t * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_remainder_has_no_seam() {
        for t in [0.0199999, 0.0200001, -0.0199999, -0.0200001f64] {
            let reference = t - t.ln_1p();
            assert!((log_remainder(t) / reference - 1.0).abs() < 1e-12);
        }
        assert!((log_remainder(1e-9) / 0.5e-18 - 1.0).abs() < 1e-8);
    }

    #[test]
    fn data_of_any_magnitude_fit_equally_well() {
        let excesses: Vec<f64> = (1..=60)
            .map(|i| -(f64::from(i) / 61.0).ln() * (1.0 + 0.01 * f64::from(i % 7)))
            .collect();
        let fit = GpdFit::maximum_likelihood(&excesses).unwrap();
        for factor in [1e-300, 1e-12, 1e12, 1e290] {
            let scaled: Vec<f64> = excesses.iter().map(|y| y * factor).collect();
            let got = GpdFit::maximum_likelihood(&scaled).unwrap();
            assert!((got.gpd.shape() - fit.gpd.shape()).abs() < 1e-9, "{factor}");
            let scale = got.gpd.scale() / factor;
            assert!((scale / fit.gpd.scale() - 1.0).abs() < 1e-9, "{factor}");
        }
    }

    #[test]
    fn what_cannot_be_fitted_is_said() {
        let fit = GpdFit::maximum_likelihood;
        assert_eq!(fit(&[1.0]), Err(NoFit::TooFew));
        assert_eq!(fit(&[1.0, 0.0, 2.0]), Err(NoFit::NotPositive));
        assert_eq!(fit(&[1.0, f64::NAN]), Err(NoFit::NotPositive));
        assert_eq!(fit(&[3.0; 20]), Err(NoFit::NoInteriorMaximum), "all equal");
    }
}
