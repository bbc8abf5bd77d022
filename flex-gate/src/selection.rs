//! The tests that were selected, as text and as JSON between the stages.

use std::fmt::Write as _;

use flex_core::visible::visible;
use serde::{Deserialize, Serialize};

use crate::format::{FormatError, versioned};
use crate::select::SelectionReason;

/// The version of the format.
pub const VERSION: u32 = 1;

/// The tests that a change can affect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// [`VERSION`].
    pub version: u32,
    /// The commit that the change is compared with, if it is known.
    #[serde(default)]
    pub base: Option<String>,
    /// The tests.
    pub tests: Vec<SelectedTest>,
    /// Stochastic tests of which a calibration run was made again and showed what it showed: they are not affected.
    #[serde(default)]
    pub replayed: Vec<String>,
    /// How many tests there are in all.
    pub of: usize,
}

/// A selected test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedTest {
    /// What its runner calls it: a node id of pytest, or package, target and path of a test of Rust.
    pub id: String,
    /// Why it is selected.
    pub reason: SelectionReason,
}

impl Selection {
    /// Reads what was written as JSON.
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        versioned(text, VERSION)
    }

    /// The tests for people: each with its reason on the next line.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for test in &self.tests {
            let _ = writeln!(
                text,
                "{}\n    {}",
                visible(&test.id),
                visible(&test.reason.to_string())
            );
        }
        text
    }
}

impl std::fmt::Display for SelectionReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SelectionReason::New => f.write_str("is new"),
            SelectionReason::Changed => f.write_str("is changed"),
            SelectionReason::Executes { function } => write!(f, "executes {function}"),
            SelectionReason::Reaches { chain } => write!(f, "reaches {}", way(chain)),
            SelectionReason::Governed { file } => write!(f, "is governed by {file}"),
            SelectionReason::Reads { file, chain } if chain.len() > 1 => {
                write!(f, "depends on {file}, by {}", way(chain))
            }
            SelectionReason::Reads { file, .. } => write!(f, "depends on {file}"),
            SelectionReason::NoSource => f.write_str("its source was not found"),
            SelectionReason::LastFailed => f.write_str("failed when it was run last"),
        }
    }
}

/// A chain, without the test that it begins with.
fn way(chain: &[String]) -> String {
    chain.get(1..).unwrap_or_default().join(" → ")
}
