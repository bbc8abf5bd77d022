//! From text to keys and values, one statement after the other (<https://toml.io/en/v1.1.0>).

use std::borrow::Cow;

use super::place::{Header, Path, TomlKey, put};
use super::scalar::scalar;
use super::{Array, Origin, Placed, Table, Value, Wrong};

/// How deep values and dotted keys may go.
const DEPTH: usize = 80;

/// Room for the fields of a table, and for the values of an array: what most of ours have, so that it need not grow.
const INLINE_FIELDS: usize = 8;
const VALUES: usize = 18;

/// A text, read from its start.
pub(crate) struct Reader<'t> {
    text: &'t str,
    at: usize,
    comments: Vec<&'t str>,
}

/// A line, or several if a value is written over several.
pub(crate) struct TomlStatement<'t> {
    pub what: What<'t>,
    /// Where it ends, but for white space and a comment.
    pub end: usize,
}

/// What a line says.
pub(crate) enum What<'t> {
    /// Nothing to programs.
    Nothing,
    /// A header, and the offset of its first byte.
    Header(Header, Path<'t>, usize),
    /// `key = value`.
    Field(Path<'t>, Placed<'t>),
}

impl<'t> Reader<'t> {
    /// Starts to read a text.
    pub fn new(text: &'t str) -> Self {
        Reader {
            text,
            at: 0,
            comments: Vec::new(),
        }
    }

    /// The offset up to which the text was read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The comments in the last statement, without the white space around them.
    pub fn comments(&self) -> &[&'t str] {
        &self.comments
    }

