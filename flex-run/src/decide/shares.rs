//! Shares: what each claim of a test may spend on false alarms.
//!
//! Which claims there are is known when they are reached. Those of the first run share evenly what the test has left,
//! but for a sixteenth. Of that the next claim gets a half, the one after it a quarter, and so on: however many come, no
//! more is spent than there is.

use flex_core::bound::confidence::Confidence;

/// The part that is kept for claims which the first run does not reach.
const KEPT: f64 = 1.0 / 16.0;

/// What claims may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Allowance {
    /// The false-alarm rate of all of them together.
    pub rate: f64,
    /// Whether claims get a part of it that state no confidence of their own. The budget of a suite is shared by nobody
    /// knows how many tests.
    pub is_shared: bool,
}

impl Allowance {
    /// Nothing, for nobody.
    pub const NOTHING: Allowance = Allowance {
        rate: 0.0,
        is_shared: true,
    };
}

/// What is left to spend.
#[derive(Debug, Clone)]
pub(super) struct Shares {
    left: f64,
    is_shared: bool,
}

/// Why a claim may spend nothing.
const SPENT: &str = "nothing of the test's confidence is left for it: other assertions spend all of it; calibrate the \
                     test, so that they share it, or lower its confidence";
const SUITE: &str = "the suite has a budget, and the test no confidence of its own: state the `confidence` of this \
                     assertion or of the test";

impl Shares {
    /// So much, for all claims.
    pub fn new(allowance: Allowance) -> Self {
        Shares {
            left: allowance.rate,
            is_shared: allowance.is_shared,
        }
    }

    /// What claims get that were just reached, each of which may state its own confidence; or why they get nothing.
    pub fn divide(
        &mut self,
        own: &[Option<Confidence>],
        is_first_run: bool,
    ) -> Vec<Result<f64, &'static str>> {
        let stated: f64 = own.iter().flatten().map(|own| own.false_alarm_rate()).sum();
        // Claims that spend the budget to the last digit must not fail over a rounding error.
        let slack = 1e-9 * self.left;
        if stated > self.left + slack {
            self.left = 0.0;
            return vec![Err(SPENT); own.len()];
        }
        self.left = (self.left - stated).max(0.0);
        let others = own.iter().filter(|own| own.is_none()).count();
        let even = self.left * (1.0 - KEPT) / others.max(1) as f64;
        let mut rates = Vec::new();
        for own in own {
            rates.push(match own {
                Some(own) => Ok(own.false_alarm_rate()),
                None if !self.is_shared => Err(SUITE),
                None if self.left <= 0.0 => Err(SPENT),
                None if is_first_run => Ok(even),
                None => {
                    self.left /= 2.0;
                    Ok(self.left)
                }
            });
        }
        if is_first_run && others > 0 {
            self.left *= KEPT;
        }
        rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(rate: f64) -> Allowance {
        Allowance {
            rate,
            is_shared: true,
        }
    }

    #[test]
    fn no_more_is_spent_than_there_is() {
        let mut shares = Shares::new(shared(1e-4));
        let own = Confidence::new(0.99999).unwrap();
        let mut spent = shares.divide(&[None, Some(own), None], true);
        assert!((spent[0].unwrap() - 9e-5 * 15.0 / 32.0).abs() < 1e-12);
        assert!((spent[1].unwrap() - 1e-5).abs() < 1e-12);
        for _ in 0..20 {
            spent.extend(shares.divide(&[None], false));
        }
        let all: f64 = spent.into_iter().map(Result::unwrap).sum();
        assert!(all <= 1e-4 && all > 0.999e-4, "{all}");
    }

    #[test]
    fn whoever_asks_for_more_than_there_is_gets_nothing() {
        let mut shares = Shares::new(shared(1e-4));
        let own = Confidence::new(0.999).unwrap();
        assert_eq!(shares.divide(&[Some(own), None], true), [Err(SPENT); 2]);
        assert_eq!(Shares::new(shared(0.0)).divide(&[None], true), [Err(SPENT)]);
    }

    #[test]
    fn the_budget_of_a_suite_is_for_those_who_say_how_much() {
        let mut shares = Shares::new(Allowance {
            rate: 1e-3,
            is_shared: false,
        });
        let own = Confidence::new(0.9999).unwrap();
        let divided = shares.divide(&[Some(own), None], true);
        assert!((divided[0].unwrap() - 1e-4).abs() < 1e-12);
        assert_eq!(divided[1], Err(SUITE));
    }
}
