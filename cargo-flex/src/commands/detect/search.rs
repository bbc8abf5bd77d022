//! The search of one test, annotated or plain, with what all tests have in common.

use std::path::Path;
use std::time::Instant;

use flex_core::search::convergence::End;
use flex_detect::record::ObservedTest;
use flex_detect::search::{SearchEnd, SearchRule};
use flex_run::calibrate::{CalibrationError, Gate};

use super::args::DetectArgs;
use super::tests::{DetectTest, TestKind};
use super::{plain, stochastic};
use crate::session::Display;

/// What all tests have in common.
pub struct Searching<'a> {
    pub args: &'a DetectArgs,
    pub base: &'a str,
    /// The folder of the workspace.
    pub root: &'a Path,
    pub rule: SearchRule,
    pub gate: Gate,
    pub display: &'a Display,
}

impl Searching<'_> {
    /// Searches one test until the rule ends it, or the time is up.
    pub fn one(
        &self,
        test: &DetectTest<'_>,
        deadline: Option<Instant>,
        alone: bool,
    ) -> Result<ObservedTest, CalibrationError> {
        match test.kind {
            TestKind::Stochastic => stochastic::search(self, &test.found, deadline, alone),
            TestKind::Plain { controlled } => {
                plain::search(self, &test.found, deadline, controlled)
            }
        }
    }
}

/// What is to be said of how a search ended.
pub fn note_of(end: SearchEnd) -> Option<String> {
    let is_cut_short = end == SearchEnd::Rule(End::OutOfTime);
    is_cut_short.then(|| "the time was up before its failure rate was known".to_owned())
}

/// Runs to repeat under their seeds, of those that failed and those that did not: a few of each, spread over all.
pub fn to_repeat(failed: &[u32], passed: &[u32], each: usize) -> Vec<u32> {
    let spread = |runs: &[u32]| -> Vec<u32> {
        let last = runs.len().saturating_sub(1);
        let mut places: Vec<usize> = (0..each)
            .map(|i| i * last / each.saturating_sub(1).max(1))
            .collect();
        places.dedup();
        places
            .iter()
            .filter_map(|at| runs.get(*at).copied())
            .collect()
    };
    // In an order in which no run comes first again.
    let mut runs = spread(passed);
    runs.extend(spread(failed));
    runs.reverse();
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_spread() {
        let passed: Vec<u32> = (0..100).collect();
        assert_eq!(to_repeat(&[], &passed, 3), [99, 49, 0]);
        assert_eq!(to_repeat(&[7], &passed, 2), [7, 99, 0]);
        assert_eq!(to_repeat(&[7, 8], &[], 3), [8, 7]);
        assert_eq!(to_repeat(&[7], &[1], 1), [7, 1]);
    }
}
