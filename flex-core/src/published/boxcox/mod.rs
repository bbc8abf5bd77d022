//! The power transform of Box & Cox (1964, eq. 1), with λ by maximum likelihood (ibid., eq. 8).
//!
//! It makes values of one sign more normal, and so a heavy tail lighter. Negative values are mirrored before and after,
//! so that the transform always preserves order. Values of both signs are not transformed: a shift would be one more
//! parameter, and the published method has none.

use std::fmt;

/// x ↦ ((x/g)^λ − 1)/λ, or ln(x/g) for λ = 0, where g is the geometric mean of the values; for negative values
/// x ↦ −((−x/g)^λ − 1)/λ.
///
/// Dividing by g changes the transform only by a shift and a scale, and keeps it from depending on the unit: without it
/// a large x with λ < 0 drowns in the −1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxCox {
    /// λ.
    pub lambda: f64,
    /// Whether the values are negative.
    pub mirrored: bool,
    /// ln g.
    ln_mean: f64,
}

/// Why there is no transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoTransform {
    /// Values of both signs, or a zero.
    MixedSigns,
    /// All values are the same, or there are none.
    Constant,
    /// A value is NaN or infinite.
    NotFinite,
}

impl fmt::Display for NoTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoTransform::MixedSigns => {
                "values of both signs, or zeros, have no Box–Cox transform; measure something positive, such as a ratio or an absolute error"
            }
            NoTransform::Constant => "all values are the same, so there is nothing to transform",
            NoTransform::NotFinite => "a value is NaN or infinite; look at the runs it came from",
        })
    }
}

/// λ is looked for between −`REACH` and `REACH` first, and ever farther out up to −`FARTHEST` and `FARTHEST`.
const REACH: f64 = 5.0;
const FARTHEST: f64 = 640.0;

impl BoxCox {
    /// The transform that makes values of one sign most nearly normal.
    pub fn maximum_likelihood(values: &[f64]) -> Result<BoxCox, NoTransform> {
        if !values.iter().all(|x| x.is_finite()) {
            return Err(NoTransform::NotFinite);
        }
        let Some(first) = values.first() else {
            return Err(NoTransform::Constant);
        };
        let mirrored = *first < 0.0;
        let sign = if mirrored { -1.0 } else { 1.0 };
        if !values.iter().all(|x| sign * x > 0.0) {
            return Err(NoTransform::MixedSigns);
        }
        let mut logs: Vec<f64> = values.iter().map(|x| (sign * x).ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        for log in &mut logs {
            *log -= mean;
        }
        if logs.iter().all(|log| log.abs() < 1e-12) {
            return Err(NoTransform::Constant);
        }
        let mut reach = REACH;
        let mut lambda = golden_section(-reach, reach, |lambda| likelihood(&logs, lambda));
        while reach < FARTHEST && lambda.abs() > 0.999 * reach {
            reach *= 2.0;
            lambda = golden_section(-reach, reach, |lambda| likelihood(&logs, lambda));
        }
        Ok(BoxCox {
            lambda,
            mirrored,
            ln_mean: mean,
        })
    }

    /// The transformed value; NaN for a value of the wrong sign.
    pub fn forward(self, x: f64) -> f64 {
        let sign = self.sign();
        if sign * x < 0.0 {
            return f64::NAN;
        }
        sign * power(self.lambda, (sign * x).ln() - self.ln_mean)
    }

    /// The value that [`BoxCox::forward`] maps to `y`; beyond the range of the transform the infinite or zero end.
    pub fn back(self, y: f64) -> f64 {
        let sign = self.sign();
        let t = self.lambda * sign * y;
        let log = if t.abs() < 1e-12 {
            sign * y
        } else if t <= -1.0 {
            // The range of the transform ends here: at infinity for λ < 0, at 0 for λ > 0.
            f64::INFINITY.copysign(-self.lambda)
        } else {
            t.ln_1p() / self.lambda
        };
        sign * (log + self.ln_mean).exp()
    }

    fn sign(self) -> f64 {
        if self.mirrored { -1.0 } else { 1.0 }
    }
}

/// (e^(λl) − 1)/λ, which is l for λ = 0.
fn power(lambda: f64, log: f64) -> f64 {
    let t = lambda * log;
    if t.abs() < 1e-12 {
        log
    } else {
        t.exp_m1() / lambda
    }
}

/// The profile log-likelihood of λ, but for a constant, of logarithms that are measured from their mean.
///
/// Measured so, the Jacobian (λ − 1) Σ ln x vanishes, and what remains is the variance of the transformed values.
fn likelihood(logs: &[f64], lambda: f64) -> f64 {
    // Taking out the largest factor keeps the powers finite for every λ.
    let top = logs
        .iter()
        .fold(f64::NEG_INFINITY, |top, log| top.max(lambda * log))
        .max(0.0);
    let count = logs.len() as f64;
    let scaled = |log: &f64| {
        if top > 30.0 {
            ((lambda * log - top).exp() - (-top).exp()) / lambda
        } else {
            power(lambda, *log) * (-top).exp()
        }
    };
    let mean = logs.iter().map(scaled).sum::<f64>() / count;
    let variance = logs
        .iter()
        .map(|log| (scaled(log) - mean).powi(2))
        .sum::<f64>()
        / count;
    -0.5 * variance.ln() - top
}

/// Where a function with a single peak is largest between `low` and `high` (Kiefer 1953).
fn golden_section(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let mut left = high - RATIO * (high - low);
    let mut right = low + RATIO * (high - low);
    let (mut f_left, mut f_right) = (f(left), f(right));
    while high - low > 1e-7 * (1.0 + low.abs().max(high.abs())) {
        if f_left < f_right {
            (low, left, f_left) = (left, right, f_right);
            right = low + RATIO * (high - low);
            f_right = f(right);
        } else {
            (high, right, f_right) = (right, left, f_left);
            left = high - RATIO * (high - low);
            f_left = f(left);
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests;
