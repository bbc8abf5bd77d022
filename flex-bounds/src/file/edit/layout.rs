//! Which part of a text belongs to which entry, and where new ones go.

use super::statement::{Statement, StatementKind, statements};
use crate::file::parse::InOrder;
use crate::file::{BoundsFile, Entry};

/// A text in sections: what stands above the first header, and what stands from each header to the next.
pub(super) struct Layout<'t> {
    pub sections: Vec<&'t str>,
}

impl<'t> Layout<'t> {
    /// Cuts the text of these entries, which has no byte-order mark.
    pub fn of(text: &'t str, old: &InOrder) -> Self {
        let mut sections = Vec::with_capacity(old.places.len() + 1);
        let mut rest = (0, text);
        for place in &old.places {
            // Entries can be tables in braces, too, which have no header and no section.
            if text.get(*place..).is_some_and(|at| at.starts_with("[[")) {
                let before = text.get(..*place).unwrap_or_default();
                let start = before.rfind('\n').map_or(0, |end| end + 1);
                let (section, after) = rest.1.split_at(start - rest.0);
                sections.push(section);
                rest = (start, after);
            }
        }
        sections.push(rest.1);
        Layout { sections }
    }

    /// How many entries have a section.
    pub fn blocks(&self) -> usize {
        self.sections.len() - 1
    }

    /// The parts of a section; the first is that above all entries.
    pub fn parts(&self, section: usize) -> Parts<'t> {
        let mut body = statements(self.sections[section]);
        if self.blocks() == 0 {
            // All that a file without entries says stands above those to come.
            return Parts {
                body,
                gap: Vec::new(),
                lead: Vec::new(),
            };
        }
        let has_next = section < self.blocks();
        let mut gap = body.split_off(end_of_body(&body, has_next));
        let comments = gap.iter().rev().take_while(|s| s.is_comment());
        let above_next = if has_next {
            comments.count()
        } else {
            gap.len()
        };
        let lead = gap.split_off(gap.len() - above_next);
        Parts { body, gap, lead }
    }
}

/// The parts of a section.
pub(super) struct Parts<'t> {
    /// The header, the keys, and the comments between and directly below them.
    pub body: Vec<Statement<'t>>,
    /// Blank lines, and comments that they set apart: these belong to the file.
    pub gap: Vec<Statement<'t>>,
    /// The comments directly above the next header; in the last section, all that follows the body.
    pub lead: Vec<Statement<'t>>,
}

/// How many statements a section has up to its last key and the comments directly below that.
fn end_of_body(section: &[Statement<'_>], has_next: bool) -> usize {
    let solid = section
        .iter()
        .rposition(|s| !matches!(s.kind, StatementKind::Blank | StatementKind::Comment))
        .map_or(0, |last| last + 1);
    let below = section.iter().skip(solid).take_while(|s| s.is_comment());
    let end = solid + below.count();
    // Comments that touch the next header too are the next entry's.
    match has_next && end == section.len() {
        true => solid,
        false => end,
    }
}

/// Where entries go that the old text does not have.
pub(super) struct Insertions<'n> {
    /// Entries that come after each block of the old text.
    pub after: Vec<Vec<&'n Entry>>,
    /// Entries that come before all that stay.
    pub first: Vec<&'n Entry>,
    /// The block before which those go; at the end of the file if none stays.
    pub first_before: Option<usize>,
}

impl<'n> Insertions<'n> {
    /// Plans for blocks whose entries have these places in the new file.
    pub fn plan(places: &[Option<usize>], new: &'n BoundsFile) -> Self {
        let mut blocks = vec![None; new.entries.len()];
        for (block, place) in places.iter().enumerate() {
            if let Some(place) = place {
                blocks[*place] = Some(block);
            }
        }
        let mut plan = Insertions {
            after: vec![Vec::new(); places.len()],
            first: Vec::new(),
            first_before: None,
        };
        let mut last = None;
        for (entry, block) in new.entries.iter().zip(blocks) {
            match (block, last) {
                (Some(index), _) => {
                    plan.first_before.get_or_insert(index);
                    last = Some(index);
                }
                (None, Some(index)) => plan.after[index].push(entry),
                (None, None) => plan.first.push(entry),
            }
        }
        plan
    }
}

/// Where the new file has the entries of the old one.
pub(super) fn places(old: &[Entry], new: &BoundsFile) -> Vec<Option<usize>> {
    let mut next = 0;
    let mut place = |old: &Entry| {
        // Most follow each other in both.
        let follows = new.entries.get(next).is_some_and(|it| it.key == old.key);
        let place = match follows {
            true => next,
            false => new.position(&old.key).ok()?,
        };
        next = place + 1;
        Some(place)
    };
    old.iter().map(&mut place).collect()
}
