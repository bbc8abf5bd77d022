//! Texts from Python, which may hold what has no encoding: a record says what can be said of them. And words for it.

use std::path::PathBuf;

use flex_core::{signs, words};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A text; parts that are not Unicode are replaced by `�`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(pub String);

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> Result<Self, PyErr> {
        let text = value.cast::<PyString>()?;
        Ok(Text(text.to_string_lossy().into_owned()))
    }
}

impl From<Text> for PathBuf {
    fn from(text: Text) -> Self {
        PathBuf::from(text.0)
    }
}

/// Returns a time that nobody knows exactly, in words.
#[pyfunction]
pub fn about(seconds: f64) -> String {
    words::about(seconds)
}

/// Returns a text with signs that flex writes spelt in ASCII.
#[pyfunction]
pub fn ascii(text: &str) -> String {
    signs::ascii(text)
}
