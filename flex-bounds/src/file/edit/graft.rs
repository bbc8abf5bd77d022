//! One text with what only another has: entries as they are written there, and comments.

use flex_core::sorted::SortedMap;

use super::super::parse::{BYTE_ORDER_MARK, in_order};
use super::statement::{Kind, Statement, statements};
use super::{Insertions, Layout, Output};
use crate::file::{BoundsFile, Entry, Key, ParseError, merge};

/// The text of ours, with the entries that only theirs has in their sorted places, and with comments that only theirs
/// has above what they are about.
pub(in crate::file) fn graft(ours: &str, theirs: &str) -> Result<String, ParseError> {
    let (our_entries, their_entries) = (in_order(ours)?, in_order(theirs)?);
    let text = ours.strip_prefix(BYTE_ORDER_MARK).unwrap_or(ours);
    let mark = ours.get(..ours.len() - text.len()).unwrap_or_default();
    let their_text = theirs.strip_prefix(BYTE_ORDER_MARK).unwrap_or(theirs);
    let (our_statements, their_statements) = (statements(text), statements(their_text));
    let layout = Layout::of(&our_statements);
    let scions = Scions::of(&our_statements, &their_statements, &their_entries);
    let whole = union(&our_entries, &their_entries);
    let insertions = Insertions::plan(&layout, &our_entries, &whole);

    let mut out = Output::new(mark, text);
    out.all(layout.head);
    out.comments(&scions.head);
    for (index, (block, entry)) in layout.blocks.iter().zip(&our_entries).enumerate() {
        out.all(block.gap);
        if insertions.first_before == Some(index) {
            scions.insert(&insertions.first, &mut out);
        }
        if let Some(scion) = scions.blocks.get(&&entry.key) {
            out.comments(&scion.comments);
        }
        out.all(block.lead);
        out.all(block.body);
        scions.insert(&insertions.after[index], &mut out);
    }
    if insertions.first_before.is_none() {
        scions.insert(&insertions.first, &mut out);
    }
    out.all(layout.rest);
    out.comments(&scions.rest);
    Ok(out.finish())
}

/// The entries of both, ours where both have one.
fn union(ours: &[Entry], theirs: &[Entry]) -> BoundsFile {
    let file = |entries: &[Entry]| BoundsFile::of(entries.to_vec());
    merge(None, &file(ours), &file(theirs)).file
}

/// What theirs may add.
struct Scions<'s, 't> {
    /// Comments above all entries that ours does not have.
    head: Vec<&'t str>,
    blocks: SortedMap<&'s Key, Scion<'s, 't>>,
    /// Comments below all entries that ours does not have.
    rest: Vec<&'t str>,
}

struct Scion<'s, 't> {
    /// Comments that ours does not have.
    comments: Vec<&'t str>,
    /// Those of them that a blank line sets apart from the entry.
    apart: Vec<&'t str>,
    /// The entry with its own comments, as it stands.
    lead: &'s [Statement<'t>],
    body: &'s [Statement<'t>],
}

impl<'s, 't> Scions<'s, 't> {
    fn of(ours: &[Statement<'t>], theirs: &'s [Statement<'t>], entries: &'s [Entry]) -> Self {
        let mut known: SortedMap<&str, usize> = SortedMap::new();
        for comment in comments(ours) {
            *known.get_or_insert(comment, 0) += 1;
        }
        // A comment that ours has once is ours once.
        let mut new = |statements: &[Statement<'t>]| -> Vec<&'t str> {
            let mut found = comments(statements);
            found.retain(|comment| match known.get_mut(comment) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            });
            found
        };
        let layout = Layout::of(theirs);
        let head = new(layout.head);
        let mut blocks = SortedMap::new();
        for (block, entry) in layout.blocks.into_iter().zip(entries) {
            let apart = new(block.gap);
            let (lead, body) = (new(block.lead), new(block.body));
            let scion = Scion {
                comments: [&apart[..], &lead, &body].concat(),
                apart,
                lead: block.lead,
                body: block.body,
            };
            blocks.insert(&entry.key, scion);
        }
        Scions {
            head,
            blocks,
            rest: new(layout.rest),
        }
    }

    fn insert(&self, entries: &[&Entry], out: &mut Output) {
        for entry in entries {
            let Some(scion) = self.blocks.get(&&entry.key) else {
                continue;
            };
            out.apart = true;
            out.comments(&scion.apart);
            out.apart = true;
            out.all(scion.lead);
            out.all(scion.body);
            out.apart = true;
        }
    }
}

impl Output {
    fn comments(&mut self, comments: &[&str]) {
        for comment in comments {
            self.line(comment);
        }
    }
}

/// All comments, without the white space around them.
fn comments<'t>(statements: &[Statement<'t>]) -> Vec<&'t str> {
    let mut comments = Vec::new();
    for statement in statements {
        match statement.kind {
            Kind::Comment => comments.push(statement.text.trim()),
            _ => {
                comments.extend(statement.inner.iter().map(|inner| inner.trim()));
                comments.extend(statement.end.map(str::trim));
            }
        }
    }
    comments
}
