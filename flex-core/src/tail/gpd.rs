//! The generalised Pareto distribution of excesses over a threshold (Pickands 1975; Coles 2001, §4.2).
//!
//! P(Y > y) = (1 + ξ y/σ)₊^(−1/ξ), the exponential for ξ = 0. Both forms below go over into each other without a
//! seam: everything is written in terms of the hazard H(y) = ln(1 + ξ y/σ)/ξ, which is a unit exponential variable.

/// A generalised Pareto distribution on y ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gpd {
    scale: f64,
    shape: f64,
}

impl Gpd {
    /// A distribution with scale σ > 0 and shape ξ, or `None` if they are not such numbers.
    pub fn new(scale: f64, shape: f64) -> Option<Self> {
        (scale > 0.0 && scale.is_finite() && shape.is_finite()).then_some(Gpd { scale, shape })
    }

    /// σ.
    pub fn scale(self) -> f64 {
        self.scale
    }

    /// ξ: negative for a tail that ends, 0 for an exponential one, positive for a heavy one.
    pub fn shape(self) -> f64 {
        self.shape
    }

    /// The end of the support, infinite unless ξ < 0.
    pub fn end(self) -> f64 {
        if self.shape < 0.0 {
            -self.scale / self.shape
        } else {
            f64::INFINITY
        }
    }

    /// P(Y > y).
    pub fn survival(self, y: f64) -> f64 {
        if y <= 0.0 {
            1.0
        } else {
            (-hazard(y / self.scale, self.shape)).exp()
        }
    }

    /// P(Y ≤ y).
    pub fn distribution(self, y: f64) -> f64 {
        if y <= 0.0 {
            0.0
        } else {
            -(-hazard(y / self.scale, self.shape)).exp_m1()
        }
    }

    /// The density at y.
    pub fn density(self, y: f64) -> f64 {
        self.ln_density(y).exp()
    }

    /// The logarithm of the density at y, −∞ outside of the support.
    #[inline]
    pub fn ln_density(self, y: f64) -> f64 {
        if y < 0.0 || y > self.end() {
            return f64::NEG_INFINITY;
        }
        let z = y / self.scale;
        let hazard = hazard(z, self.shape);
        if hazard.is_infinite() {
            // At the very end the density is 0, 1/σ or infinite, as ξ is above, at or below −1.
            return match self.shape.partial_cmp(&-1.0) {
                Some(std::cmp::Ordering::Less) => f64::INFINITY,
                Some(std::cmp::Ordering::Equal) => -self.scale.ln(),
                _ => f64::NEG_INFINITY,
            };
        }
        -self.scale.ln() - (1.0 + self.shape) * hazard
    }

    /// The y with P(Y > y) = `probability`.
    pub fn quantile_above(self, probability: f64) -> f64 {
        self.scale * growth(-probability.ln(), self.shape)
    }
}

/// H(z) = ln(1 + ξz)/ξ; infinite from the end of the support on.
pub(crate) fn hazard(z: f64, shape: f64) -> f64 {
    let t = shape * z;
    if t <= -1.0 {
        f64::INFINITY
    } else if t.abs() < 1e-8 {
        z * (1.0 - 0.5 * t)
    } else {
        t.ln_1p() / shape
    }
}

/// The inverse of [`hazard`]: (e^(ξh) − 1)/ξ.
pub(crate) fn growth(hazard: f64, shape: f64) -> f64 {
    let t = shape * hazard;
    if t.abs() < 1e-8 {
        hazard * (1.0 + 0.5 * t)
    } else {
        t.exp_m1() / shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy.stats.genpareto with scale 1.2: (ξ, y, pdf, sf, isf(1e-4)).
    const SCIPY: [(f64, f64, f64, f64, f64); 12] = [
        (
            -0.9,
            1e-9,
            0.8333333332638889,
            0.9999999991666667,
            1.3329984151424652,
        ),
        (
            -0.9,
            1.0,
            0.7143699857108942,
            0.21431099571326823,
            1.3329984151424652,
        ),
        (
            -0.3,
            0.5,
            0.6102449736708794,
            0.6407572223544232,
            3.747617062207923,
        ),
        (
            -0.3,
            1.0,
            0.4258876389450328,
            0.38329887505052945,
            3.747617062207923,
        ),
        (
            -1e-9,
            0.5,
            0.5493671920149179,
            0.659240630143218,
            11.052408395473195,
        ),
        (
            0.0,
            1.0,
            0.3621651737558985,
            0.4345982085070782,
            11.052408446371418,
        ),
        (
            1e-9,
            1.0,
            0.36216517357984596,
            0.4345982086579803,
            11.052408497269639,
        ),
        (
            1e-5,
            0.5,
            0.549365379691413,
            0.659241202456594,
            11.052917444216716,
        ),
        (
            1e-5,
            1.0,
            0.36216341324061624,
            0.43459971752287196,
            11.052917444216716,
        ),
        (
            0.2,
            1.0,
            0.33047454716997166,
            0.46266436603796035,
            31.857440668811588,
        ),
        (
            1.5,
            0.5,
            0.37101928011372903,
            0.7234875962217716,
            799999.1999999996,
        ),
        (
            1.5,
            1.0,
            0.21569888018180217,
            0.5823869764908659,
            799999.1999999996,
        ),
    ];

    #[test]
    fn agrees_with_scipy() {
        for (shape, y, pdf, sf, isf) in SCIPY {
            let gpd = Gpd::new(1.2, shape).unwrap();
            let close = |got: f64, want: f64| (got / want - 1.0).abs() < 1e-9;
            assert!(close(gpd.density(y), pdf), "{shape} {y}");
            assert!(close(gpd.survival(y), sf), "{shape} {y}");
            assert!((gpd.distribution(y) - (1.0 - sf)).abs() < 1e-12);
            assert!(close(gpd.quantile_above(1e-4), isf), "{shape}");
        }
    }

    #[test]
    fn the_quantile_inverts_the_survival_function_through_zero_shape() {
        for shape in [-0.8, -1e-3, -1e-8, -1e-12, 0.0, 1e-15, 1e-8, 1e-3, 0.5, 2.0] {
            let gpd = Gpd::new(3.0, shape).unwrap();
            for probability in [0.9, 0.5, 1e-3, 1e-9] {
                let back = gpd.survival(gpd.quantile_above(probability));
                assert!((back / probability - 1.0).abs() < 1e-6, "{shape} {back}");
            }
        }
    }

    #[test]
    fn beyond_the_end_of_the_support_there_is_nothing() {
        let gpd = Gpd::new(1.0, -0.5).unwrap();
        assert_eq!(gpd.end(), 2.0);
        assert_eq!(gpd.survival(2.0), 0.0);
        assert_eq!(gpd.density(2.0), 0.0);
        assert_eq!(gpd.survival(5.0), 0.0);
        assert_eq!(gpd.distribution(5.0), 1.0);
        assert_eq!(gpd.density(-1.0), 0.0);
        assert_eq!(Gpd::new(2.0, -1.0).unwrap().density(2.0), 0.5, "uniform");
        assert_eq!(Gpd::new(0.0, 0.1), None);
        assert_eq!(Gpd::new(1.0, f64::NAN), None);
    }
}
