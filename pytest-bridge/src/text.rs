//! Texts from Python, which may hold what has no encoding: a record says what can be said of them.

use std::path::PathBuf;

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