    /// The next statement with the end of its line; `None` at the end of the text.
    pub fn statement(&mut self) -> Result<Option<TomlStatement<'t>>, Wrong> {
        self.comments.clear();
        if self.byte().is_none() {
            return Ok(None);
        }
        let mut end = self.at;
        self.blanks();
        let what = match self.byte() {
            None | Some(b'\n' | b'\r' | b'#') => What::Nothing,
            Some(b'[') => self.header()?,
            Some(_) => {
                let (path, placed) = self.field(DEPTH)?;
                What::Field(path, placed)
            }
        };
        if !matches!(what, What::Nothing) {
            end = self.at;
        }
        self.end_of_line()?;
        Ok(Some(TomlStatement { what, end }))
    }

    /// `[a.b]` or `[[a.b]]`.
    fn header(&mut self) -> Result<What<'t>, Wrong> {
        let at = self.at;
        self.at += 1;
        let header = match self.one(b'[') {
            true => Header::Element,
            false => Header::Table,
        };
        self.blanks();
        let path = self.path()?;
        self.expect(b']', "`]` or a dot")?;
        if header == Header::Element {
            self.expect(b']', "`]]`")?;
        }
        Ok(What::Header(header, path, at))
    }

    /// `key = value`.
    fn field(&mut self, depth: usize) -> Result<(Path<'t>, Placed<'t>), Wrong> {
        let path = self.path()?;
        self.expect(b'=', "`=` or a dot")?;
        self.blanks();
        Ok((path, self.value(depth)?))
    }

    /// A key, dotted or not, and the white space behind it.
    fn path(&mut self) -> Result<Path<'t>, Wrong> {
        let mut way = Vec::new();
        let mut last = self.key()?;
        loop {
            self.blanks();
            if !self.one(b'.') {
                return Ok(Path { way, last });
            }
            self.blanks();
            let next = self.key()?;
            way.push(std::mem::replace(&mut last, next));
            if way.len() == DEPTH {
                return Err(too_deep(self.at));
            }
        }
    }

    fn key(&mut self) -> Result<TomlKey<'t>, Wrong> {
        let at = self.at;
        let name = match self.byte() {
            Some(quote @ (b'"' | b'\'')) => self.quoted(quote)?,
            _ => {
                self.skip(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
                Cow::Borrowed(self.since(at))
            }
        };
        match self.at == at {
            true => Err(self.expected("a key")),
            false => Ok(TomlKey { name, at }),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Placed<'t>, Wrong> {
        let at = self.at;
        let inner = depth.checked_sub(1).ok_or_else(|| too_deep(at))?;
        let value = match self.byte() {
            Some(quote @ (b'"' | b'\'')) => Value::String(self.string(quote)?),
            Some(b'[') => Value::Array(self.array(inner)?),
            Some(b'{') => Value::Table(self.inline(inner)?),
            _ => {
                let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-_.:".contains(&byte);
                self.skip(is_part);
                // A day and a time may have a space between them.
                if let [b' ', b'0'..=b'9', ..] = &self.text.as_bytes()[self.at..]
                    && scalar(self.since(at)).is_some_and(|value| matches!(value, Value::Date))
                {
                    self.at += 1;
                    self.skip(is_part);
                }
                scalar(self.since(at)).ok_or_else(|| Wrong::new(at, "expected a value"))?
            }
        };
        Ok(Placed { at, value })
    }

    /// `[1, 2]`.
    fn array(&mut self, depth: usize) -> Result<Array<'t>, Wrong> {
        self.at += 1;
        let mut values = Vec::with_capacity(VALUES);
        while !self.ends_list(b']')? {
            values.push(self.value(depth)?);
            self.between(b']', "`,` or `]`")?;
        }
        Ok(Array {
            values,
            is_of_headers: false,
        })
    }

    /// `{ a = 1, b = 2 }`.
    fn inline(&mut self, depth: usize) -> Result<Table<'t>, Wrong> {
        self.at += 1;
        let mut table = Table::with_room(INLINE_FIELDS, Origin::Inline);
        while !self.ends_list(b'}')? {
            let (path, placed) = self.field(depth)?;
            put(&mut table, path, placed, Origin::DottedInline)?;
            self.between(b'}', "`,` or `}`")?;
        }
        Ok(table)
    }

    /// Whether a list ends here; goes behind its end.
    fn ends_list(&mut self, end: u8) -> Result<bool, Wrong> {
        self.gap()?;
        Ok(self.one(end))
    }

    /// Goes behind the comma after a value, unless the list ends there.
    fn between(&mut self, end: u8, expected: &str) -> Result<(), Wrong> {
        self.gap()?;
        match self.byte() == Some(end) {
            true => Ok(()),
            false => self.expect(b',', expected),
        }
    }

    /// White space, line endings and comments.
    fn gap(&mut self) -> Result<(), Wrong> {
        loop {
            self.blanks();
            match self.byte() {
                Some(b'#') => self.comment(),
                Some(b'\n' | b'\r') => self.new_line()?,
                _ => return Ok(()),
            }
        }
    }

    /// The rest of a line: white space and a comment at most.
    fn end_of_line(&mut self) -> Result<(), Wrong> {
        self.blanks();
        if self.byte() == Some(b'#') {
            self.comment();
        }
        match self.byte() {
            None => Ok(()),
            Some(_) => self.new_line(),
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        self.skip(|byte| !is_control(byte));
        self.comments.push(self.since(start));
    }

    fn new_line(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        let _ = self.one(b'\r');
        match self.one(b'\n') {
            true => Ok(()),
            false => {
                self.at = start;
                Err(self.expected("the end of the line"))
            }
        }
    }

    fn blanks(&mut self) {
        self.skip(|byte| byte == b' ' || byte == b'\t');
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<(), Wrong> {
        match self.one(byte) {
            true => Ok(()),
            false => Err(self.expected(what)),
        }
    }

    pub(super) fn expected(&self, what: &str) -> Wrong {
        Wrong::new(self.at, format!("expected {what}"))
    }

    /// Goes behind a byte, if it comes next.
    pub(super) fn one(&mut self, byte: u8) -> bool {
        let is_next = self.byte() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn skip(&mut self, is_part: impl Fn(u8) -> bool) {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() && is_part(bytes[self.at]) {
            self.at += 1;
        }
    }

    /// Goes on as many bytes.
    pub(super) fn forward(&mut self, bytes: usize) {
        self.at = self.text.len().min(self.at + bytes);
    }

    pub(super) fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// What is yet to be read.
    pub(super) fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// Whether a byte may stand neither in a comment nor in quotes.
pub(super) fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}

fn too_deep(at: usize) -> Wrong {
    Wrong::new(at, format!("more than {DEPTH} levels"))
}
