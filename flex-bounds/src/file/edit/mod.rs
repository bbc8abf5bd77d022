//! Writing over a file that people have edited: comments, spacing and order stay as they are.

mod graft;
mod statement;

use flex_core::sorted::SortedMap;

use super::parse::{BYTE_ORDER_MARK, in_order};
use super::write::Body;
use super::{BoundsFile, Entry, Key, ParseError};
pub(super) use graft::graft;
use statement::{Kind, Statement, statements};

/// The text that holds the entries of `new` and is otherwise `old_text`.
///
/// Entries that are the same keep their text to the byte. Changed ones are written anew, and the comments above, beside
/// and between their lines stay where they are, even if what they were about is gone. New ones go to their sorted place,
/// with all others left in the order they are in. Deleted ones take their comments with them, but not those that a
/// blank line sets apart. Line endings and a byte-order mark stay.
///
/// An empty text is a file that is yet to be written. Any other text that is no bounds file is an error.
pub fn edit(old_text: &str, new: &BoundsFile) -> Result<String, ParseError> {
    if old_text.is_empty() {
        return Ok(new.to_string());
    }
    let old = in_order(old_text)?;
    if old.len() == new.entries.len() && old.iter().all(|entry| new.get(&entry.key) == Some(entry))
    {
        return Ok(old_text.to_owned());
    }
    let text = old_text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(old_text);
    let mark = old_text.get(..old_text.len() - text.len());
    let statements = statements(text);
    let layout = Layout::of(&statements);
    let insertions = Insertions::plan(&layout, &old, new);

    let mut out = Output::new(mark.unwrap_or_default(), text);
    out.head(layout.head);
    for (index, (block, old)) in layout.blocks.iter().zip(&old).enumerate() {
        match new.get(&old.key) {
            None => out.remains(block.gap),
            Some(entry) => {
                out.all(block.gap);
                if insertions.first_before == Some(index) {
                    out.insert(&insertions.first);
                }
                out.all(block.lead);
                if entry == old {
                    out.all(block.body);
                } else {
                    out.rewrite(block.body, entry);
                }
            }
        }
        out.insert(&insertions.after[index]);
    }
    if insertions.first_before.is_none() {
        out.insert(&insertions.first);
    }
    out.all(layout.rest);
    Ok(out.finish())
}

/// Which statements belong to which entry.
struct Layout<'s, 't> {
    /// The version and what stands above it.
    head: &'s [Statement<'t>],
    blocks: Vec<Block<'s, 't>>,
    /// What follows the last block.
    rest: &'s [Statement<'t>],
}

struct Block<'s, 't> {
    /// Blank lines, and comments that they set apart: these belong to the file.
    gap: &'s [Statement<'t>],
    /// The comments directly above the header.
    lead: &'s [Statement<'t>],
    /// The header, the keys, and the comments between and directly below them.
    body: &'s [Statement<'t>],
}

impl<'s, 't> Layout<'s, 't> {
    fn of(statements: &'s [Statement<'t>]) -> Self {
        let (head, mut rest) = split_body(statements);
        let mut blocks = Vec::new();
        while let Some(header) = rest.iter().position(|s| matches!(s.kind, Kind::Entry)) {
            let (before, at_header) = rest.split_at(header);
            let lead = before
                .iter()
                .rev()
                .take_while(|s| matches!(s.kind, Kind::Comment));
            let (gap, lead) = before.split_at(header - lead.count());
            let (body, after) = split_body(at_header);
            blocks.push(Block { gap, lead, body });
            rest = after;
        }
        if blocks.is_empty() {
            // All that a file without entries says stands above those to come.
            return Layout {
                head: statements,
                blocks,
                rest: &[],
            };
        }
        Layout { head, blocks, rest }
    }
}

/// Splits statements after the keys that come before the second header, and the comments directly below the last key.
fn split_body<'s, 't>(
    statements: &'s [Statement<'t>],
) -> (&'s [Statement<'t>], &'s [Statement<'t>]) {
    let is_header = |s: &Statement<'_>| matches!(s.kind, Kind::Entry);
    let from = statements.first().is_some_and(is_header) as usize;
    let next_header = statements.iter().skip(from).position(is_header);
    let limit = next_header.map_or(statements.len(), |position| from + position);
    let section = statements.get(..limit).unwrap_or_default();
    let solid = section
        .iter()
        .rposition(|s| !matches!(s.kind, Kind::Blank | Kind::Comment))
        .map_or(0, |last| last + 1);
    let below = section.iter().skip(solid);
    let end = solid
        + below
            .take_while(|s| matches!(s.kind, Kind::Comment))
            .count();
    // Comments that touch the next header too are the next entry's.
    let end = if next_header.is_some() && end == limit {
        solid
    } else {
        end
    };
    statements.split_at(end)
}

/// Where entries go that the old text does not have.
struct Insertions<'n> {
    /// Entries that come after each block of the old text.
    after: Vec<Vec<&'n Entry>>,
    /// Entries that come before all that stay.
    first: Vec<&'n Entry>,
    /// The block before which those go; at the end of the file if none stays.
    first_before: Option<usize>,
}

