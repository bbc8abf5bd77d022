//! One text with what only another has: entries as they are written there, and comments.

use flex_core::sorted::SortedMap;

use super::layout::{Insertions, Layout, Parts, places};
use super::output::Output;
use super::statement::Statement;
use crate::file::parse::{BYTE_ORDER_MARK, InOrder, in_order};
use crate::file::{BoundsFile, Entry, Key, ParseError, merge};

/// The text of ours, with the entries that only theirs has in their sorted places, and with comments that only theirs
/// has above what they are about.
pub(in crate::file) fn graft(ours: &str, theirs: &str) -> Result<String, ParseError> {
    let (our_old, their_old) = (in_order(ours)?, in_order(theirs)?);
    let text = ours.strip_prefix(BYTE_ORDER_MARK).unwrap_or(ours);
    let mark = ours.get(..ours.len() - text.len()).unwrap_or_default();
    let their_text = theirs.strip_prefix(BYTE_ORDER_MARK).unwrap_or(theirs);
    let our_parts = all_parts(text, &our_old);
    let their_parts = all_parts(their_text, &their_old);
    let scions = Scions::of(&our_parts, &their_parts, &their_old.entries);
    let whole = union(&our_old.entries, &their_old.entries);
    let blocks = our_parts.len() - 1;
    let insertions = Insertions::plan(&places(&our_old.entries[..blocks], &whole), &whole);

    let mut out = Output::new(mark, text);
    for (index, Parts { body, gap, lead }) in our_parts.iter().enumerate() {
        out.all(body);
        match index.checked_sub(1) {
            None => out.comments(&scions.head),
            Some(block) => scions.insert(&insertions.after[block], &mut out),
        }
        out.all(gap);
        let next = (index < blocks).then_some(index);
        if insertions.first_before == next {
            scions.insert(&insertions.first, &mut out);
        }
        if let Some(entry) = next.and_then(|next| our_old.entries.get(next))
            && let Some(scion) = scions.blocks.get(&&entry.key)
        {
            out.comments(&scion.comments);
        }
        out.all(lead);
    }
    out.comments(&scions.rest);
    Ok(out.finish())
}

/// The parts of all sections of a text.
fn all_parts<'t>(text: &'t str, old: &InOrder) -> Vec<Parts<'t>> {
    let layout = Layout::of(text, old);
    let sections = 0..layout.sections.len();
    sections.map(|section| layout.parts(section)).collect()
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
    fn of(ours: &[Parts<'t>], theirs: &'s [Parts<'t>], entries: &'s [Entry]) -> Self {
        let mut known: SortedMap<&str, usize> = SortedMap::new();
        for Parts { body, gap, lead } in ours {
            for comment in [body, gap, lead]
                .into_iter()
                .flat_map(|part| comments(part))
            {
                *known.get_or_insert(comment, 0) += 1;
            }
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
        let head = theirs.first().map(|first| new(&first.body));
        let mut blocks = SortedMap::new();
        for (pair, entry) in theirs.windows(2).zip(entries) {
            let [Parts { gap, lead, .. }, Parts { body, .. }] = pair else {
                continue;
            };
            let apart = new(gap);
            let scion = Scion {
                comments: [&apart[..], &new(lead), &new(body)].concat(),
                apart,
                lead,
                body,
            };
            blocks.insert(&entry.key, scion);
        }
        Scions {
            head: head.unwrap_or_default(),
            blocks,
            rest: theirs
                .last()
                .map(|last| new(&last.lead))
                .unwrap_or_default(),
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
        if statement.is_comment() {
            comments.push(statement.text.trim());
        } else {
            comments.extend(statement.inner.iter().map(|inner| inner.trim()));
            comments.extend(statement.end.map(str::trim));
        }
    }
    comments
}
