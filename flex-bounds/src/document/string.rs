//! Strings: in one or in three quotes, with or without escapes.

use std::borrow::Cow;

use super::Wrong;
use super::reader::{Reader, is_control};

impl<'t> Reader<'t> {
    /// A value in quotes of this kind.
    pub(super) fn string(&mut self, quote: u8) -> Result<Cow<'t, str>, Wrong> {
        match self.rest().starts_with(&[quote; 3]) {
            true => self.of_lines(quote),
            false => self.quoted(quote),
        }
    }

    /// A string on one line.
    pub(super) fn quoted(&mut self, quote: u8) -> Result<Cow<'t, str>, Wrong> {
        self.forward(1);
        let start = self.at();
        let mut has_escapes = false;
        if self.stops(quote, &mut has_escapes) != Some(quote) {
            return Err(self.unclosed(quote));
        }
        let inner = self.since(start);
        self.forward(1);
        unescaped(inner, start, has_escapes)
    }

    /// A string in three quotes. A line ending right behind them is no part of it.
    fn of_lines(&mut self, quote: u8) -> Result<Cow<'t, str>, Wrong> {
        self.forward(3);
        match self.rest() {
            [b'\n', ..] => self.forward(1),
            [b'\r', b'\n', ..] => self.forward(2),
            _ => {}
        }
        let start = self.at();
        let mut has_escapes = false;
        loop {
            match self.stops(quote, &mut has_escapes) {
                Some(b'\n') => self.forward(1),
                Some(b'\r') if self.rest().starts_with(b"\r\n") => self.forward(2),
                Some(byte) if byte == quote => {
                    let quotes = self.rest().iter().take_while(|byte| **byte == quote);
                    // Two of them may be its last characters.
                    let quotes = quotes.count().min(5);
                    if quotes >= 3 {
                        self.forward(quotes - 3);
                        let inner = self.since(start);
                        self.forward(3);
                        return unescaped(inner, start, has_escapes);
                    }
                    self.forward(quotes);
                }
                _ => return Err(self.unclosed(quote)),
            }
        }
    }

    /// Goes to the next quote or control character, which may end a string. What an escape escapes is neither.
    fn stops(&mut self, quote: u8, has_escapes: &mut bool) -> Option<u8> {
        let escapes = quote == b'"';
        loop {
            self.skip(|byte| byte != quote && !is_control(byte) && !(escapes && byte == b'\\'));
            match self.rest() {
                [b'\\', next, ..] if escapes => {
                    *has_escapes = true;
                    // A line ending is looked at by itself.
                    self.forward(1 + usize::from(!is_control(*next)));
                }
                [b'\\'] if escapes => self.forward(1),
                rest => return rest.first().copied(),
            }
        }
    }

    fn unclosed(&self, quote: u8) -> Wrong {
        self.expected(match quote {
            b'"' => "`\"` at the end of the string",
            _ => "`'` at the end of the string",
        })
    }
}

/// The string that these characters stand for, of which the first is at this offset.
fn unescaped(inner: &str, start: usize, has_escapes: bool) -> Result<Cow<'_, str>, Wrong> {
    if !has_escapes {
        return Ok(Cow::Borrowed(inner));
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let wrong = || {
            Wrong::new(
                start + inner.len() - escape.len() - 1,
                "there is no such escape",
            )
        };
        let (character, used) = escaped(escape).ok_or_else(wrong)?;
        text.extend(character);
        rest = &escape[used..];
    }
    text.push_str(rest);
    Ok(Cow::Owned(text))
}

/// What stands behind a backslash: the character that it is for, and how long it is. The end of a line is for none, and takes
/// the white space with it that begins the next.
fn escaped(escape: &str) -> Option<(Option<char>, usize)> {
    let character = match escape.as_bytes().first()? {
        b'b' => '\u{8}',
        b't' => '\t',
        b'n' => '\n',
        b'f' => '\u{c}',
        b'r' => '\r',
        b'e' => '\u{1b}',
        b'"' => '"',
        b'\\' => '\\',
        b'x' => return by_number(escape, 2),
        b'u' => return by_number(escape, 4),
        b'U' => return by_number(escape, 8),
        _ => {
            let line = escape.trim_start_matches([' ', '\t']);
            let next = line.trim_start_matches([' ', '\t', '\r', '\n']);
            let is_end = line.starts_with(['\r', '\n']);
            return is_end.then(|| (None, escape.len() - next.len()));
        }
    };
    Some((Some(character), 1))
}

fn by_number(escape: &str, digits: usize) -> Option<(Option<char>, usize)> {
    let digits = escape.get(1..=digits)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
    Some((Some(char::from_u32(number)?), 1 + digits.len()))
}
