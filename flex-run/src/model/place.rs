//! Places in source code.

use std::fmt;

/// A line of a source file. It is information for people, never a part of an identity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Place {
    /// The file, as the compiler or pytest names it.
    pub file: String,
    /// The line in it, counted from 1.
    pub line: u32,
}

impl Place {
    /// A line of a file.
    pub fn new(file: impl Into<String>, line: u32) -> Self {
        Place {
            file: file.into(),
            line,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
