//! The new text as it grows, and what becomes of blank lines and comments in it.

use super::statement::{Statement, StatementKind};
use crate::file::Entry;
use crate::file::parse::BYTE_ORDER_MARK;
use crate::file::write::Body;

/// The new text as it grows.
pub(super) struct Output {
    text: String,
    newline: &'static str,
    /// Whether a blank line must come before what follows.
    pub apart: bool,
}

impl Output {
    /// Starts a text with the line endings of another.
    pub fn new(mark: &str, model: &str) -> Self {
        let first_line = model.split_inclusive('\n').next();
        let windows = first_line.is_some_and(|line| line.ends_with("\r\n"));
        Output {
            text: {
                let mut text = String::with_capacity(model.len() + 4096);
                text.push_str(mark);
                text
            },
            newline: if windows { "\r\n" } else { "\n" },
            apart: false,
        }
    }

    /// Statements as they are.
    pub fn all(&mut self, statements: &[Statement<'_>]) {
        for statement in statements {
            self.push(statement.text);
        }
    }

    /// Whole lines as they are.
    pub fn copy(&mut self, lines: &str) {
        let first = lines.find('\n').map_or(lines.len(), |end| end + 1);
        let (first, rest) = lines.split_at(first);
        self.push(first);
        self.text.push_str(rest);
    }

    /// The head as it is, except that entries written as `bound = [{ … }]` make room for those in blocks.
    pub fn head(&mut self, head: &[Statement<'_>]) {
        for statement in head {
            if matches!(statement.kind, StatementKind::Value { is_array: true, .. }) {
                for comment in statement.inner.iter().copied().chain(statement.end) {
                    self.line(comment.trim_start());
                }
            } else {
                self.push(statement.text);
            }
        }
    }

    /// What stays of the gap before an entry that is deleted: its comments.
    pub fn remains(&mut self, gap: &[Statement<'_>]) {
        let comment = gap.iter().rposition(Statement::is_comment);
        if let Some(last) = comment {
            self.all(gap.get(..=last).unwrap_or_default());
            self.apart = true;
        }
    }

    /// New entries, each set apart.
    pub fn insert(&mut self, entries: &[&Entry]) {
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
    pub fn rewrite(&mut self, body: &[Statement<'_>], entry: &Entry) {
        let text = Body(entry).to_string();
        let mut lines: Vec<Line<'_>> = text.lines().filter_map(Line::of).collect();
        let mut pending: Vec<&str> = Vec::new();
        let mut table = None;
        for statement in body {
            let key: &str = match &statement.kind {
                StatementKind::Entry => {
                    self.push(statement.text);
                    continue;
                }
                StatementKind::Blank | StatementKind::Comment => {
                    pending.push(statement.text.trim_end_matches(['\r', '\n']));
                    continue;
                }
                StatementKind::Table { key } => table.insert(key),
                StatementKind::Value { key, .. } => table.unwrap_or(key),
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

    pub fn line(&mut self, line: &str) {
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

    pub fn finish(mut self) -> String {
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
