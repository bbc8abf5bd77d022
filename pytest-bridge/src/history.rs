//! What was collected of earlier runs, for Python.

use std::path::PathBuf;
use std::sync::Arc;

use flex_report::history::History as Lines;
use flex_run::calibrate::PoolSource;
use flex_run::history::{LINES, files, text};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A history that was read.
#[pyclass(frozen)]
#[derive(Debug)]
pub struct History {
    lines: Arc<Lines>,
}

#[pymethods]
impl History {
    /// Reads a file or a folder.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let gone = |gone: PathBuf| {
            let gone = gone.display();
            PyValueError::new_err(format!(
                "{gone} is not there; FLEX_HISTORY collects values there"
            ))
        };
        let mut lines = Lines::default();
        for file in files(&[path], &LINES).map_err(gone)? {
            let text = text(&file);
            let name = file.display().to_string();
            lines.add(&name, text.as_deref().map_err(String::as_str));
        }
        Ok(History {
            lines: Arc::new(lines.ordered()),
        })
    }

    /// What was left out, and why.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        notes.extend(
            self.lines
                .notes
                .iter()
                .map(|note| format!("warning: {note}")),
        );
        if self.lines.is_empty() {
            notes.push("warning: there are no runs in the history: it changes nothing".to_owned());
        }
        notes
    }
}

impl History {
    /// What a calibration may use.
    pub fn source(&self, variant: Option<String>) -> PoolSource {
        let lines = Arc::clone(&self.lines);
        PoolSource::new(move |test| lines.pooled(test, variant.as_deref()))
    }
}
