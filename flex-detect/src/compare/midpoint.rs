//! A step of a bisection: does the code in the middle show what the good code shows, or what the bad code shows?

use flex_core::sequential::{ClaimError, Difference, Observation, PairComparison};

/// The answer for a commit in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MidpointAnswer {
    /// More pairs are needed.
    Undecided,
    /// It shows something else than the bad code: the distribution moves later.
    NotYet,
    /// It shows something else than the good code: the distribution has moved.
    Already,
}

/// A commit in the middle, compared with both ends under the same seeds.
///
/// Both comparisons are made at once, and the first that is decided answers. A commit whose law is that of the good code is
/// called moved with probability α at most, and one whose law is that of the bad code is called not yet moved with
/// probability α at most. One that has neither law may be called either: there is a change on both sides of it. What is
/// equal to one end in all of the first pairs is that end.
#[derive(Debug, Clone)]
pub struct Midpoint {
    from_good: PairComparison,
    from_bad: PairComparison,
    first: u64,
    answer: MidpointAnswer,
}

impl Midpoint {
    /// A commit of which nothing is known yet, with this probability of a wrong turn; what is equal in so many first pairs
    /// is the same.
    pub fn new(alpha: f64, first: u32) -> Result<Self, ClaimError> {
        let comparison = PairComparison::new(alpha, None, alpha)?;
        Ok(Midpoint {
            from_bad: comparison.clone(),
            from_good: comparison,
            first: u64::from(first),
            answer: MidpointAnswer::Undecided,
        })
    }

    /// Counts a run of all three. The first answer stays.
    pub fn push(&mut self, good: f64, middle: f64, bad: f64) -> MidpointAnswer {
        let against = |comparison: &mut PairComparison, end: &f64| {
            let run = Observation::pair(&middle, end);
            // A pair has one value of each, which is all that could be refused.
            comparison.push(run).unwrap_or(Difference::Undecided) != Difference::Undecided
        };
        let is_not_good = against(&mut self.from_good, &good);
        let is_not_bad = against(&mut self.from_bad, &bad);
        if self.answer == MidpointAnswer::Undecided {
            let runs = self.from_good.runs();
            let is_end = |comparison: &PairComparison| comparison.equal_runs() == runs;
            let (is_good, is_bad) = (is_end(&self.from_good), is_end(&self.from_bad));
            self.answer = match (is_not_good, is_not_bad) {
                _ if runs >= self.first && is_good && !is_bad => MidpointAnswer::NotYet,
                _ if runs >= self.first && is_bad && !is_good => MidpointAnswer::Already,
                (true, _) => MidpointAnswer::Already,
                (false, true) => MidpointAnswer::NotYet,
                (false, false) => MidpointAnswer::Undecided,
            };
        }
        self.answer
    }

    /// The answer so far.
    pub fn answer(&self) -> MidpointAnswer {
        self.answer
    }

    /// The pairs so far.
    pub fn runs(&self) -> u64 {
        self.from_good.runs()
    }
}

/// The level of each of so many steps at most, so that all of them together take a wrong turn with probability `alpha` at
/// most: one for each time that so many commits can be halved, and one for what git asks besides.
pub fn level_of_step(alpha: f64, commits: usize) -> f64 {
    let halvings = usize::BITS - commits.max(1).leading_zeros();
    alpha / f64::from(halvings + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(middle: impl Fn(f64) -> f64, answer: MidpointAnswer, runs: u64) {
        let mut midpoint = Midpoint::new(1e-5, 3).unwrap();
        for run in 0..200 {
            // Any values do: pairs are as the middle makes them.
            let good = (f64::from(run) * 0.7).sin();
            if midpoint.push(good, middle(good), good + 1.0) != MidpointAnswer::Undecided {
                break;
            }
        }
        assert_eq!((midpoint.answer(), midpoint.runs()), (answer, runs));
    }

    #[test]
    fn what_is_equal_to_an_end_is_that_end() {
        check(|good| good, MidpointAnswer::NotYet, 3);
        check(|good| good + 1.0, MidpointAnswer::Already, 3);
    }

    #[test]
    fn what_is_unlike_one_end_is_on_the_side_of_the_other() {
        // Signs towards the good code alternate; the bad code is always above.
        let near_good = |good: f64| {
            good + if (good * 1e6) as i64 % 2 == 0 {
                0.1
            } else {
                -0.1
            }
        };
        let mut midpoint = Midpoint::new(1e-5, 3).unwrap();
        for run in 0..60 {
            let good = (f64::from(run) * 0.7).sin();
            midpoint.push(good, near_good(good), good + 1.0);
        }
        assert_eq!(midpoint.answer(), MidpointAnswer::NotYet);
    }

    #[test]
    fn the_steps_share_the_level() {
        assert!((level_of_step(1e-4, 64) - 1e-4 / 8.0).abs() < 1e-18);
        assert!((level_of_step(1e-4, 1) - 1e-4 / 2.0).abs() < 1e-18);
    }
}
