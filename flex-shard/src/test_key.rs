//! Which test runs are of, across all packages.

use std::fmt;

use flex_run::model::Test;
use serde::{Deserialize, Serialize};

/// A test, by what is the same wherever it runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TestKey {
    /// The package; empty for pytest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub package: String,
    /// The target, such as `lib`; empty for pytest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// The path of the test without the crate, or its node id.
    pub test: String,
    /// Whether it is the old version of two.
    #[serde(default, skip_serializing_if = "is_false")]
    pub old: bool,
    /// Whether its runs are made to be compared with those of another version, which has steps of its own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub compared: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a function of a reference"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl TestKey {
    /// The key of a test.
    pub fn of(test: &Test) -> Self {
        TestKey {
            package: test.package.clone().unwrap_or_default(),
            target: test.id.target().unwrap_or_default().to_owned(),
            test: test.name().to_owned(),
            old: false,
            compared: false,
        }
    }

    /// The same test in the old version of two.
    pub fn of_old(self) -> Self {
        TestKey { old: true, ..self }
    }

    /// The same test where its versions are compared.
    pub fn compared(self) -> Self {
        TestKey {
            compared: true,
            ..self
        }
    }

    /// The test, in whichever version and for whatever its runs are made.
    pub fn test(&self) -> Self {
        TestKey {
            old: false,
            compared: false,
            ..self.clone()
        }
    }
}

impl fmt::Display for TestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.package.is_empty() && self.target.is_empty() {
            true => f.write_str(&self.test),
            false => write!(f, "{} {} {}", self.package, self.target, self.test),
        }?;
        match self.old {
            true => f.write_str(" (the old version)"),
            false => Ok(()),
        }
    }
}
