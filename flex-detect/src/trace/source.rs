//! The sources that tests were traced with, so that whoever selects tests by a trace can tell whether it still holds.

use flex_core::seed::sha256;
use serde::{Deserialize, Serialize};

/// A source file of the project as it was when tests were traced.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TracedFile {
    /// Where it is, relative to the root, as functions have it.
    pub file: String,
    /// The SHA-256 of its contents, in hexadecimal digits.
    pub sha256: String,
}

impl TracedFile {
    /// A file with these contents.
    pub fn new(file: impl Into<String>, contents: &[u8]) -> Self {
        let digits = sha256(contents).map(|byte| format!("{byte:02x}"));
        TracedFile {
            file: file.into(),
            sha256: digits.concat(),
        }
    }

    /// Whether it had these contents when tests were traced.
    pub fn is(&self, contents: &[u8]) -> bool {
        self.sha256 == TracedFile::new("", contents).sha256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_contents() {
        // printf 'x = 1\n' | sha256sum
        let file = TracedFile::new("a.py", b"x = 1\n");
        assert_eq!(
            file.sha256,
            "9e26bf369911c45c243c684147b23fc9e1dcfcf257d299a1c632016a6fcd33f4"
        );
        assert!(file.is(b"x = 1\n"));
        assert!(!file.is(b"x = 2\n"));
    }
}
