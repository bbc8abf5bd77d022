//! Linear forms of probabilities that are not known exactly: the law of Σ wᵢ pᵢ for p ~ Dirichlet.

use std::f64::consts::TAU;

use crate::numeric::normal::normal_sf;

/// P(Σ wᵢ pᵢ ≤ 0) for p ~ Dirichlet(`shapes`), all of them positive.
///
/// Dirichlet variables are independent gamma variables divided by their sum, which does not change the sign. The sum of
/// weighted gamma variables has the cumulant generating function −Σ aᵢ ln(1 − t wᵢ), and its saddlepoint approximation
/// (Lugannani & Rice 1980) is good to a few parts in 10⁴ wherever cells hold a handful of samples.
pub(crate) fn probability_at_most_zero(shapes: &[f64], weights: &[f64]) -> f64 {
    let form = Form { shapes, weights };
    let (least, greatest) = weights
        .iter()
        .fold((0.0f64, 0.0f64), |(least, greatest), weight| {
            (least.min(*weight), greatest.max(*weight))
        });
    if greatest <= 0.0 {
        return 1.0;
    }
    if least >= 0.0 {
        return 0.0;
    }
    let t = form.saddlepoint(1.0 / least, 1.0 / greatest);
    let [cumulant, _, variance, skewness] = form.cumulants(t);
    let root = (-2.0 * cumulant).max(0.0).sqrt().copysign(t);
    let slope = t * variance.sqrt();
    // Where the mean is zero, both terms have a pole, and this is the limit of their difference.
    let correction = match root.abs() < 1e-4 {
        true => skewness / (6.0 * variance.powf(1.5)),
        false => (1.0 / root - 1.0 / slope) * (-0.5 * root * root).exp(),
    };
    (normal_sf(-root) + correction / TAU.sqrt()).clamp(0.0, 1.0)
}

struct Form<'a> {
    shapes: &'a [f64],
    weights: &'a [f64],
}

impl Form<'_> {
    /// The cumulant generating function at t, and its first three derivatives.
    fn cumulants(&self, t: f64) -> [f64; 4] {
        let mut sums = [0.0; 4];
        for (shape, weight) in self.shapes.iter().zip(self.weights) {
            let scale = 1.0 / (1.0 - t * weight);
            let tilted = weight * scale;
            sums[0] += shape * scale.ln();
            sums[1] += shape * tilted;
            sums[2] += shape * tilted * tilted;
            sums[3] += 2.0 * shape * tilted * tilted * tilted;
        }
        sums
    }

    /// Where the first derivative is zero: it grows from −∞ at `low` to ∞ at `high`.
    fn saddlepoint(&self, mut low: f64, mut high: f64) -> f64 {
        let mut t = 0.0;
        for _ in 0..100 {
            let [_, slope, curvature, _] = self.cumulants(t);
            if slope > 0.0 {
                high = t;
            } else {
                low = t;
            }
            let newton = t - slope / curvature;
            let next = match newton > low && newton < high {
                true => newton,
                false => 0.5 * (low + high),
            };
            if (next - t).abs() <= 1e-12 * (high - low).max(next.abs()) {
                return next;
            }
            t = next;
        }
        t
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_agree_with_an_inversion_of_the_characteristic_function() {
        // Gil-Pelaez (1951), integrated with scipy.integrate.quad to 12 digits.
        let nine = [30.0, 20.0, 10.0, 12.0, 11.0, 9.0, 4.0, 2.0, 2.0, 1.0];
        let check = |shapes: &[f64], weights: &[f64], expected: f64, within: f64| {
            let got = probability_at_most_zero(shapes, weights);
            assert!((got - expected).abs() < within, "{got} {expected}");
        };
        check(
            &nine,
            &[
                -0.527633, -0.312711, -0.221199, -0.060587, 0.064494, 0.284025, 0.454991, 0.648721,
                0.988737, 1.893596,
            ],
            0.9987441468639506,
            1e-4,
        );
        check(
            &nine,
            &[
                -0.660404, -0.417252, -0.302324, -0.086069, 0.094174, 0.433329, 0.716007, 1.054433,
                1.691234, 3.618177,
            ],
            0.9829206979734221,
            5e-4,
        );
        check(
            &[9.0, 6.0, 3.0, 4.0, 3.0, 3.0, 1.0, 1.0, 1.0],
            &[
                -0.342953, -0.213372, -0.139292, -0.058235, 0.030455, 0.127497, 0.233678, 0.309964,
                0.521962,
            ],
            0.9949104651687419,
            2e-4,
        );
        check(&[70.0, 31.0], &[-0.2, 0.5], 0.3301239510305082, 5e-5);
        check(
            &[5.0, 95.0, 1.0],
            &[-0.5, 0.01, 3.0],
            0.3680318203606674,
            1e-2,
        );
    }

    #[test]
    fn near_a_mean_of_zero_nothing_jumps() {
        let at = |weight: f64| probability_at_most_zero(&[40.0, 20.0], &[-1.0, weight]);
        let (before, middle, after) = (at(2.0 - 1e-4), at(2.0), at(2.0 + 1e-4));
        assert!(before > middle && middle > after);
        assert!((before - 2.0 * middle + after).abs() < 1e-6);
    }

    #[test]
    fn weights_of_one_sign_leave_no_doubt() {
        assert_eq!(probability_at_most_zero(&[1.0, 2.0], &[-1.0, 0.0]), 1.0);
        assert_eq!(probability_at_most_zero(&[1.0, 2.0], &[1.0, 0.0]), 0.0);
    }
}
