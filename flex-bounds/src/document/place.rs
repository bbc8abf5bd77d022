//! Which table a key or a header belongs to, or why it is refused (<https://toml.io/en/v1.1.0>, "Keys", "Table" and
//! "Array of Tables").

use std::borrow::Cow;

use toml_parser::{ParseError, Span};

use super::{Array, Origin, Placed, Table, TableField, Value};

/// `a.b.c`: the last key, and those on the way to it.
pub(super) struct Path<'t> {
    pub way: Vec<Key<'t>>,
    pub last: Key<'t>,
}

pub(super) struct Key<'t> {
    pub name: Cow<'t, str>,
    pub span: Span,
}

/// Puts a value into a table, or into one that a dotted key leads to. Tables on its way have this origin.
pub(super) fn put<'t>(
    table: &mut Table<'t>,
    path: Path<'t>,
    placed: Placed<'t>,
    dotted: Origin,
) -> Result<(), ParseError> {
    let table = descend(table, path.way, dotted)?;
    let Key { name, span } = path.last;
    let key_at = span.start();
    let is_new = table.fields.insert_new(name, TableField { key_at, placed });
    is_new.then_some(()).ok_or_else(|| duplicate(span))
}

/// What a header opens.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Header {
    /// `[a.b]`: a new table, or one that was on the way to another header.
    Table,
    /// `[[a.b]]`: one table more.
    Element,
}

/// The table of a header that begins there.
pub(super) fn open<'a, 't>(
    root: &'a mut Table<'t>,
    path: Path<'t>,
    header: Header,
    at: usize,
) -> Result<&'a mut Table<'t>, ParseError> {
    let parent = descend(root, path.way, Origin::OnTheWay)?;
    let Key { name, span } = path.last;
    let key_at = span.start();
    let value = match header {
        Header::Table => Value::Table(Table::of(Origin::OnTheWay)),
        Header::Element => Value::Array(Array::of_headers()),
    };
    let placed = Placed { at, value };
    let field = parent
        .fields
        .get_or_insert(name, TableField { key_at, placed });
    match (&mut field.placed.value, header) {
        (Value::Table(table), Header::Table) if table.origin == Origin::OnTheWay => {
            table.origin = Origin::Header;
            field.key_at = key_at;
            field.placed.at = at;
            Ok(table)
        }
        (Value::Array(array), Header::Element) if array.is_of_headers => {
            let value = Value::Table(Table::default());
            array.values.push(Placed { at, value });
            array.last_table().ok_or_else(|| duplicate(span))
        }
        _ => Err(duplicate(span)),
    }
}

/// The table at the end of the way. Tables that are not there yet are made, with this origin.
fn descend<'a, 't>(
    mut table: &'a mut Table<'t>,
    way: Vec<Key<'t>>,
    origin: Origin,
) -> Result<&'a mut Table<'t>, ParseError> {
    for Key { name, span } in way {
        let field = table
            .fields
            .get_or_insert(name, TableField::of_table(span, origin));
        let type_name = field.placed.value.type_name();
        table = match &mut field.placed.value {
            Value::Table(next) => {
                next.admit(origin, span)?;
                next
            }
            Value::Array(array) if array.is_of_headers && origin == Origin::OnTheWay => {
                array.last_table().ok_or_else(|| duplicate(span))?
            }
            _ => return Err(cannot_extend(type_name, span)),
        };
    }
    Ok(table)
}

impl<'t> Array<'t> {
    fn of_headers() -> Self {
        Array {
            values: Vec::new(),
            is_of_headers: true,
        }
    }

    fn last_table(&mut self) -> Option<&mut Table<'t>> {
        match &mut self.values.last_mut()?.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl<'t> Table<'t> {
    pub(super) fn of(origin: Origin) -> Self {
        Table {
            origin,
            ..Table::default()
        }
    }

    /// Lets a way of this origin lead through the table, if it may.
    fn admit(&mut self, way: Origin, at: Span) -> Result<(), ParseError> {
        match (way, self.origin) {
            (Origin::DottedInline, Origin::DottedInline) => Ok(()),
            (Origin::DottedInline, _) | (Origin::Dotted, Origin::Header) => Err(duplicate(at)),
            (_, Origin::Inline | Origin::DottedInline) => Err(cannot_extend("inline table", at)),
            (Origin::Dotted, _) => {
                self.origin = Origin::Dotted;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl TableField<'_> {
    /// An empty table that is known by the key that leads to it.
    fn of_table(key: Span, origin: Origin) -> Self {
        let at = key.start();
        TableField {
            key_at: at,
            placed: Placed {
                at,
                value: Value::Table(Table::of(origin)),
            },
        }
    }
}

fn duplicate(key: Span) -> ParseError {
    ParseError::new("duplicate key").with_unexpected(key)
}

fn cannot_extend(what: &str, key: Span) -> ParseError {
    let message = format!("cannot extend value of type {what} with a dotted key");
    ParseError::new(message).with_unexpected(key)
}
