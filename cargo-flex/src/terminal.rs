//! Words for people, on standard error: what names and messages hold that a terminal would obey is shown instead.

use std::fmt;
use std::io::{self, Write};

use flex_core::visible::visible_lines;

/// Standard error, for `write!` and `writeln!`.
pub fn stderr() -> Words {
    Words
}

/// Takes words for people.
#[derive(Debug)]
pub struct Words;

impl Write for Words {
    fn write(&mut self, words: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(words);
        io::stderr().write_all(visible_lines(&text).as_bytes())?;
        Ok(words.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }

    /// Writes all words at once, so that no sign is cut in two.
    fn write_fmt(&mut self, words: fmt::Arguments<'_>) -> io::Result<()> {
        self.write_all(words.to_string().as_bytes())
    }
}
