//! A number in a source of Python that could be another one.

use flex_detect::record::{Given, Knob as Number, Span};
use pyo3::prelude::*;

use crate::text::Text;

/// First line and column, last line and the column after it.
pub type SpanTuple = (u32, u32, u32, u32);

/// A number in the source, as it stands there and how it is given.
#[pyclass(frozen)]
#[derive(Debug, Clone, PartialEq)]
pub struct Knob {
    pub number: Number,
}

#[pymethods]
impl Knob {
    /// A number that is written in the assertion.
    #[staticmethod]
    fn literal(text: Text, span: SpanTuple) -> Self {
        let span = span_of(span);
        Knob::new(text, Given::Literal { span })
    }

    /// A name that is bound once, to a literal; `also_in` is a line that uses it for something else.
    #[staticmethod]
    #[pyo3(signature = (text, name, span, also_in=None))]
    fn constant(text: Text, name: Text, span: SpanTuple, also_in: Option<u32>) -> Self {
        let given = Given::Constant {
            name: name.0,
            span: span_of(span),
            also_in,
        };
        Knob::new(text, given)
    }

    /// An argument that is left out, with its default; it could be given behind a place.
    #[staticmethod]
    fn left_out(text: Text, keyword: Text, line: u32, column: u32) -> Self {
        let given = Given::Default {
            keyword: keyword.0,
            line,
            column,
        };
        Knob::new(text, given)
    }
}

impl Knob {
    fn new(text: Text, given: Given) -> Self {
        let number = Number {
            text: text.0,
            given,
        };
        Knob { number }
    }
}

pub fn span_of((line, column, end_line, end_column): SpanTuple) -> Span {
    Span {
        line,
        column,
        end_line,
        end_column,
    }
}
