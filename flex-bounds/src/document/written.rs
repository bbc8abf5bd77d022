//! Tables as flex writes them, read without `toml_parser`: in a fifth of its time, and one after the other instead of all
//! at once.
//!
//! Every key stands on one line with its value, with single spaces. Blank lines, comments and Windows' line endings do no
//! harm. Whatever is different is `None`, and the whole text is for [`parse`](super::parse), which
//! knows what is wrong if something is. What is read here is read there as the same tree.

use std::borrow::Cow;

use flex_core::sorted::SortedMap;
use toml_parser::decoder::Encoding;
use toml_parser::{Raw, Span};

use super::{Array, Origin, Placed, Table, TableField, Value};

/// How deep values may lie in each other: numbers in a list in a race in a side.
const DEPTH: u32 = 4;

/// Room for the fields of a table that is written in lines, of one in braces, and for the values of an array: what most
/// have, so that it need not grow.
const FIELDS: usize = 24;
const INLINE_FIELDS: usize = 8;
const VALUES: usize = 18;

/// A text, read from its start.
pub(crate) struct Written<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Written<'t> {
    /// Starts to read a text.
    pub fn new(text: &'t str) -> Self {
        Written { text, at: 0 }
    }

    /// The fields up to the next header, or to the end.
    pub fn table(&mut self) -> Option<Table<'t>> {
        let mut table = with_room(FIELDS, Origin::Header);
        loop {
            match self.byte() {
                None | Some(b'[') => return Some(table),
                Some(b'\n' | b'\r' | b'#' | b' ') => {}
                Some(_) => self.field(&mut table, DEPTH)?,
            }
            self.end_of_line()?;
        }
    }

    /// The place of a header that is the next line, and has a table to itself.
    pub fn header(&mut self, header: &str) -> Option<usize> {
        let at = self.at;
        self.word(header)?;
        self.end_of_line()?;
        Some(at)
    }

    /// Whether all is read.
    pub fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    /// `key = value`.
    fn field(&mut self, table: &mut Table<'t>, depth: u32) -> Option<()> {
        let key_at = self.at;
        self.skip(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        let key = self.since(key_at)?;
        self.one(b' ')?;
        self.one(b'=')?;
        self.one(b' ')?;
        let placed = self.value(depth)?;
        let field = TableField { key_at, placed };
        let is_new = table.fields.insert_new(Cow::Borrowed(key), field);
        (is_new && !key.is_empty()).then_some(())
    }

    fn value(&mut self, depth: u32) -> Option<Placed<'t>> {
        let at = self.at;
        let value = match self.byte()? {
            quote @ (b'"' | b'\'') => Value::String(self.string(quote)?),
            b'[' => Value::Array(self.array(depth.checked_sub(1)?)?),
            b'{' => Value::Table(self.inline(depth.checked_sub(1)?)?),
            b't' => self.word("true").map(|()| Value::Boolean(true))?,
            b'f' => self.word("false").map(|()| Value::Boolean(false))?,
            _ => self.number()?,
        };
        Some(Placed { at, value })
    }

    /// `[1, 2]`.
    fn array(&mut self, depth: u32) -> Option<Array<'t>> {
        self.one(b'[')?;
        let mut values = Vec::with_capacity(VALUES);
        while self.byte()? != b']' {
            if !values.is_empty() {
                self.one(b',')?;
                self.one(b' ')?;
            }
            values.push(self.value(depth)?);
        }
        self.one(b']')?;
        Some(Array {
            values,
            ..Array::default()
        })
    }

    /// `{ a = 1, b = 2 }`.
    fn inline(&mut self, depth: u32) -> Option<Table<'t>> {
        let mut table = with_room(INLINE_FIELDS, Origin::Inline);
        self.one(b'{')?;
        self.one(b' ')?;
        loop {
            self.field(&mut table, depth)?;
            let is_last = self.one(b',').is_none();
            self.one(b' ')?;
            if is_last {
                return self.one(b'}').map(|()| table);
            }
        }
    }

    fn string(&mut self, quote: u8) -> Option<Cow<'t, str>> {
        let start = self.at;
        self.at += 1;
        let mut has_escapes = false;
        loop {
            self.skip(|byte| byte != quote && byte != b'\\' && !is_control(byte));
            match self.byte()? {
                b'\\' => {
                    has_escapes = true;
                    // What is behind it may be a quote that ends nothing.
                    self.at += if quote == b'"' { 2 } else { 1 };
                }
                byte if byte == quote => break,
                _ => return None,
            }
        }
        let inner = self.since(start + 1)?;
        self.at += 1;
        if inner.is_empty() && self.byte() == Some(quote) {
            return None;
        }
        match has_escapes && quote == b'"' {
            false => Some(Cow::Borrowed(inner)),
            true => {
                let span = Span::new_unchecked(start, self.at);
                let raw = Raw::new_unchecked(self.since(start)?, Some(Encoding::BasicString), span);
                let (mut text, mut error) = (Cow::Borrowed(""), None);
                let _ = raw.decode_scalar(&mut text, &mut error);
                error.is_none().then_some(text)
            }
        }
    }

    /// Decimal digits, with a point and an exponent where it is no whole number; `inf` or `nan`.
    fn number(&mut self) -> Option<Value<'t>> {
        let start = self.at;
        let _ = self.one(b'-');
        if self.word("inf").or_else(|| self.word("nan")).is_some() {
            return Some(Value::Float(Cow::Borrowed(self.since(start)?)));
        }
        let whole = self.digits()?;
        if whole.len() > 1 && whole.starts_with('0') {
            return None;
        }
        let point = self.one(b'.');
        if point.is_some() {
            self.digits()?;
        }
        let exponent = self.one(b'e');
        if exponent.is_some() {
            let _ = self.one(b'-');
            self.digits()?;
        }
        let digits = Cow::Borrowed(self.since(start)?);
        Some(match point.or(exponent) {
            Some(()) => Value::Float(digits),
            None => Value::Integer(digits, 10),
        })
    }

    fn digits(&mut self) -> Option<&'t str> {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_digit());
        self.since(start).filter(|digits| !digits.is_empty())
    }

    /// The rest of a line: a comment at most.
    fn end_of_line(&mut self) -> Option<()> {
        self.skip(|byte| byte == b' ');
        if self.byte() == Some(b'#') {
            self.skip(|byte| !is_control(byte));
        }
        if self.is_done() {
            return Some(());
        }
        let _ = self.one(b'\r');
        self.one(b'\n')
    }

    /// Goes behind a word, if it comes next.
    fn word(&mut self, word: &str) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..)?;
        rest.starts_with(word.as_bytes())
            .then(|| self.at += word.len())
    }

    /// Goes behind a byte, if it comes next.
    fn one(&mut self, byte: u8) -> Option<()> {
        (self.byte() == Some(byte)).then(|| self.at += 1)
    }

    fn skip(&mut self, is_part: impl Fn(u8) -> bool) {
        while let Some(byte) = self.byte()
            && is_part(byte)
        {
            self.at += 1;
        }
    }

    fn since(&self, start: usize) -> Option<&'t str> {
        self.text.get(start..self.at)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

fn with_room<'t>(fields: usize, origin: Origin) -> Table<'t> {
    Table {
        fields: SortedMap::with_capacity(fields),
        origin,
    }
}

/// Whether a byte may stand neither in a comment nor in quotes.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}
