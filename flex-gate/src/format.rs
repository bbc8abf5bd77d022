//! JSON between the stages: each text has the version of its format.

use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Why a text cannot be used.
#[derive(Debug)]
pub enum FormatError {
    /// It is not what flex writes.
    Unreadable(serde_json::Error),
    /// Another version of flex wrote it.
    Version {
        /// That of the text.
        theirs: u32,
        /// The one that is read.
        ours: u32,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::Unreadable(error) => error.fmt(f),
            FormatError::Version { theirs, ours } => write!(
                f,
                "version {theirs} of the format is not the one that this flex knows, {ours}"
            ),
        }
    }
}

impl std::error::Error for FormatError {}

/// Reads a text that has this version. What has another is not looked at any further.
pub(crate) fn versioned<T: DeserializeOwned>(text: &str, ours: u32) -> Result<T, FormatError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let found: Versioned = serde_json::from_str(text).map_err(FormatError::Unreadable)?;
    match found.version {
        theirs if theirs == ours => serde_json::from_str(text).map_err(FormatError::Unreadable),
        theirs => Err(FormatError::Version { theirs, ours }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_told_apart_from_what_is_no_json() {
        assert_eq!(
            versioned::<serde_json::Value>("{\"version\": 1}", 1).unwrap()["version"],
            1
        );
        let other = versioned::<serde_json::Value>("{\"version\": 2}", 1);
        assert!(matches!(
            other,
            Err(FormatError::Version { theirs: 2, ours: 1 })
        ));
        let cut = versioned::<serde_json::Value>("{", 1);
        assert!(matches!(cut, Err(FormatError::Unreadable(_))));
    }
}
