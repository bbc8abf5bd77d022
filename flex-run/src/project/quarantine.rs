//! Quarantine: what a failure of a test means that could not fail for a while.

use flex_bounds::TestId;
use flex_core::visible::visible;

use super::config::Project;
use super::date::today;

/// The quarantine of a test, today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarantinedTest {
    /// Whether its failures do not count.
    pub holds: bool,
    /// What to say of one.
    pub words: String,
}

impl Project {
    /// The quarantine of a test, if `flex.toml` states one.
    pub fn quarantine(&self, test: &TestId) -> Option<QuarantinedTest> {
        let quarantine = self.config.quarantine(test)?;
        let end = visible(&quarantine.end()).into_owned();
        let holds = quarantine.holds_on(&today());
        Some(QuarantinedTest {
            holds,
            words: match holds {
                true => format!("quarantined until {end}, so that this failure does not count"),
                false => format!("the quarantine ended on {end}: failures count again"),
            },
        })
    }
}
