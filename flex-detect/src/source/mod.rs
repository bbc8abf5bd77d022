//! Changing source text: what is asked for, and no other byte.

pub mod literal;
pub mod python;
pub mod rust;

use std::fmt;
use std::ops::Range;

use flex_bounds::file::conflict_mark;

/// A part of a text and what is to stand there instead; an empty part inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub range: Range<usize>,
    /// What comes.
    pub text: String,
    /// Whether it comes before what others insert at the same place.
    pub is_first: bool,
}

impl Edit {
    /// An edit that takes nothing away.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Edit {
            range: at..at,
            text: text.into(),
            is_first: false,
        }
    }

    /// An edit that puts `text` in the place of `range`.
    pub fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Edit {
            range,
            text: text.into(),
            is_first: false,
        }
    }

    /// The same edit, before what others insert at its place.
    #[must_use]
    pub fn first(self) -> Self {
        Edit {
            is_first: true,
            ..self
        }
    }
}

/// Why a place in the source cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPlace {
    /// The source is not what it was when the record was made.
    Changed(String),
    /// There is no number that could be changed.
    NoNumber(String),
    /// The source cannot be read as its language.
    Unreadable(String),
}

impl fmt::Display for NoPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPlace::Changed(what) => write!(
                f,
                "{what}: the source changed since detect; run detect again"
            ),
            NoPlace::NoNumber(why) | NoPlace::Unreadable(why) => f.write_str(why),
        }
    }
}

/// The text with all edits made. Equal edits count once; edits that overlap are refused. Insertions at one place stand in
/// the order in which they are given, after those that come [first](Edit::first).
pub fn apply(text: &str, all: &[Edit]) -> Result<String, String> {
    let mut edits: Vec<&Edit> = Vec::new();
    for edit in all {
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end, !edit.is_first));
    let mut changed = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        let kept = text.get(done..edit.range.start);
        let (Some(kept), Some(_)) = (kept, text.get(edit.range.clone())) else {
            return Err("two changes of one place exclude each other".to_owned());
        };
        changed += kept;
        changed += &edit.text;
        done = edit.range.end;
    }
    Ok(changed + &text[done..])
}

/// The byte at a line, counted from 1, and a column in bytes.
pub fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let before = usize::try_from(line.checked_sub(1)?).ok()?;
    let (start, content) = lines(text).nth(before)?;
    // Python leaves a byte order mark out of its columns, too.
    let column = usize::try_from(column).ok()?;
    (column <= content.len() && content.is_char_boundary(column)).then_some(start + column)
}

/// Where a text begins, which is after a byte order mark: nothing may stand before that.
pub(crate) fn text_start(text: &str) -> usize {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    match text.starts_with(BYTE_ORDER_MARK) {
        true => BYTE_ORDER_MARK.len_utf8(),
        false => 0,
    }
}

/// The line of the first marker that a merge left behind. Those in between, like `=======`, are headings elsewhere.
pub fn conflict_marker(text: &str) -> Option<usize> {
    let is_marker = |line: &str| matches!(conflict_mark(line), Some("<<<<<<<" | ">>>>>>>"));
    lines(text)
        .position(|(_, line)| is_marker(line))
        .map(|before| before + 1)
}

/// How lines of the text end.
pub fn line_ending(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Every line with the place where it begins, without a byte order mark.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = text_start(text);
    text[start..].split_inclusive('\n').map(move |line| {
        let place = start;
        start += line.len();
        (place, line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_change_their_place_and_nothing_else() {
        let text = "a = 1\r\nb = 2\r\n";
        let edits = [
            Edit::replace(11..12, "3"),
            Edit::insert(0, "# x\r\n"),
            Edit::insert(0, "# x\r\n"),
        ];
        assert_eq!(
            apply(text, &edits),
            Ok("# x\r\na = 1\r\nb = 3\r\n".to_owned())
        );
        let overlapping = [Edit::replace(0..3, "x"), Edit::replace(2..4, "y")];
        assert!(apply(text, &overlapping).is_err());
        assert!(apply(text, &[Edit::replace(10..99, "x")]).is_err());
    }

    #[test]
    fn insertions_at_one_place_have_an_order() {
        let decorate = |text: &str| Edit::insert(1, text);
        let import = |text: &str| Edit::insert(1, text).first();
        let edits = [
            decorate("@b"),
            import("<c>"),
            decorate("@d"),
            import("<a>"),
            import("<c>"),
            Edit::replace(1..2, "."),
        ];
        assert_eq!(apply("012", &edits), Ok("0<c><a>@b@d.2".to_owned()));
    }

    #[test]
    fn columns_are_bytes_and_a_byte_order_mark_does_not_count() {
        assert_eq!(offset("ä = 1\nb", 1, 5), Some(5));
        assert_eq!(offset("ä = 1\nb", 2, 1), Some(8));
        assert_eq!(offset("\u{feff}a", 1, 0), Some(3));
        for (line, column) in [(0, 0), (3, 0), (1, 1), (2, 9)] {
            assert_eq!(offset("ä = 1\nb", line, column), None, "{line}:{column}");
        }
    }

    #[test]
    fn what_a_merge_left_is_seen() {
        assert_eq!(conflict_marker("a\n<<<<<<< HEAD\nb\n=======\n"), Some(2));
        assert_eq!(conflict_marker("a <<<<<<< b\nHeading\n=======\n"), None);
    }
}
