//! TOML as a tree of values that know their place.
//!
//! `toml_parser` reads the text; what it leaves open is which table a header or a dotted key belongs to, and that nothing
//! is defined twice. The crate `toml` does the same for everybody, with types for serde and for dates; a test that links
//! flex would build it, and three more crates with it.

mod cause;
mod place;
mod tree;
mod written;

use std::borrow::Cow;

use flex_core::sorted::SortedMap;

pub(crate) use cause::cause;
pub(crate) use tree::parse;
pub(crate) use written::Written;

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
