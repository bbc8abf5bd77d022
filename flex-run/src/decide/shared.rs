//! Shared seeds: draws that are said to be independent, and are not.

use flex_core::sorted::sort_numbers;

/// The probability of taking independent draws for dependent ones.
const RARE: f64 = 1e-9;

/// What runs whose draws are said to be independent showed so far.
#[derive(Debug, Default)]
pub(super) struct SharedSeeds {
    /// The value that all draws of a run had, run by run; `None` once a run had several.
    equal: Option<Vec<f64>>,
    /// The draws of the first run; `None` once another run had others.
    first: Option<Vec<f64>>,
    /// All draws of those runs but one of each, and all draws of those but the first.
    further: f64,
    repeated: f64,
    runs: u32,
}

impl SharedSeeds {
    /// Takes the draws of a run; says so if they cannot be independent.
    pub fn see(&mut self, draws: &[f64]) -> Option<&'static str> {
        let [one, rest @ ..] = draws else {
            return None;
        };
        self.runs += 1;
        if self.runs == 1 {
            self.equal = Some(Vec::new());
            self.first = Some(draws.to_vec());
        }
        if rest.iter().any(|draw| draw != one) {
            self.equal = None;
        }
        if self.first.as_deref() == Some(draws) {
            self.repeated += if self.runs > 1 {
                draws.len() as f64
            } else {
                0.0
            };
        } else {
            self.first = None;
        }
        if let Some(equal) = &mut self.equal {
            equal.push(*one);
            self.further += rest.len() as f64;
            if largest_share(equal).powf(self.further) < RARE {
                return Some(
                    "all draws of a run are equal, and runs differ: the draws of a run share a seed",
                );
            }
        }
        if let Some(first) = &self.first
            && largest_share(first).powf(self.repeated) < RARE
        {
            return Some(
                "runs draw the same values one after the other: their draws do not follow the seed of the run",
            );
        }
        None
    }
}

impl SharedSeeds {
    /// Whether the next runs may show that seeds are shared, so that nothing is decided yet.
    pub fn is_suspicious(&self) -> bool {
        let varies = |values: &[f64]| values.iter().any(|value| *value != values[0]);
        // One run with equal draws says nothing either way.
        let may_vary = |equal: &[f64]| equal.len() == 1 || varies(equal);
        let is_equal = self.further > 0.0 && self.equal.as_deref().is_some_and(may_vary);
        let is_repeated = self.runs > 1 && self.first.as_deref().is_some_and(varies);
        is_equal || is_repeated
    }
}

/// The share of the most frequent value, which bounds the probability that the next one equals a given one.
fn largest_share(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sort_numbers(&mut sorted);
    let most = sorted.chunk_by(|a, b| a == b).map(<[f64]>::len).max();
    most.unwrap_or(0) as f64 / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_refused(runs: impl Iterator<Item = Vec<f64>>) -> Option<usize> {
        let mut shared = SharedSeeds::default();
        runs.enumerate()
            .find_map(|(run, draws)| shared.see(&draws).map(|_| run))
    }

    #[test]
    fn draws_that_share_a_seed_are_found() {
        let equal = (0..50).map(|run| vec![f64::from(run).sqrt(); 5]);
        assert!(first_refused(equal).is_some_and(|run| run < 10));
        let repeated = (0..50).map(|_| vec![0.1, 0.5, 0.2, 0.9]);
        assert!(first_refused(repeated).is_some_and(|run| run < 10));
    }

    #[test]
    fn independent_draws_are_not() {
        // Fixed: the fractional parts of multiples of the golden ratio.
        let part = |i: u32| f64::from(i) * 0.618_033_988_749 % 1.0;
        let several = (0..500).map(|run| (0..4).map(|i| part(4 * run + i)).collect());
        assert_eq!(first_refused(several), None);
        let coins = (0..500).map(|run| vec![part(2 * run).round(), part(2 * run + 1).round()]);
        assert_eq!(first_refused(coins), None);
        let constant = (0..500).map(|_| vec![1.0; 10]);
        assert_eq!(first_refused(constant), None);
        let single = (0..500).map(|run| vec![part(run)]);
        assert_eq!(first_refused(single), None);
    }
}
