//! What came of trials.

use std::collections::BTreeSet;

use flex_detect::record::{ObservedTest, Record};

use crate::exit::Exit;

/// The record of trials, and whose they are.
pub struct Made {
    /// The record of all trials.
    pub record: Record,
    /// Which test of the engine each of its tests is.
    pub of: Vec<usize>,
    /// What those say about the exit code that could not be run.
    pub exits: Vec<Exit>,
}

impl Made {
    /// The numbers of the tests of which something holds.
    pub fn numbers(&self, holds: impl Fn(&ObservedTest) -> bool) -> Vec<usize> {
        let tests = self.record.tests.iter().zip(&self.of);
        let found: BTreeSet<usize> = tests
            .filter(|(test, _)| holds(test))
            .map(|(_, of)| *of)
            .collect();
        found.into_iter().collect()
    }
}
