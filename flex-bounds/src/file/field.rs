//! One `key = value` of a file, read as what the key asks for.

use std::fmt;
use std::str::FromStr;

use super::error::{Fault, Parsed};
use super::spelling::unknown_key;
use crate::document::{Array, Placed, Table, Value};

/// What to do about a value that is wrong: nothing but what the complaint says.
pub(crate) const NO_ADVICE: &str = "";

/// The fields of a table, and what to do about one that is wrong.
pub(crate) fn fields<'t>(
    table: &'t Table<'t>,
    advice: &'static str,
) -> impl Iterator<Item = Field<'t>> {
    table.fields().iter().map(move |(key, field)| Field {
        advice,
        key,
        key_at: field.key_at,
        at: field.placed.at,
        value: &field.placed.value,
    })
}

/// An element of an array of tables that is known by this key.
pub(crate) fn table_of<'t>(value: &'t Placed<'t>, key: &str) -> Parsed<&'t Table<'t>> {
    value.value.as_table().ok_or_else(|| {
        Fault::new(
            value.at,
            format!("this must be a table that begins with `[[{key}]]`"),
        )
    })
}

/// A key, its value, and where they are.
pub(crate) struct Field<'t> {
    advice: &'static str,
    pub key: &'t str,
    key_at: usize,
    /// The offset of the value's first byte.
    pub at: usize,
    value: &'t Value<'t>,
}

impl<'t> Field<'t> {
    /// A text.
    pub fn text(&self) -> Parsed<&'t str> {
        self.value.as_str().ok_or_else(|| self.mistyped("a string"))
    }

    /// Whether it is this text.
    pub fn is(&self, text: &str) -> bool {
        self.value.as_str() == Some(text)
    }

    /// A text to keep.
    pub fn string(&self) -> Parsed<String> {
        self.text().map(str::to_owned)
    }

    /// A word that stands for a value.
    pub fn word<T: FromStr<Err = String>>(&self) -> Parsed<T> {
        self.text()?.parse().map_err(|error| self.wrong(error))
    }

    /// Yes or no.
    pub fn boolean(&self) -> Parsed<bool> {
        match self.value {
            Value::Boolean(boolean) => Ok(*boolean),
            _ => Err(self.mistyped("`true` or `false`")),
        }
    }

    /// A number, whole or not, finite or not.
    pub fn number(&self) -> Parsed<f64> {
        number(self.value).ok_or_else(|| self.mistyped("a number in the range of floats"))
    }

    /// Exactly `N` numbers.
    pub fn numbers<const N: usize>(&self) -> Parsed<[f64; N]> {
        let Value::Array(Array { values, .. }) = self.value else {
            return Err(self.mistyped(format_args!("an array of {N} numbers")));
        };
        if values.len() != N {
            let found = values.len();
            return Err(self.wrong(format!(
                "`{}` has {found} numbers and must have {N}",
                self.key
            )));
        }
        let mut numbers = [0.0; N];
        for (slot, value) in numbers.iter_mut().zip(values) {
            *slot = number(&value.value).ok_or_else(|| {
                let message = format!("`{}` holds something that is not a number", self.key);
                Fault::new(value.at, message + self.advice)
            })?;
        }
        Ok(numbers)
    }

    /// A number, or several in brackets.
    pub fn one_or_more(&self) -> Parsed<Vec<f64>> {
        match self.value {
            Value::Array(_) => self.list("numbers", number),
            _ => self.number().map(|number| vec![number]),
        }
    }

    /// Numbers, however many.
    pub fn list_of_numbers(&self) -> Parsed<Vec<f64>> {
        self.list("numbers", number)
    }

    /// Whole numbers, however many.
    pub fn list_of_integers<T: TryFrom<i64>>(&self) -> Parsed<Vec<T>> {
        self.list("whole numbers", integer)
    }

    fn list<T>(&self, of: &str, read: impl Fn(&Value<'_>) -> Option<T>) -> Parsed<Vec<T>> {
        let Value::Array(Array { values, .. }) = self.value else {
            return Err(self.mistyped(format_args!("an array of {of}")));
        };
        let mut list = Vec::with_capacity(values.len());
        for value in values {
            list.push(read(&value.value).ok_or_else(|| {
                let message = format!("`{}` must hold {of} and nothing else", self.key);
                Fault::new(value.at, message + self.advice)
            })?);
        }
        Ok(list)
    }

    /// A whole number from 0 up.
    pub fn count(&self) -> Parsed<u32> {
        let most = u32::MAX;
        integer(self.value)
            .ok_or_else(|| self.mistyped(format_args!("a whole number from 0 to {most}")))
    }

    /// A whole number, of any sign.
    pub fn integer(&self) -> Parsed<i32> {
        integer(self.value).ok_or_else(|| self.mistyped("a whole number"))
    }

    /// A table.
    pub fn table(&self) -> Parsed<&'t Table<'t>> {
        self.value
            .as_table()
            .ok_or_else(|| self.mistyped("a table like `{ … }`"))
    }

    /// The tables of an array of tables.
    pub fn tables(&self) -> Parsed<&'t [Placed<'t>]> {
        match self.value {
            Value::Array(array) => Ok(&array.values),
            _ => Err(Fault::new(
                self.at,
                format!(
                    "an entry begins with `[[{}]]`, in double brackets",
                    self.key
                ),
            )),
        }
    }

    /// A value of this field's table, which must be there.
    pub fn part<T>(&self, key: &str, value: Option<T>) -> Parsed<T> {
        value.ok_or_else(|| self.wrong(format!("`{}` has no `{key}`", self.key)))
    }

    /// A complaint about the value.
    pub fn wrong(&self, message: impl fmt::Display) -> Fault {
        Fault::new(self.at, format!("{message}{}", self.advice))
    }

    /// A complaint about the key.
    pub fn unknown(&self, known: &[&str]) -> Fault {
        Fault::new(self.key_at, unknown_key(self.key, known))
    }

    fn mistyped(&self, expected: impl fmt::Display) -> Fault {
        let found = match self.value {
            Value::String(_) => "a string",
            Value::Integer(digits, radix) => &written(digits, *radix),
            Value::Float(digits) => digits,
            Value::Boolean(_) => "`true` or `false`",
            Value::Date => "a date without quotes",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        };
        self.wrong(format!("`{}` is {found} and must be {expected}", self.key))
    }
}

/// The number that a value is. People write `1` for `1.0`, so whole numbers count. Nothing but `inf` is infinite: a
/// literal that is too large for a float is no number.
fn number(value: &Value<'_>) -> Option<f64> {
    let (digits, radix) = match value {
        Value::Float(digits) => (digits, 10),
        Value::Integer(digits, radix) => (digits, *radix),
        _ => return None,
    };
    let number: f64 = match radix {
        10 => digits.parse().ok()?,
        _ => i64::from_str_radix(digits, radix).ok()? as f64,
    };
    (number.is_finite() || digits.ends_with("inf") || digits.ends_with("nan")).then_some(number)
}

/// The whole number that a value is.
fn integer<T: TryFrom<i64>>(value: &Value<'_>) -> Option<T> {
    let Value::Integer(digits, radix) = value else {
        return None;
    };
    let number = i64::from_str_radix(digits, *radix).ok()?;
    T::try_from(number).ok()
}

/// A whole number as TOML has it, with the prefix of its base.
pub(super) fn written(digits: &str, radix: u32) -> String {
    let prefix = match radix {
        2 => "0b",
        8 => "0o",
        16 => "0x",
        _ => "",
    };
    format!("{prefix}{digits}")
}
