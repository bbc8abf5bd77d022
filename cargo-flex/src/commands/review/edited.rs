//! Entries that somebody edited by hand: they hold, and are not what was learned.

use std::fmt;

use flex_bounds::file::{BoundsFile, Key};
use serde_json::{Value, json};

use super::json_of;

/// The site of an entry that was edited.
pub struct Edited(Key);

impl Edited {
    /// Those of a bounds file.
    pub fn in_file(file: &BoundsFile) -> Vec<Edited> {
        let edited = file.entries().iter().filter(|entry| entry.is_edited());
        edited.map(|entry| Edited(entry.key.clone())).collect()
    }

    /// The entry for programs.
    pub fn json(&self) -> Value {
        json_of(&self.0, json!({ "edited": true }))
    }
}

impl fmt::Display for Edited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.0)?;
        writeln!(
            f,
            "  edited by hand: its entry is not what calibration wrote; it holds until it is learned anew"
        )
    }
}
