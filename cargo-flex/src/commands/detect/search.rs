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
