//! The text of a bounds file as a person sees it: headers, keys with their values, comments and blank lines.

use std::borrow::Cow;

use crate::document::{Header, Reader, Value, What};

/// A line, or several if a value is written over several.
pub(super) struct Statement<'t> {
    pub kind: StatementKind<'t>,
    /// The whole of it, with its line ending.
    pub text: &'t str,
    /// Comments between the lines of a value.
    pub inner: Vec<&'t str>,
    /// The comment at its end, with the white space before it.
    pub end: Option<&'t str>,
}

impl Statement<'_> {
    pub fn is_comment(&self) -> bool {
        matches!(self.kind, StatementKind::Comment)
    }
}

pub(super) enum StatementKind<'t> {
    Blank,
    Comment,
    /// `[[bound]]`: nothing else is written in double brackets.
    Entry,
    /// `[bound.key]`.
    Table {
        key: Cow<'t, str>,
    },
    /// `key = …`, or `key.part = …`.
    Value {
        key: Cow<'t, str>,
        is_array: bool,
    },
}

/// Splits a text that is known to be a bounds file.
pub(super) fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut statements = Vec::new();
    let mut reader = Reader::new(text);
    let mut start = 0;
    while let Ok(Some(read)) = reader.statement() {
        let slice = |end: usize| text.get(start..end).unwrap_or_default();
        let whole = slice(reader.at());
        let behind = whole.get(read.end - start..).unwrap_or_default();
        let mut inner = reader.comments().to_vec();
        // What is left of a comment at the end, without its line ending.
        let end = behind.trim_end_matches(['\r', '\n']);
        let end = end.contains('#').then_some(end);
        if end.is_some() {
            inner.pop();
        }
        statements.push(Statement {
            kind: kind(read.what, end.is_some()),
            text: whole,
            inner,
            end,
        });
        start = reader.at();
    }
    statements
}

fn kind(what: What<'_>, has_comment: bool) -> StatementKind<'_> {
    match what {
        What::Nothing if has_comment => StatementKind::Comment,
        What::Nothing => StatementKind::Blank,
        What::Header(Header::Element, ..) => StatementKind::Entry,
        What::Header(Header::Table, path, _) => StatementKind::Table { key: path.key(1) },
        What::Field(path, placed) => StatementKind::Value {
            key: path.key(0),
            is_array: matches!(placed.value, Value::Array(_)),
        },
    }
}
