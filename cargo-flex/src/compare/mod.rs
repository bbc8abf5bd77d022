//! Old and new code under the same seeds: who makes the runs, for `compare`, `bisect` and the gate.
//!
//! Both versions of a test make runs with the same indices; [`flex_detect::compare`] pairs what they show, and says how many
//! more are wanted. First all tests make a few pairs, since only then it is known how many series differ and share α.

mod base;
pub mod cargo;
mod file;
pub mod pytest;
mod seconds;
mod told;

use std::time::Duration;

use flex_detect::compare::{ComparedTest, SeriesRule};
use flex_run::model::TestId;

use crate::exit::Exit;
use crate::session::Interrupt;
use crate::shards::Source;
pub use base::{OLD, base_of_cargo, base_of_pytest, check_out, folder_of_cargo, folder_of_pytest};
pub use file::keep;

/// How tests are compared.
pub struct Plan<'a> {
    pub rule: SeriesRule,
    /// The probability of calling anything worse or better that has not changed, for all tests together.
    pub alpha: f64,
    /// The base seed.
    pub base: &'a str,
    /// Whether durations are compared too.
    pub time: bool,
    pub time_budget: Option<Duration>,
    /// After how long a run hangs.
    pub timeout: Option<Duration>,
    /// Processes at a time.
    pub jobs: usize,
    pub interrupt: &'a Interrupt,
    /// Who makes the runs.
    pub source: &'a Source,
}

/// A shard does not know how many series differ in others, among which α is shared. It makes as many pairs as are needed if
/// that is this many times as many as in it. Further rounds make what a plan names of tests of cargo; where they begin tests
/// anew, which those of pytest do, it is this many times as many again.
const OTHERS: f64 = 4.0;

impl Plan<'_> {
    /// The share of α of the tests here: of all, or of those of a shard.
    fn alpha_here(&self) -> f64 {
        let Some(making) = self.source.making() else {
            return self.alpha;
        };
        let header = &making.header;
        let others = OTHERS.powf(f64::from(header.round));
        self.alpha / (others * f64::from(header.shard.total()))
    }
}

/// What came of all tests.
#[derive(Debug, Default)]
pub struct ComparedTests {
    pub tests: Vec<ComparedTest>,
    /// Tests that only the old version has.
    pub gone: Vec<TestId>,
    /// Tests that only the new version has.
    pub added: Vec<TestId>,
    /// What those say about the exit code of which nothing came.
    pub exits: Vec<Exit>,
}

impl ComparedTests {
    /// Whether there was nothing to compare.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
            && self.gone.is_empty()
            && self.added.is_empty()
            && self.exits.is_empty()
    }
}
