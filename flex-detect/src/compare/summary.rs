//! Means, standard deviations and correlations, for people.

use super::pair::Pair;

/// The mean and the standard deviation of finite values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    pub mean: f64,
    pub sd: f64,
}

impl Moments {
    /// Those of the values that are finite; NaN where there are none.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let count = finite.clone().count() as f64;
        let mean = finite.clone().sum::<f64>() / count;
        let squares: f64 = finite.map(|value| (value - mean).powi(2)).sum();
        Moments {
            mean,
            sd: (squares / (count - 1.0).max(1.0)).sqrt(),
        }
    }
}

/// Pearson's correlation of old and new values; `None` where one of them does not vary.
pub fn correlation(pairs: &[Pair]) -> Option<f64> {
    let finite = || {
        pairs
            .iter()
            .filter(|p| p.old.is_finite() && p.new.is_finite())
    };
    let (old, new) = (
        Moments::of(finite().map(|pair| pair.old)),
        Moments::of(finite().map(|pair| pair.new)),
    );
    let count = finite().count() as f64;
    let product = |pair: &Pair| (pair.old - old.mean) * (pair.new - new.mean);
    let covariance = finite().map(product).sum::<f64>() / (count - 1.0);
    let correlation = covariance / (old.sd * new.sd);
    correlation
        .is_finite()
        .then_some(correlation.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_correlations_are_those_of_numpy() {
        // numpy.mean, numpy.std(ddof=1), numpy.corrcoef of [1, 2, 4, 8] and [2, 1, 5, 6]
        let pairs: Vec<Pair> = [(1.0, 2.0), (2.0, 1.0), (4.0, 5.0), (8.0, 6.0)]
            .map(|(old, new)| Pair { run: 0, old, new })
            .to_vec();
        let moments = Moments::of(pairs.iter().map(|pair| pair.old));
        assert_eq!(moments.mean, 3.75);
        assert!((moments.sd - 3.095_695_936_834_452).abs() < 1e-12);
        let correlation = correlation(&pairs).unwrap();
        assert!(
            (correlation - 0.882_045_982_412_206).abs() < 1e-12,
            "{correlation}"
        );
    }
}
