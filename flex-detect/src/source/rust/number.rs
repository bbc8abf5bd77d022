//! A number in a Rust source, and how another is written in its place.

use std::ops::Range;

use crate::source::Edit;
use crate::source::literal::{WholeNumber, restyle};

/// Where a number stands in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberInRust {
    pub(super) range: Range<usize>,
    pub(super) given: GivenNumber,
    /// The name of the constant, if the number is one's.
    pub constant: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GivenNumber {
    Literal(String),
    /// An option that is left out, and after which style its number is written.
    LeftOut {
        key: &'static str,
        style: &'static str,
    },
}

impl NumberInRust {
    /// The bytes that hold the number; empty where it is left out.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The edit that writes another number, and the number as it is written.
    pub fn write(&self, value: f64) -> Option<(Edit, String)> {
        match &self.given {
            GivenNumber::Literal(literal) => {
                let number = restyle(literal, value, WholeNumber::Stays)?;
                Some((Edit::replace(self.range.clone(), number.clone()), number))
            }
            GivenNumber::LeftOut { key, style } => {
                let number = restyle(style, value, WholeNumber::Stays)?;
                let text = format!(", {key} = {number}");
                Some((Edit::insert(self.range.start, text), number))
            }
        }
    }
}
