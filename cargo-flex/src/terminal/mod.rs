//! What people see: words on standard error, answers on standard output. What names and messages hold that a terminal
//! would obey is shown instead; colour, signs beyond ASCII and progress are there where they can be seen.

mod manner;
mod voice;

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use flex_core::paint::Paint;
use flex_core::signs::ascii;
use flex_core::visible::visible_lines;

pub use manner::{Manner, ShownAs};

/// How this process shows things; until somebody says so, without any extra.
static MANNER: OnceLock<Manner> = OnceLock::new();

/// Decides once how things are shown, by what is asked for and by what is at the other end.
pub fn begin(quiet: bool, verbose: u8) {
    let ends = [io::stdout().is_terminal(), io::stderr().is_terminal()];
    let env = |name: &str| std::env::var(name).ok();
    MANNER.get_or_init(|| Manner::of(env, ends, quiet, verbose));
}

/// How things are shown.
pub fn manner() -> Manner {
    MANNER.get().copied().unwrap_or_default()
}

/// Whether answers on standard output are painted.
pub fn paint() -> Paint {
    manner().paint_out
}

/// Standard error, for `write!` and `writeln!`: what went wrong and what to do about it.
pub fn stderr() -> Words {
    Words { to: To::Errors }
}

/// Standard error, for what need not be known: nothing is said to those who want quiet.
pub fn notes() -> Words {
    Words { to: To::Notes }
}

/// Standard output, for answers to people: tables and words. Data is written as it is.
pub fn stdout() -> Words {
    Words { to: To::Answers }
}

/// Takes words for people.
#[derive(Debug)]
pub struct Words {
    to: To,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    Errors,
    Notes,
    Answers,
}

impl Write for Words {
    fn write(&mut self, words: &[u8]) -> io::Result<usize> {
        let (text, manner) = (String::from_utf8_lossy(words), manner());
        let spelt = |text: &str| match manner.ascii {
            true => ascii(text),
            false => text.to_owned(),
        };
        match self.to {
            To::Notes if manner.quiet => {}
            // Who words an answer has made names harmless, and may have painted it.
            To::Answers => io::stdout().write_all(spelt(&text).as_bytes())?,
            To::Errors | To::Notes => {
                let text = voice::painted(&visible_lines(&text), manner.paint_err);
                io::stderr().write_all(spelt(&text).as_bytes())?;
            }
        }
        Ok(words.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.to {
            To::Answers => io::stdout().flush(),
            To::Errors | To::Notes => io::stderr().flush(),
        }
    }

    /// Writes all words at once, so that no sign is cut in two.
    fn write_fmt(&mut self, words: fmt::Arguments<'_>) -> io::Result<()> {
        self.write_all(words.to_string().as_bytes())
    }
}
