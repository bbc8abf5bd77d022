//! Entries of a file that is laid out as flex writes it, one table at a time.

use super::{InOrder, entry, twice, version};
use crate::document::{Header, Reader, Table};
use crate::file::{BoundsFile, Entry};

/// The line above each entry.
pub(in crate::file) const HEADER: &str = "[[bound]]";

/// The entries of a whole text; `None` if it is laid out in another way, or something is wrong with it.
pub(super) fn quick(text: &str) -> Option<InOrder> {
    let InOrder {
        mut entries,
        mut places,
    } = InOrder::default();
    each_entry(text, true, |at, entry| {
        places.push(at);
        entries.push(entry);
    })?;
    let is_fine = twice(&entries).is_none();
    is_fine.then_some(InOrder { entries, places })
}

/// Reads the entries of a text; the first piece of a file says its version.
fn each_entry(text: &str, is_first: bool, mut found: impl FnMut(usize, Entry)) -> Option<()> {
    let mut reader = Reader::new(text);
    let (head, mut header) = Table::before_header(&mut reader).ok()?;
    if head.fields().len() != usize::from(is_first) || is_first && version(&head).is_err() {
        return None;
    }
    while let Some((kind, path, at)) = header {
        if kind != Header::Element || !path.is("bound") {
            return None;
        }
        let (table, next) = Table::before_header(&mut reader).ok()?;
        found(at, entry(&table, at).ok()?);
        header = next;
    }
    Some(())
}

/// A file that is read piece by piece, so that its text is never in memory as a whole.
///
/// Where a piece is `None`, the file is laid out in another way than flex writes it, or something is wrong with it:
/// parsing the whole text tells.
#[derive(Debug, Default)]
pub struct Pieces {
    entries: Vec<Entry>,
    has_version: bool,
}

impl Pieces {
    /// Where a text can be cut, so that what is before it is a piece: as far behind as possible, before an entry.
    pub fn cut(text: &[u8]) -> Option<usize> {
        let is_start = |at: &usize| {
            let line = text[*at..].strip_prefix(HEADER.as_bytes());
            text[*at - 1] == b'\n' && line.is_some_and(|rest| matches!(rest, [b'\r' | b'\n', ..]))
        };
        (1..text.len()).rev().find(is_start)
    }

    /// Reads the next piece.
    pub fn push(&mut self, piece: &str) -> Option<()> {
        let Pieces {
            entries,
            has_version,
        } = self;
        each_entry(piece, !*has_version, |_, entry| entries.push(entry))?;
        *has_version = true;
        Some(())
    }

    /// The file, when all pieces were read.
    pub fn finish(self) -> Option<BoundsFile> {
        let is_whole = self.has_version && twice(&self.entries).is_none();
        is_whole.then(|| BoundsFile::of(self.entries))
    }
}
