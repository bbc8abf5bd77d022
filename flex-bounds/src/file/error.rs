//! Where a bounds file is wrong: byte offsets become lines, and complaints name what to do.

use std::fmt;

use flex_core::visible::visible;

use crate::document::Wrong;

/// Why a text is not a bounds file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// The character within the line, counted from 1.
    pub column: usize,
    /// What is wrong and what to do about it.
    pub message: String,
}

impl ParseError {
    /// The error as a person wants to see it who knows the file by this name: `flex-bounds.toml:12: …`.
    pub fn in_file(&self, name: &str) -> String {
        format!("{name}:{}: {}", self.line, self.message)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// A complaint about the byte at an offset. Lines are counted only when there is something to complain about.
#[derive(Debug)]
pub(crate) struct Fault {
    at: usize,
    message: String,
}

/// What to do about an entry that is wrong.
pub(super) const ENTRY_ADVICE: &str =
    "; correct it, or delete the entry and run `cargo flex calibrate`";

/// What reading gives before lines are known.
pub(crate) type Parsed<T> = Result<T, Fault>;

impl Fault {
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Fault {
            at,
            message: message.into(),
        }
    }

    /// A complaint about an entry, which can be learned anew.
    pub fn in_entry(at: usize, message: impl fmt::Display) -> Self {
        Fault::new(at, format!("{message}{ENTRY_ADVICE}"))
    }

    /// The complaint with its place in `text`.
    pub fn locate(self, text: &str) -> ParseError {
        let (line, column) = place(text, self.at);
        ParseError {
            line,
            column,
            // It may cite anything.
            message: visible(&self.message).into_owned(),
        }
    }
}

/// The line and column of a byte, both counted from 1.
pub(crate) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let in_line = before.chars().rev().take_while(|c| *c != '\n');
    let column = in_line.filter(|c| *c != '\r').count() + 1;
    (line, column)
}

/// What is said about a text that is no TOML, and what to do about its merge conflicts, which are the usual cause and
/// go first.
pub(crate) fn syntax(text: &str, wrong: &Wrong, conflict_advice: &str) -> Fault {
    if let Some((at, marker)) = conflict_marker(text) {
        return Fault::new(
            at,
            format!("`{marker}` marks a merge conflict that is not resolved; {conflict_advice}"),
        );
    }
    let Wrong { at, what: cause } = wrong;
    let at = *at;
    let column = place(text, at).1;
    let what = if text.get(at..).is_some_and(|rest| rest.trim().is_empty()) {
        format!("the file breaks off at column {column}: {cause}")
    } else {
        format!("not valid TOML at column {column}: {cause}")
    };
    Fault::new(
        at,
        format!("{what}; correct it, or take the file from version control again"),
    )
}

/// The first line that version control writes into a file it could not merge.
pub fn conflict_marker(text: &str) -> Option<(usize, &'static str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(marker) = conflict_mark(line) {
            return Some((at, marker));
        }
        at += line.len();
    }
    None
}

/// The mark that a line begins with, if it is one of version control's.
pub fn conflict_mark(line: &str) -> Option<&'static str> {
    const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
    MARKERS.into_iter().find(|marker| {
        let rest = line.strip_prefix(marker);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r', '\n']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let text = "a\r\nüb\nc";
        for (needle, expected) in [("a", (1, 1)), ("b", (2, 2)), ("c", (3, 1))] {
            assert_eq!(place(text, text.find(needle).unwrap()), expected);
        }
        assert_eq!(place(text, text.len()), (3, 2));
        assert_eq!(place(text, 1000), (3, 2), "past the end is the end");
        assert_eq!(place("", 0), (1, 1));
    }

    #[test]
    fn only_whole_markers_at_the_start_of_a_line_count() {
        for (text, expected) in [
            ("a\n<<<<<<< HEAD\n", Some(2)),
            ("=======", Some(0)),
            ("x\r\n>>>>>>>\r\n", Some(3)),
            ("||||||| base", Some(0)),
            (" <<<<<<< HEAD", None),
            ("<<<<<<<<", None),
            ("====", None),
        ] {
            assert_eq!(conflict_marker(text).map(|(at, _)| at), expected, "{text}");
        }
    }
}
