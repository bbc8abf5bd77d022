//! Writing over a file that people have edited: comments, spacing and order stay as they are.

mod graft;
mod layout;
mod output;
mod statement;

use super::parse::{BYTE_ORDER_MARK, InOrder, in_order};
use super::{BoundsFile, Entry, ParseError};
pub(super) use graft::graft;
use layout::{Insertions, Layout, Parts, places};
use output::Output;

/// The text that holds the entries of `new` and is otherwise `old_text`; see [`Original::edited`].
#[inline]
pub fn edit(old_text: &str, new: &BoundsFile) -> Result<String, ParseError> {
    Ok(Original::read(old_text)?.edited(new))
}

/// A text with the entries in it, to be written over.
pub struct Original<'t> {
    text: &'t str,
    old: InOrder,
}

impl<'t> Original<'t> {
    /// Reads the entries of a text. An empty one is a file that is yet to be written; any other that is no bounds file is
    /// an error.
    pub fn read(text: &'t str) -> Result<Self, ParseError> {
        let old = match text.is_empty() {
            true => InOrder::default(),
            false => in_order(text)?,
        };
        Ok(Original { text, old })
    }

    /// The entries.
    pub fn file(&self) -> BoundsFile {
        BoundsFile::of(self.old.entries.clone())
    }

    /// The text that holds the entries of `new` and is otherwise this one; this one, if nothing changes.
    ///
    /// Entries that are the same keep their text to the byte. Changed ones are written anew, and the comments above, beside
    /// and between their lines stay where they are, even if what they were about is gone. New ones go to their sorted
    /// place, with all others left in the order they are in. Deleted ones take their comments with them, but not those that
    /// a blank line sets apart. Line endings and a byte-order mark stay.
    pub fn edited(&self, new: &BoundsFile) -> String {
        let places = places(&self.old.entries, new);
        let both = self.old.entries.iter().zip(&places);
        let fates: Vec<Fate<'_>> = both
            .map(|(old, place)| Fate::of(old, *place, new))
            .collect();
        let is_same = |fate: &Fate<'_>| matches!(fate, Fate::Same);
        if fates.len() == new.entries.len() && fates.iter().all(is_same) {
            return self.text.to_owned();
        }
        if self.text.is_empty() {
            return new.to_string();
        }
        let text = self.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(self.text);
        let mark = self.text.get(..self.text.len() - text.len());
        let layout = Layout::of(text, &self.old);
        let blocks = layout.blocks();
        let insertions = Insertions::plan(&places[..blocks], new);

        let mut out = Output::new(mark.unwrap_or_default(), text);
        for (index, section) in layout.sections.iter().enumerate() {
            let block = index.checked_sub(1);
            let next = (index < blocks).then_some(index);
            let stays = |block: Option<usize>| block.is_none_or(|block| is_same(&fates[block]));
            let gets_more = block.is_some_and(|block| !insertions.after[block].is_empty())
                || insertions.first_before == next && !insertions.first.is_empty();
            // Most sections stay as they are, and need not be looked into.
            if blocks > 0 && stays(block) && stays(next) && !gets_more {
                out.copy(section);
                continue;
            }
            let Parts { body, gap, lead } = layout.parts(index);
            match block.map(|block| &fates[block]) {
                None => out.head(&body),
                Some(Fate::Same) => out.all(&body),
                Some(Fate::Changed(entry)) => out.rewrite(&body, entry),
                Some(Fate::Deleted) => {}
            }
            if let Some(block) = block {
                out.insert(&insertions.after[block]);
            }
            if next.is_some_and(|next| matches!(fates[next], Fate::Deleted)) {
                out.remains(&gap);
                continue;
            }
            out.all(&gap);
            if insertions.first_before == next {
                out.insert(&insertions.first);
            }
            out.all(&lead);
        }
        out.finish()
    }
}

/// What becomes of an entry.
enum Fate<'n> {
    Same,
    Changed(&'n Entry),
    Deleted,
}

impl<'n> Fate<'n> {
    fn of(old: &Entry, place: Option<usize>, new: &'n BoundsFile) -> Self {
        match place.map(|place| &new.entries[place]) {
            None => Fate::Deleted,
            Some(entry) if entry == old => Fate::Same,
            Some(entry) => Fate::Changed(entry),
        }
    }
}

#[cfg(test)]
mod tests;
