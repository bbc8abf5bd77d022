//! A test of pytest, as the machines know it.

use flex_run::model::test::TestRecord;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::enforcement::Environment;
use crate::test_options::read;

/// A test by its node id, with what its marker says.
#[pyclass(frozen)]
#[derive(Debug, Clone)]
pub struct Test {
    pub record: TestRecord,
}

#[pymethods]
impl Test {
    /// A test with the options of its marker, by name; a `ValueError` says what is wrong with one.
    #[new]
    #[pyo3(signature = (environment, name, selection, place, fingerprint, options=None))]
    fn new(
        environment: &Environment,
        name: String,
        selection: String,
        place: (String, u32),
        fingerprint: String,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let stated = options.map(read).transpose()?.unwrap_or_default();
        let config = &environment.project.config;
        Ok(Test {
            record: TestRecord {
                package: String::new(),
                target: None,
                options: stated.or(config.options(None, &name)),
                suite: config.false_alarms,
                name,
                fingerprint,
                selection,
                place: joined(&place),
            },
        })
    }

    /// Its node id.
    #[getter]
    fn name(&self) -> &str {
        &self.record.name
    }

    /// Whether it promises light tails.
    #[getter]
    fn light(&self) -> bool {
        self.record.options.is_light()
    }
}

/// Returns a file and a line as one text.
pub fn joined((file, line): &(String, u32)) -> String {
    format!("{file}:{line}")
}

/// A word for the shell, quoted where it must be.
#[pyfunction]
pub fn quoted(word: &str) -> String {
    flex_core::words::quoted(word)
}
