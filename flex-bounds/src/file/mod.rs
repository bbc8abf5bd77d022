//! The bounds file: what was learned, one entry per site, as text that people read, review and merge
//! (docs/design/bounds-file.md).
//!
//! Text becomes a [`BoundsFile`] with [`str::parse`] and text again with [`ToString`]. Reading checks everything that
//! enforcement relies on, so a [`BoundsFile`] never holds an entry that contradicts itself. Writing is deterministic:
//! equal files are equal bytes, and reading them back gives the same file.
//!
//! ```
//! use flex_bounds::file::BoundsFile;
//!
//! let text = r#"
//! version = 2
//!
//! [[bound]]
//! target = "lib"
//! test = "tests::recall_is_high"
//! site = "recall>_"
//! tail = "lower"
//! confidence = 0.9999
//! domain = [0, 1]
//! guard = 0.81
//! race = { cuts = [0.9, 0.8], above = [20, 0], scores = [-4, 6, 24], clear = -24, fail = 172, most = 100 }
//! strategy = "guard"
//! samples = 100
//! reached = "always"
//! "#;
//! let file: BoundsFile = text.parse()?;
//! let samples: Vec<u32> = file.holding(Some("gpu")).map(|entry| entry.samples).collect();
//! assert_eq!(samples, [100]);
//! assert_eq!(file.to_string().parse(), Ok(file));
//! # Ok::<(), flex_bounds::file::ParseError>(())
//! ```

mod calibrated;
mod check;
mod checksum;
mod conflict;
mod edit;
mod ends;
mod entry;
pub(crate) mod error;
pub(crate) mod field;
mod held;
mod key;
mod merge;
mod parse;
mod power;
mod rarity;
mod replay;
pub(crate) mod same;
mod seal;
mod select;
mod spelling;
mod write;

use flex_core::sorted::sort;

pub use calibrated::Provenance;
pub use check::EntryError;
pub(crate) use check::is_date;
pub use checksum::Checksum;
pub use conflict::{Resolved, resolve};
pub use edit::{Original, edit};
pub use entry::{Bounds, Entry, Fit, GuardBound, HeldBound, Learned, QUANTILES, Reached, Sides};
pub use error::{ParseError, conflict_mark, conflict_marker};
pub use key::Key;
pub use merge::{Conflict, Merged, merge};
pub use parse::Pieces;
pub use rarity::Rarity;
pub use replay::{Replay, ReplayedRun};

/// The version that this flex writes, and the newest that it reads.
pub const VERSION: u32 = 2;

/// The entries of one bounds file, ordered by key, each valid and each key once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoundsFile {
    entries: Vec<Entry>,
}

impl BoundsFile {
    /// The file with these entries, which are valid and have each a key of its own.
    fn of(mut entries: Vec<Entry>) -> Self {
        // Most files are sorted, and sorting takes room.
        if !entries.is_sorted_by(|a, b| a.key < b.key) {
            sort(&mut entries, |a, b| a.key < b.key);
        }
        BoundsFile { entries }
    }

    /// All entries, ordered by key.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with exactly this key.
    pub fn get(&self, key: &Key) -> Option<&Entry> {
        self.entries.get(self.position(key).ok()?)
    }

    /// The entries that hold for a variant: of each test those of the variant itself if it has any, else those
    /// without one. The sites of a test are calibrated together, and share its confidence, so entries of two
    /// calibrations are not mixed.
    pub fn holding<'a>(&'a self, variant: Option<&'a str>) -> impl Iterator<Item = &'a Entry> {
        let mut holding = Vec::new();
        for of_test in self.entries.chunk_by(|a, b| a.key.test == b.key.test) {
            let is_for = |entry: &Entry, variant| entry.key.variant.as_deref() == variant;
            let has_own = of_test.iter().any(|entry| is_for(entry, variant));
            for entry in of_test {
                if is_for(entry, variant.filter(|_| has_own)) {
                    holding.push(entry);
                }
            }
        }
        holding.into_iter()
    }

    /// The probability that one of the bounds that hold for a variant is broken though nothing changed. Sites that are
    /// not enforced break nothing.
    pub fn false_alarm_rate(&self, variant: Option<&str>) -> f64 {
        self.holding(variant)
            .filter(|entry| !entry.unenforced)
            .map(|entry| entry.confidence.false_alarm_rate())
            .sum()
    }

    /// Adds an entry and hands back the one it replaces. An entry that contradicts itself changes nothing.
    pub fn insert(&mut self, entry: Entry) -> Result<Option<Entry>, EntryError> {
        entry.check()?;
        Ok(match self.position(&entry.key) {
            Ok(index) => self
                .entries
                .get_mut(index)
                .map(|old| std::mem::replace(old, entry)),
            Err(index) => {
                self.entries.insert(index, entry);
                None
            }
        })
    }

    /// Takes an entry out of the file.
    pub fn remove(&mut self, key: &Key) -> Option<Entry> {
        let index = self.position(key).ok()?;
        Some(self.entries.remove(index))
    }

    fn position(&self, key: &Key) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| entry.key.cmp(key))
    }
}

#[cfg(test)]
mod tests;
