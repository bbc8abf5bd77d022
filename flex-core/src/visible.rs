//! Text from elsewhere, for people: signs that a terminal would obey are shown instead.
//!
//! Names of tests, messages and whatever files hold may have anything in them: sequences that move the cursor or change
//! its colour, ends of lines that begin a line of ours, marks that turn the direction of reading.

use std::borrow::Cow;
use std::fmt::Write;

/// A text in one line, with the signs shown that are not to be seen.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// A text of several lines, with the signs shown that are not to be seen, except for ends of lines and tabs.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |c: char| is_obeyed(c) && !is_kept(c);
    if !text.contains(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_shown(c) {
            // Writing to a string cannot fail.
            true => {
                let _ = write!(shown, "{}", c.escape_default());
            }
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Whether a sign does something, rather than being something: controls, separators of lines, and those that turn the
/// direction of text (Unicode, annex 9).
pub(crate) fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let check = |text: &str, expected: &str| assert_eq!(visible(text), expected);
        check("tests/ä.py::test[1-x y]", "tests/ä.py::test[1-x y]");
        check("\x1b[31mred\x07", "\\u{1b}[31mred\\u{7}");
        check("a\r\nb\tc\u{9b}2J", "a\\r\\nb\\tc\\u{9b}2J");
        check("\u{202e}txt\u{2028}", "\\u{202e}txt\\u{2028}");
        assert_eq!(visible_lines("a\n\tb\r\x1b"), "a\n\tb\\r\\u{1b}");
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
    }
}