impl<'n> Insertions<'n> {
    fn plan(layout: &Layout<'_, '_>, old: &[Entry], new: &'n BoundsFile) -> Self {
        let mut blocks: SortedMap<&Key, usize> = SortedMap::new();
        for (index, (_, entry)) in layout.blocks.iter().zip(old).enumerate() {
            blocks.insert(&entry.key, index);
        }
        let mut plan = Insertions {
            after: vec![Vec::new(); layout.blocks.len()],
            first: Vec::new(),
            first_before: None,
        };
        let mut last = None;
        for entry in &new.entries {
            match (blocks.get(&&entry.key), last) {
                (Some(index), _) => {
                    plan.first_before.get_or_insert(*index);
                    last = Some(*index);
                }
                (None, Some(index)) => plan.after[index].push(entry),
                (None, None) => plan.first.push(entry),
            }
        }
        plan
    }
}

/// The new text as it grows.
struct Output {
    text: String,
    newline: &'static str,
    /// Whether a blank line must come before what follows.
    apart: bool,
}

impl Output {
    /// Starts a text with the line endings of another.
    fn new(mark: &str, model: &str) -> Self {
        let first_line = model.split_inclusive('\n').next();
        let windows = first_line.is_some_and(|line| line.ends_with("\r\n"));
        Output {
            text: mark.to_owned(),
            newline: if windows { "\r\n" } else { "\n" },
            apart: false,
        }
    }

    /// Statements as they are.
    fn all(&mut self, statements: &[Statement<'_>]) {
        for statement in statements {
            self.push(statement.text);
        }
    }

    /// The head as it is, except that entries written as `bound = [{ … }]` make room for those in blocks.
    fn head(&mut self, head: &[Statement<'_>]) {
        for statement in head {
            if matches!(statement.kind, Kind::Value { is_array: true, .. }) {
                for comment in statement.inner.iter().copied().chain(statement.end) {
                    self.line(comment.trim_start());
                }
            } else {
                self.push(statement.text);
            }
        }
    }

    /// What stays of the gap before an entry that is deleted: its comments.
    fn remains(&mut self, gap: &[Statement<'_>]) {
        let comment = gap.iter().rposition(|s| matches!(s.kind, Kind::Comment));
        if let Some(last) = comment {
            self.all(gap.get(..=last).unwrap_or_default());
            self.apart = true;
        }
    }

    /// New entries, each set apart.
    fn insert(&mut self, entries: &[&Entry]) {
        for entry in entries {
            self.apart = true;
            self.line("[[bound]]");
            for line in Body(entry).to_string().lines() {
                self.line(line);
            }
            self.apart = true;
        }
    }

    /// An entry written anew with the comments of its old text.
    fn rewrite(&mut self, body: &[Statement<'_>], entry: &Entry) {
        let text = Body(entry).to_string();
        let mut lines: Vec<Line<'_>> = text.lines().filter_map(Line::of).collect();
        let mut pending: Vec<&str> = Vec::new();
        let mut table = None;
        for statement in body {
            let key = match statement.kind {
                Kind::Entry => {
                    self.push(statement.text);
                    continue;
                }
                Kind::Blank | Kind::Comment => {
                    pending.push(statement.text.trim_end_matches(['\r', '\n']));
                    continue;
                }
                Kind::Table { key } => *table.insert(key),
                Kind::Value { key, .. } => table.unwrap_or(key),
            };
            pending.extend(&statement.inner);
            match lines.iter_mut().find(|line| line.key == key) {
                Some(line) => {
                    if line.beside.is_none() {
                        line.beside = statement.end;
                    } else {
                        pending.extend(statement.end.map(str::trim_start));
                    }
                    line.above.append(&mut pending);
                }
                None => {
                    pending.extend(statement.end.map(str::trim_start));
                    pending.retain(|line| !is_blank(line));
                }
            }
        }
        for line in lines {
            for comment in line.above {
                self.line(comment);
            }
            let comment = line.beside.unwrap_or_default();
            let space = if comment.starts_with('#') { " " } else { "" };
            self.line(&format!("{} = {}{space}{comment}", line.key, line.value));
        }
        pending.retain(|line| !is_blank(line));
        for line in &pending {
            self.line(line);
        }
        // Without a blank line these comments would be the next entry's.
        self.apart = !pending.is_empty();
    }

    fn line(&mut self, line: &str) {
        self.push(line);
        self.text.push_str(self.newline);
    }

    /// Adds whole lines, the last of which may lack its end.
    fn push(&mut self, lines: &str) {
        let is_start = self.text.trim_start_matches(BYTE_ORDER_MARK).is_empty();
        if !is_start && !self.text.ends_with('\n') {
            self.text.push_str(self.newline);
        }
        if self.apart && !is_start && !is_blank(lines) {
            let last = self.text.trim_end_matches(['\r', '\n']).len();
            if self
                .text
                .get(last..)
                .is_some_and(|end| end.matches('\n').count() < 2)
            {
                self.text.push_str(self.newline);
            }
        }
        self.apart = false;
        self.text.push_str(lines);
    }

    fn finish(mut self) -> String {
        if !self.text.ends_with('\n') {
            self.text.push_str(self.newline);
        }
        self.text
    }
}

/// A line of an entry that is written anew, with comments of its old text.
struct Line<'t> {
    key: &'t str,
    value: &'t str,
    above: Vec<&'t str>,
    beside: Option<&'t str>,
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let (key, value) = line.split_once(" = ")?;
        Some(Line {
            key,
            value,
            above: Vec::new(),
            beside: None,
        })
    }
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

#[cfg(test)]
mod tests;
