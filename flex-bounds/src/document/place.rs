//! Which table a key or a header belongs to, or why it is refused (<https://toml.io/en/v1.1.0>, "Keys", "Table" and
//! "Array of Tables").

use std::borrow::Cow;

use super::{Array, Origin, Placed, Table, TableField, Value, Wrong};

/// `a.b.c`: the last key, and those on the way to it.
pub(crate) struct Path<'t> {
    pub way: Vec<TomlKey<'t>>,
    pub last: TomlKey<'t>,
}

impl<'t> Path<'t> {
    /// Whether it is this one key.
    pub fn is(&self, key: &str) -> bool {
        self.way.is_empty() && self.last.name == key
    }

    /// One of its keys, counted from 0; the last one, if there are not so many.
    pub fn key(mut self, index: usize) -> Cow<'t, str> {
        match index < self.way.len() {
            true => self.way.swap_remove(index).name,
            false => self.last.name,
        }
    }
}

pub(crate) struct TomlKey<'t> {
    pub name: Cow<'t, str>,
    /// The offset of its first byte.
    pub at: usize,
}

/// Puts a value into a table, or into one that a dotted key leads to. Tables on its way have this origin.
pub(super) fn put<'t>(
    table: &mut Table<'t>,
    path: Path<'t>,
    placed: Placed<'t>,
    dotted: Origin,
) -> Result<(), Wrong> {
    let table = descend(table, path.way, dotted)?;
    let TomlKey { name, at: key_at } = path.last;
    match table.fields.insert_new(name, TableField { key_at, placed }) {
        true => Ok(()),
        false => Err(duplicate(key_at)),
    }
}

/// What a header opens.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Header {
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
) -> Result<&'a mut Table<'t>, Wrong> {
    let parent = descend(root, path.way, Origin::OnTheWay)?;
    let TomlKey { name, at: key_at } = path.last;
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
            array.last_table().ok_or_else(|| duplicate(key_at))
        }
        _ => Err(duplicate(key_at)),
    }
}

/// The table at the end of the way. Tables that are not there yet are made, with this origin.
fn descend<'a, 't>(
    mut table: &'a mut Table<'t>,
    way: Vec<TomlKey<'t>>,
    origin: Origin,
) -> Result<&'a mut Table<'t>, Wrong> {
    for TomlKey { name, at: key_at } in way {
        let field = table
            .fields
            .get_or_insert(name, TableField::of_table(key_at, origin));
        let type_name = field.placed.value.type_name();
        table = match &mut field.placed.value {
            Value::Table(next) => {
                next.admit(origin, key_at)?;
                next
            }
            Value::Array(array) if array.is_of_headers && origin == Origin::OnTheWay => {
                array.last_table().ok_or_else(|| duplicate(key_at))?
            }
            _ => return Err(cannot_extend(type_name, key_at)),
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
    fn admit(&mut self, way: Origin, at: usize) -> Result<(), Wrong> {
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
    fn of_table(at: usize, origin: Origin) -> Self {
        TableField {
            key_at: at,
            placed: Placed {
                at,
                value: Value::Table(Table::of(origin)),
            },
        }
    }
}

fn duplicate(key_at: usize) -> Wrong {
    Wrong::new(key_at, "duplicate key")
}

fn cannot_extend(what: &str, key_at: usize) -> Wrong {
    let message = format!("cannot extend value of type {what} with a dotted key");
    Wrong::new(key_at, message)
}
