//! What is asked of values that came in any order, once all of them are there.

use std::fmt;

use super::super::EntryError;
use super::super::error::{Fault, Parsed};
use super::super::field::Field;
use crate::document::Table;
use flex_core::tail::Domain;

/// Points a complaint at the value it is about, or at the table that lacks it.
pub(super) fn locate(error: EntryError, table: &Table<'_>, at: usize) -> Fault {
    let nested = error
        .side
        .and_then(|side| table.get(side.as_str())?.value.as_table());
    let value = nested.unwrap_or(table).get(error.key);
    Fault::in_entry(value.map_or(at, |value| value.at), error)
}

/// Two numbers that values lie between.
pub(super) fn domain(field: &Field<'_>) -> Parsed<Domain> {
    let [lower, upper] = field.numbers()?;
    Domain::new(lower, upper).map_err(|error| field.wrong(error))
}

pub(super) fn required<T>(key: &'static str, value: Option<T>) -> Result<T, EntryError> {
    value.ok_or_else(|| EntryError::new(key, format!("`{key}` is missing")))
}

pub(super) fn absent(
    key: &'static str,
    written: bool,
    why: impl fmt::Display,
) -> Result<(), EntryError> {
    if written {
        Err(EntryError::new(
            key,
            format!("`{key}` is out of place: {why}"),
        ))
    } else {
        Ok(())
    }
}
