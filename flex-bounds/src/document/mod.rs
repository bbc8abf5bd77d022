//! TOML as a tree of values that know their place.
//!
//! The crate `toml` does the same for everybody, with types for serde and for dates; a test that links flex would build it
//! with five more crates, and even the parser below it takes as long as a third of this crate. What it makes of a text is
//! what our tests compare with.

mod place;
mod reader;
mod scalar;
mod string;

use std::borrow::Cow;

use flex_core::sorted::SortedMap;

pub(crate) use place::{Header, Path};
use place::{open, put};
pub(crate) use reader::{Reader, What};

/// Reads a text. Of several errors, the first one counts.
pub(crate) fn parse(text: &str) -> Result<Table<'_>, Wrong> {
    let mut reader = Reader::new(text);
    let mut root = Table::default();
    let mut current = &mut root;
    while let Some(statement) = reader.statement()? {
        match statement.what {
            What::Nothing => {}
            What::Header(header, path, at) => current = open(&mut root, path, header, at)?,
            What::Field(path, placed) => put(current, path, placed, Origin::Dotted)?,
        }
    }
    Ok(root)
}

/// Why a text is no TOML.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// The offset of the first byte that is wrong.
    pub at: usize,
    pub what: Cow<'static, str>,
}

impl Wrong {
    fn new(at: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Wrong {
            at,
            what: what.into(),
        }
    }
}

/// Room for the fields of a table that is written in lines: what most of ours have, so that it need not grow.
const FIELDS: usize = 24;

/// A header, and the offset of its first byte.
pub(crate) type Opened<'t> = (Header, Path<'t>, usize);

/// A value and the offset of its first byte.
pub(crate) struct Placed<'t> {
    pub at: usize,
    pub value: Value<'t>,
}

/// What can stand behind a key.
pub(crate) enum Value<'t> {
    String(Cow<'t, str>),
    /// Digits without `_`, and their base.
    Integer(Cow<'t, str>, u32),
    /// Digits without `_`, `inf` or `nan`.
    Float(Cow<'t, str>),
    Boolean(bool),
    /// A date or a time. Nothing in our files is one.
    Date,
    Array(Array<'t>),
    Table(Table<'t>),
}

/// Values in brackets, or the tables of headers in double brackets.
#[derive(Default)]
pub(crate) struct Array<'t> {
    pub values: Vec<Placed<'t>>,
    is_of_headers: bool,
}

/// Values by key.
#[derive(Default)]
pub(crate) struct Table<'t> {
    fields: SortedMap<Cow<'t, str>, TableField<'t>>,
    origin: Origin,
}

/// A value of a table.
pub(crate) struct TableField<'t> {
    /// The offset of its key's first byte.
    pub key_at: usize,
    pub placed: Placed<'t>,
}

/// How a table came about, which decides what may be added to it.
#[derive(Clone, Copy, PartialEq, Default)]
enum Origin {
    /// It is the document, or has a header of its own.
    #[default]
    Header,
    /// It is on the way to a header, and may get one of its own.
    OnTheWay,
    /// It is on the way of a dotted key.
    Dotted,
    /// It stands in braces.
    Inline,
    /// It is on the way of a dotted key in braces.
    DottedInline,
}

impl<'t> Table<'t> {
    fn with_room(fields: usize, origin: Origin) -> Self {
        Table {
            fields: SortedMap::with_capacity(fields),
            origin,
        }
    }

    /// The fields up to the next header, and that header.
    pub fn before_header(reader: &mut Reader<'t>) -> Result<(Self, Option<Opened<'t>>), Wrong> {
        let mut table = Table::with_room(FIELDS, Origin::Header);
        while let Some(statement) = reader.statement()? {
            match statement.what {
                What::Nothing => {}
                What::Header(header, path, at) => return Ok((table, Some((header, path, at)))),
                What::Field(path, placed) => put(&mut table, path, placed, Origin::Dotted)?,
            }
        }
        Ok((table, None))
    }

    /// The value of a key.
    pub fn get(&self, key: &'t str) -> Option<&Placed<'t>> {
        let field = self.fields.get(&Cow::Borrowed(key))?;
        Some(&field.placed)
    }

    /// The fields, ordered by key.
    pub fn fields(&self) -> &[(Cow<'t, str>, TableField<'t>)] {
        self.fields.entries()
    }
}

impl<'t> Value<'t> {
    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&Table<'t>> {
        match self {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// What it is called in complaints about TOML.
    fn type_name(&self) -> &'static str {
        match self {
            Value::String(_) => "string",
            Value::Integer(..) => "integer",
            Value::Float(_) => "float",
            Value::Boolean(_) => "boolean",
            Value::Date => "datetime",
            Value::Array(_) => "array",
            Value::Table(_) => "table",
        }
    }
}

#[cfg(test)]
mod tests;
