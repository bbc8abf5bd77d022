//! Geweke's z: has a series of values settled? (Geweke 1992; as used by FLASH: Dutta et al. 2020;
//! docs/design/search.md, "When a search may stop")

/// What the difference of the means is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Yardstick {
    /// The standard error of the difference, as Geweke has it for independent values.
    #[default]
    StandardErrors,
    /// The root of the summed variances, as the paper's tool has it: it does not shrink with more runs.
    PlainVariances,
}

/// Geweke's z of the first 10 % of the values against the last 50 %; `None` for fewer than 10, or if one is not finite.
///
/// Variances have the divisor n. Equal means without any variance are no difference at all.
pub fn geweke(values: &[f64], yardstick: Yardstick) -> Option<f64> {
    let n = values.len();
    if n < 10 || !values.iter().all(|x| x.is_finite()) {
        return None;
    }
    let (first, last) = (&values[..n / 10], &values[n - n / 2..]);
    let (mean_first, variance_first) = moments(first);
    let (mean_last, variance_last) = moments(last);
    let difference = mean_first - mean_last;
    let variance = match yardstick {
        Yardstick::StandardErrors => {
            variance_first / first.len() as f64 + variance_last / last.len() as f64
        }
        Yardstick::PlainVariances => variance_first + variance_last,
    };
    let z = difference / variance.sqrt();
    if difference == 0.0 {
        Some(0.0)
    } else {
        (!z.is_nan()).then_some(z)
    }
}

fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    // Measured from the first value, so that a constant has no variance at all.
    let origin = values[0];
    let mean = values.iter().map(|x| (x - origin) / count).sum::<f64>();
    let variance = values
        .iter()
        .map(|x| (x - origin - mean).powi(2) / count)
        .sum();
    (origin + mean, variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_agrees_with_numpy() {
        for (yardstick, expected) in [
            (Yardstick::StandardErrors, STANDARD_ERRORS),
            (Yardstick::PlainVariances, PLAIN_VARIANCES),
        ] {
            let got = geweke(&VALUES, yardstick).unwrap();
            assert!((got - expected).abs() < 1e-12, "{got} {expected}");
        }
    }

    #[test]
    fn z_of_unusual_values_is_never_nan() {
        let z = |values: &[f64]| geweke(values, Yardstick::StandardErrors);
        assert_eq!(z(&[0.1; 30]), Some(0.0));
        assert_eq!(z(&[1.0; 9]), None);
        assert_eq!(z(&[]), None);
        assert_eq!(z(&[f64::NAN; 30]), None);
        let mut step = vec![0.0; 15];
        step.extend([1.0; 15]);
        assert_eq!(z(&step), Some(f64::NEG_INFINITY));
        assert_eq!(z(&[f64::MAX, -f64::MAX].repeat(10)), None);
    }

    const VALUES: [f64; 30] = [
        -0.802, -1.324, -0.248, 0.42, 1.136, 0.11, -0.553, -0.785, 0.749, 1.635, 0.273, -1.233,
        -0.958, 1.6, 0.203, -1.732, -0.084, -1.163, -0.629, -0.488, -0.713, 0.553, -0.063, -0.589,
        0.41, 0.83, -1.643, -0.257, -0.981, -0.173,
    ];
    // (a.mean() - b.mean()) / sqrt(a.var()/len(a) + b.var()/len(b)) with a = x[:3], b = x[15:]
    const STANDARD_ERRORS: f64 = -1.0916877680160655;
    // (a.mean() - b.mean()) / sqrt(a.var() + b.var())
    const PLAIN_VARIANCES: f64 = -0.407188186616897;
}
