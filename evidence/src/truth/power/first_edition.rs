//! The race of the first edition, for comparison: hits against misses at one order statistic.

use std::collections::BTreeMap;

/// What the first edition chose for 100 samples: no sample was looked at for it.
#[derive(Clone, Copy)]
pub struct FirstEdition {
    /// Hits that made a regression.
    hits: u32,
    /// The samples above the guard.
    rank: usize,
}

impl FirstEdition {
    /// Its choice for one of so many sites of a test, C = 0.9999 and effort 0.3.
    pub fn of_sites(sites: usize) -> Self {
        let (hits, rank) = match sites {
            1 => (12, 20),
            5 => (6, 4),
            _ => (4, 0),
        };
        FirstEdition { hits, rank }
    }

    /// Its choice for the site of a test in a suite of 500 that has 10⁻⁴ to spend.
    pub const IN_SUITE: FirstEdition = FirstEdition { hits: 12, rank: 8 };

    /// The guard for these ascending samples.
    pub fn guard(self, sorted: &[f64]) -> f64 {
        sorted[sorted.len() - 1 - self.rank]
    }

    /// The probability that a run is a regression, if one is beyond the guard with the probability q.
    ///
    /// The first value beyond is a hit. A race is cleared as soon as twice its misses are as many as its hits.
    pub fn power(self, q: f64) -> f64 {
        let mut undecided = BTreeMap::from([((1, 0), q)]);
        let mut regression = 0.0;
        while let Some(((hits, misses), probability)) = undecided.pop_first() {
            if hits == self.hits {
                regression += probability;
            } else if 2 * misses < hits {
                *undecided.entry((hits + 1, misses)).or_default() += probability * q;
                *undecided.entry((hits, misses + 1)).or_default() += probability * (1.0 - q);
            }
        }
        regression
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_power_is_what_it_said() {
        // By its own formula for K = 3: from one hit, either two more, or a hit, a miss and a hit cannot be, since one
        // miss clears a single hit and 2 · 1 < 2 does not hold.
        let race = FirstEdition { hits: 3, rank: 0 };
        assert!((race.power(0.5) - 0.125).abs() < 1e-15);
        // K = 4: three more hits in a row, or a miss after the third hit and then one.
        let race = FirstEdition { hits: 4, rank: 0 };
        assert!((race.power(0.5) - (0.0625 + 0.03125)).abs() < 1e-15);
    }
}
