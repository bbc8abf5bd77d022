//! Are two laws near to each other? The distance of their distribution functions, looked at now and then.

use super::estimate::Estimate;
use crate::sorted::sort_numbers;

/// Evidence that the Kolmogorov distance of two laws is below a margin.
///
/// If it is not, there is a place where the true distribution functions differ by the margin or more, and the mean of n
/// independent variables of width w lies t = margin − D or more from its expectation there, where D is the distance that
/// the runs show. That has a probability of at most exp(−2 n t²/w²) (Hoeffding 1963), at each look. Looks are made when n
/// has grown by an eighth, and the k-th has the part 1/(k(k+1)) of the level.
#[derive(Debug, Clone)]
pub(super) struct Closeness {
    margin: f64,
    /// The width of one run's part in the difference: 1 against a known law, 2 between two.
    width: f64,
    looks: u32,
    next: usize,
    ln_peak: f64,
}

const FIRST_LOOK: usize = 16;

impl Closeness {
    pub fn new(margin: f64, width: f64) -> Self {
        Closeness {
            margin,
            width,
            looks: 0,
            next: FIRST_LOOK,
            ln_peak: 0.0,
        }
    }

    /// Looks at the distance, if it is time after so many runs.
    pub fn look(&mut self, runs: usize, distance: impl FnOnce() -> f64) {
        if runs < self.next {
            return;
        }
        self.next = runs + runs.div_ceil(8);
        self.looks += 1;
        let looks = f64::from(self.looks);
        let room = (self.margin - distance()).max(0.0) / self.width;
        let ln_value = 2.0 * runs as f64 * room * room - (looks * (looks + 1.0)).ln();
        self.ln_peak = self.ln_peak.max(ln_value);
    }

    /// The logarithm of the evidence.
    pub fn ln_peak(&self) -> f64 {
        self.ln_peak
    }

    /// The distance with a confidence sequence: both laws' functions lie within r of what n runs show, for all n, where the
    /// n-th has the part 1/(n(n+1)) of the level (Massart 1990).
    pub fn estimate(&self, runs: usize, distance: f64, level: f64) -> Estimate {
        let n = runs as f64;
        let radius =
            self.width * ((2.0 * self.width * n * (n + 1.0) / level).ln() / (2.0 * n)).sqrt();
        Estimate {
            value: distance,
            low: (distance - radius).max(0.0),
            high: (distance + radius).min(1.0),
            level,
        }
    }
}

/// The largest distance between a law and what runs show of it: its distribution function before and at each value, in any
/// order.
pub(super) fn from_law(places: &[(f64, f64)]) -> f64 {
    let mut before: Vec<f64> = places.iter().map(|(before, _)| *before).collect();
    let mut at: Vec<f64> = places.iter().map(|(_, at)| *at).collect();
    sort_numbers(&mut before);
    sort_numbers(&mut at);
    let n = places.len();
    let mut most = 0f64;
    for index in 0..n {
        let share = index as f64 / n as f64;
        if index == 0 || before[index - 1] < before[index] {
            most = most.max((share - before[index]).abs());
        }
        let share = (index + 1) as f64 / n as f64;
        if index + 1 == n || at[index] < at[index + 1] {
            most = most.max((share - at[index]).abs());
        }
    }
    most
}

/// The largest distance between the empirical distribution functions of as many values of two things, each in ascending
/// order.
pub(super) fn between(first: &[f64], second: &[f64]) -> f64 {
    let n = first.len().max(1) as f64;
    let (mut one, mut other, mut most) = (0, 0, 0f64);
    while one < first.len() && other < second.len() {
        let value = first[one].min(second[other]);
        one += first[one..].partition_point(|x| *x <= value);
        other += second[other..].partition_point(|x| *x <= value);
        most = most.max((one as f64 - other as f64).abs() / n);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_agree_with_scipy() {
        // scipy.stats.kstest([.1, .2, .25, .7, .9], 'uniform').statistic
        let places = [0.9, 0.1, 0.25, 0.2, 0.7].map(|u| (u, u));
        assert!((from_law(&places) - 0.35).abs() < 1e-15);
        // scipy.stats.ks_2samp([1, 2, 2, 3, 5, 8], [2, 3, 4, 4, 9, 9]).statistic
        let (first, second) = (
            [1.0, 2.0, 2.0, 3.0, 5.0, 8.0],
            [2.0, 3.0, 4.0, 4.0, 9.0, 9.0],
        );
        assert!((between(&first, &second) - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn ties_of_a_discrete_law_are_one_step() {
        // Half zeros and half ones, as a fair coin has them.
        let places = [(0.0, 0.5), (0.5, 1.0), (0.0, 0.5), (0.5, 1.0)];
        assert_eq!(from_law(&places), 0.0);
        assert_eq!(from_law(&[(0.0, 0.5); 4]), 0.5);
    }
}
