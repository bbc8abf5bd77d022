//! How often a declared bound fails: counted, with an exact interval, and from the tail beyond the data
//! (docs/design/search.md, "How often a declared bound fails").

use crate::bound::tail_rate::TailRate;
use crate::numeric::special::beta_quantile;
use crate::sample::Samples;
use crate::tail::Side;

/// The failures of a declared bound in a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeclaredRate {
    /// Samples beyond the bound.
    pub failures: usize,
    /// Samples there are.
    pub samples: usize,
    /// The interval that holds the true failure probability with 95 % confidence (Clopper & Pearson 1934).
    pub interval: (f64, f64),
    /// Where no sample has failed: the rate that the fitted tail suggests, if there is such a tail.
    pub from_tail: Option<TailRate>,
}

impl DeclaredRate {
    /// Counts the samples beyond `bound` on `side`.
    pub fn count(samples: &Samples, side: Side, bound: f64) -> Self {
        DeclaredRate::with_failures(samples.count_beyond(side, bound), samples, side, bound)
    }

    /// The rate where the failures were counted by the assertion itself, which may not allow the bound to be reached.
    pub fn with_failures(failures: usize, samples: &Samples, side: Side, bound: f64) -> Self {
        let from_tail = match failures {
            0 => TailRate::at(samples, side, bound).ok(),
            _ => None,
        };
        let samples = samples.len();
        DeclaredRate {
            failures,
            samples,
            interval: clopper_pearson(failures, samples, 0.95),
            from_tail,
        }
    }
}

/// The interval of all probabilities under which neither so few nor so many of `n` would be surprising; `confidence` is
/// in (0, 1).
pub fn clopper_pearson(count: usize, n: usize, confidence: f64) -> (f64, f64) {
    let tail = 0.5 * (1.0 - confidence);
    let (k, rest) = (count as f64, n.saturating_sub(count) as f64);
    let low = if count == 0 {
        0.0
    } else if count >= n {
        tail.powf(1.0 / k)
    } else {
        beta_quantile(k, rest + 1.0, tail)
    };
    let high = if count >= n {
        1.0
    } else if count == 0 {
        1.0 - tail.powf(1.0 / rest)
    } else {
        beta_quantile(k + 1.0, rest, 1.0 - tail)
    };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCIPY: [(usize, usize, f64, f64); 7] = [
        (0, 100, 0.0, 0.03621669264519054),
        (1, 100, 0.00025314603268189283, 0.054459385392080666),
        (5, 30, 0.05642169646830169, 0.3472116988341439),
        (30, 30, 0.8842966917779725, 1.0),
        (29, 30, 0.827830544366587, 0.9991564290733507),
        (500, 1000, 0.46854917297179194, 0.531450827028208),
        (1, 1, 0.025000000000000022, 1.0),
    ];

    #[test]
    fn intervals_agree_with_scipy() {
        // scipy.stats.binomtest(k, n).proportion_ci(0.95, "exact")
        for (count, n, low, high) in SCIPY {
            let got = clopper_pearson(count, n, 0.95);
            assert!((got.0 - low).abs() < 1e-9, "{count} of {n}: {got:?}");
            assert!((got.1 - high).abs() < 1e-9, "{count} of {n}: {got:?}");
        }
    }

    #[test]
    fn without_samples_nothing_is_known() {
        assert_eq!(clopper_pearson(0, 0, 0.95), (0.0, 1.0));
    }

    #[test]
    fn beyond_the_data_the_tail_takes_over_for_counts_too() {
        // Quantiles of a geometric count with mean 4: P(N > k) = 0.8^(k+1).
        let values: Vec<f64> = (0..500)
            .map(|i| (((f64::from(i) + 0.5) / 500.0).ln() / 0.8f64.ln()).floor())
            .collect();
        let samples = Samples::from_values(&values);
        for bound in [32.0, 36.0, 40.0] {
            let rate = DeclaredRate::count(&samples, Side::Upper, bound);
            let truth = 0.8f64.powf(bound + 1.0);
            let tail = rate.from_tail.unwrap();
            // The prior expects a slightly heavier tail, so the estimate errs to the careful side.
            assert!(
                (0.5..5.0).contains(&(tail.estimate / truth)),
                "{tail:?} {truth}"
            );
            assert!(truth < tail.upper_limit, "{tail:?} {truth}");
        }
    }

    #[test]
    fn failures_are_counted_on_their_side() {
        let samples = Samples::from_values(&[0.1, 0.2, 0.3, f64::NAN]);
        let upper = DeclaredRate::count(&samples, Side::Upper, 0.2);
        assert_eq!((upper.failures, upper.from_tail), (2, None));
        assert_eq!(DeclaredRate::count(&samples, Side::Lower, 0.2).failures, 2);
    }
}
