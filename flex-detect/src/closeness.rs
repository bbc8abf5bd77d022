//! How much of a tolerance two values need so that they count as close.
//!
//! An assertion of closeness has an absolute and a relative tolerance. What the values need of each, given the other, is
//! what is recorded: the assertion holds exactly if that is no more than the tolerance.

/// Two tolerances, and what they mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closeness {
    /// The relative tolerance.
    pub rtol: f64,
    /// The absolute tolerance.
    pub atol: f64,
    /// Whether they are added up, as NumPy does, or the larger one counts, as Python's `math.isclose` does.
    pub adds: bool,
    /// Whether the relative one is relative to the larger value, or to the expected one.
    pub larger: bool,
    /// Whether NaN is close to NaN.
    pub equal_nan: bool,
}

/// What is needed of each tolerance, given the other. Negative if there is some to spare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needed {
    /// Of the absolute one.
    pub absolute: f64,
    /// Of the relative one.
    pub relative: f64,
}

impl Closeness {
    /// What the neediest of pairs of actual and expected values need; nothing if there is no pair to compare.
    pub fn needed(&self, pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Needed> {
        if let Some(needed) = self.ordinary(pairs.clone()) {
            return Some(needed);
        }
        pairs
            .filter_map(|(actual, expected)| self.pair(actual, expected))
            .reduce(|one, other| Needed {
                absolute: worse(one.absolute, other.absolute),
                relative: worse(one.relative, other.relative),
            })
    }

    /// What pairs need that hold no zeros, infinities or NaN, which is what most arrays are like: no branches.
    fn ordinary(&self, pairs: impl Iterator<Item = (f64, f64)>) -> Option<Needed> {
        if !self.adds {
            return None;
        }
        let (mut absolute, mut relative) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut total = 0.0;
        for (actual, expected) in pairs {
            let (difference, size) = ((actual - expected).abs(), expected.abs());
            let one = difference - self.rtol * size;
            let other = (difference - self.atol) / size;
            absolute = if one > absolute { one } else { absolute };
            relative = if other > relative { other } else { relative };
            // One that is not finite makes the sum so.
            total += one + other;
        }
        let is_ordinary = total.is_finite() && absolute.is_finite();
        is_ordinary.then_some(Needed { absolute, relative })
    }

    fn pair(&self, actual: f64, expected: f64) -> Option<Needed> {
        let both = |need| Needed {
            absolute: need,
            relative: need,
        };
        let difference = (actual - expected).abs();
        if !difference.is_finite() {
            // Infinities are equal, or nothing makes them close.
            return if actual == expected {
                Some(both(0.0))
            } else if !difference.is_nan() {
                Some(both(f64::INFINITY))
            } else if self.equal_nan && actual.is_nan() && expected.is_nan() {
                None
            } else {
                Some(both(f64::NAN))
            };
        }
        let size = match self.larger {
            true => actual.abs().max(expected.abs()),
            false => expected.abs(),
        };
        let allowed = self.rtol * size;
        let ratio = |difference: f64| match size {
            0.0 if difference > 0.0 => f64::INFINITY,
            0.0 => 0.0,
            _ => difference / size,
        };
        let or_none = |is_allowed: bool, need: f64| if is_allowed { 0.0 } else { need };
        Some(match self.adds {
            true => Needed {
                absolute: difference - allowed,
                relative: ratio(difference - self.atol),
            },
            // Where the other tolerance is enough, nothing of this one is needed.
            false => Needed {
                absolute: or_none(self.atol < difference && difference <= allowed, difference),
                relative: or_none(
                    allowed < difference && difference <= self.atol,
                    ratio(difference),
                ),
            },
        })
    }
}

/// The greater one; NaN is worse than anything.
fn worse(one: f64, other: f64) -> f64 {
    if one.is_nan() || one > other {
        one
    } else {
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMPY: Closeness = Closeness {
        rtol: 0.125,
        atol: 0.25,
        adds: true,
        larger: false,
        equal_nan: false,
    };
    const PYTHON: Closeness = Closeness {
        adds: false,
        larger: true,
        ..NUMPY
    };

    fn check(closeness: Closeness, pairs: &[(f64, f64)], absolute: f64, relative: f64) {
        let needed = closeness.needed(pairs.iter().copied()).unwrap();
        let bits = |x: f64| if x.is_nan() { f64::NAN } else { x }.to_bits();
        assert_eq!(
            (bits(needed.absolute), bits(needed.relative)),
            (bits(absolute), bits(relative)),
            "{pairs:?}: {needed:?}"
        );
    }

    #[test]
    fn tolerances_that_add_up_take_from_each_other() {
        check(NUMPY, &[(3.0, 2.0)], 0.75, 0.375);
        check(NUMPY, &[(3.0, 2.0), (0.0, 0.0)], 0.75, 0.375);
        check(NUMPY, &[(2.0, -2.0)], 3.75, 1.875);
        check(NUMPY, &[(2.0, 2.0)], -0.25, -0.125);
        check(NUMPY, &[(2.0, 2.0), (3.0, 2.0)], 0.75, 0.375);
        // The neediest of each is not always the same pair.
        check(NUMPY, &[(3.0, 2.0), (10.0, 8.0)], 1.0, 0.375);
    }

    #[test]
    fn of_tolerances_that_do_not_add_up_the_larger_one_counts() {
        check(PYTHON, &[(3.0, 2.0)], 1.0, 1.0 / 3.0);
        // Within the absolute tolerance alone, and within the relative one alone.
        check(PYTHON, &[(1.0, 0.75)], 0.25, 0.0);
        check(PYTHON, &[(8.0, 7.0)], 0.0, 0.125);
        check(PYTHON, &[(1.0, 1.0)], 0.0, 0.0);
    }

    #[test]
    fn zeros_infinities_and_nan_are_what_they_are_to_the_assertion() {
        let infinity = f64::INFINITY;
        check(NUMPY, &[(0.0, 0.0)], 0.0, 0.0);
        check(NUMPY, &[(1.0, 0.0)], 1.0, infinity);
        check(NUMPY, &[(0.125, 0.0)], 0.125, 0.0);
        check(NUMPY, &[(infinity, infinity)], 0.0, 0.0);
        check(NUMPY, &[(infinity, -infinity)], infinity, infinity);
        check(NUMPY, &[(1.0, infinity)], infinity, infinity);
        check(NUMPY, &[(f64::NAN, 1.0)], f64::NAN, f64::NAN);
        check(NUMPY, &[(f64::NAN, 1.0), (3.0, 2.0)], f64::NAN, f64::NAN);
        check(
            NUMPY,
            &[(3.0, 2.0), (f64::NAN, f64::NAN)],
            f64::NAN,
            f64::NAN,
        );
        let same = Closeness {
            equal_nan: true,
            ..NUMPY
        };
        check(same, &[(f64::NAN, f64::NAN), (3.0, 2.0)], 0.75, 0.375);
        assert_eq!(same.needed([(f64::NAN, f64::NAN)].into_iter()), None);
        assert_eq!(same.needed(std::iter::empty()), None);
    }
}
