//! What a selection of tests exposes: how many of the flaky ones, and of all.

use flex_core::search::select::BitSet;

/// The tests that a selection exposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exposure {
    /// Flaky tests that are selected.
    pub flaky_exposed: usize,
    /// Flaky tests.
    pub flaky: usize,
    /// Tests that are selected.
    pub exposed: usize,
    /// Tests.
    pub tests: usize,
}

impl Exposure {
    /// What a selection exposes of the tests that count.
    pub fn new(selected: &BitSet, flaky: &BitSet, counted: &BitSet) -> Self {
        let mut flaky = flaky.clone();
        flaky.intersect(counted);
        Exposure {
            flaky_exposed: selected.count_common(&flaky),
            flaky: flaky.count(),
            exposed: selected.count_common(counted),
            tests: counted.count(),
        }
    }

    /// The exposed share of the flaky tests; `None` if there are none.
    pub fn flaky_share(&self) -> Option<f64> {
        (self.flaky > 0).then(|| self.flaky_exposed as f64 / self.flaky as f64)
    }

    /// The exposed share of all tests; `None` if there are none.
    pub fn share(&self) -> Option<f64> {
        (self.tests > 0).then(|| self.exposed as f64 / self.tests as f64)
    }

    /// The exposed share of the flaky tests, less that of the others (Youden 1950); `None` if one kind is missing.
    pub fn youden(&self) -> Option<f64> {
        let others = self.tests - self.flaky;
        let alarms = self.exposed - self.flaky_exposed;
        Some(self.flaky_share()? - (others > 0).then(|| alarms as f64 / others as f64)?)
    }
}

/// The least, the mean and the greatest of a share over folds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    /// The spread of what is known of folds; `None` if nothing is.
    pub fn of(shares: impl IntoIterator<Item = Option<f64>>) -> Option<Self> {
        let shares: Vec<f64> = shares.into_iter().flatten().collect();
        (!shares.is_empty()).then(|| Spread {
            least: shares.iter().copied().fold(f64::INFINITY, f64::min),
            mean: shares.iter().sum::<f64>() / shares.len() as f64,
            greatest: shares.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_nothing_are_not_known() {
        let set = |numbers: &[usize]| {
            let mut set = BitSet::new(6);
            numbers.iter().for_each(|number| set.insert(*number));
            set
        };
        let exposure = Exposure::new(&set(&[0, 1, 2]), &set(&[0, 3, 5]), &set(&[0, 1, 3, 4]));
        assert_eq!(
            exposure,
            Exposure {
                flaky_exposed: 1,
                flaky: 2,
                exposed: 2,
                tests: 4
            }
        );
        assert_eq!(exposure.youden(), Some(0.0));
        let none = Exposure::new(&set(&[0]), &set(&[]), &set(&[0]));
        assert_eq!(
            (none.flaky_share(), none.share(), none.youden()),
            (None, Some(1.0), None)
        );
        let spread = Spread::of([Some(0.5), None, Some(1.0)]).unwrap();
        assert_eq!(
            (spread.least, spread.mean, spread.greatest),
            (0.5, 0.75, 1.0)
        );
        assert_eq!(Spread::of([None]), None);
    }
}
