//! Which test: the identity that files, seeds and commands share.

use std::fmt;

use flex_core::visible::visible;

/// Whoever runs a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Runner {
    /// `cargo test` and `cargo nextest run`.
    Cargo,
    /// `pytest`.
    Pytest,
}

/// A test of a package, or of a folder of pytest's.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TestId {
    /// A test of pytest.
    Pytest {
        /// Its node id, relative to the folder of the bounds file.
        node: String,
    },
    /// A test of a cargo package.
    Cargo {
        /// The cargo target, like `lib` or `test:sketch`.
        target: String,
        /// The path of the function without the crate.
        path: String,
    },
}

impl TestId {
    /// A test of a cargo target.
    pub fn cargo(target: impl Into<String>, path: impl Into<String>) -> Self {
        TestId::Cargo {
            target: target.into(),
            path: path.into(),
        }
    }

    /// A test of pytest.
    pub fn pytest(node: impl Into<String>) -> Self {
        TestId::Pytest { node: node.into() }
    }

    /// Whoever runs it.
    pub fn runner(&self) -> Runner {
        match self {
            TestId::Pytest { .. } => Runner::Pytest,
            TestId::Cargo { .. } => Runner::Cargo,
        }
    }

    /// The cargo target; `None` for pytest, which has none.
    pub fn target(&self) -> Option<&str> {
        match self {
            TestId::Pytest { .. } => None,
            TestId::Cargo { target, .. } => Some(target),
        }
    }

    /// What its runner calls it: the path, or the node id.
    pub fn name(&self) -> &str {
        match self {
            TestId::Pytest { node: name } | TestId::Cargo { path: name, .. } => name,
        }
    }
}

impl fmt::Display for TestId {
    /// Writes the test for a person: "test `sketch` in `lib`".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "test `{}`", visible(self.name()))?;
        match self.target() {
            Some(target) => write!(f, " in `{}`", visible(target)),
            None => Ok(()),
        }
    }
}
