//! Tests: all that judging and calibrating one needs to know.

use flex_bounds::options::Options;
use flex_bounds::suite::SuiteBudget;

use super::{Place, TestId};

/// A test, as the process that runs it knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Which test it is.
    pub id: TestId,
    /// The package; `None` for pytest.
    pub package: Option<String>,
    /// The hash of its source.
    pub fingerprint: String,
    /// The arguments of `cargo test`, or of `pytest`, that run exactly this test.
    pub selection: String,
    /// Where it is.
    pub place: Place,
    /// What is asked of it, by its source or else by the project.
    pub options: Options,
    /// What a run of the whole suite may spend, where the project says so.
    pub suite: Option<SuiteBudget>,
}

impl Test {
    /// A test of which no more is known than which one it is.
    pub fn new(id: TestId) -> Self {
        Test {
            id,
            package: None,
            fingerprint: String::new(),
            selection: String::new(),
            place: Place::default(),
            options: Options::NONE,
            suite: None,
        }
    }

    /// What its runner calls it.
    pub fn name(&self) -> &str {
        self.id.name()
    }
}
