//! A test of pytest, as the machines know it.

use flex_bounds::options::Options;
use flex_core::bound::confidence::Confidence;
use flex_run::model::test::TestRecord;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::enforcement::Environment;

/// A test by its node id, with what its marker says.
#[pyclass(frozen)]
#[derive(Debug, Clone)]
pub struct Test {
    pub record: TestRecord,
}

#[pymethods]
impl Test {
    #[new]
    #[pyo3(signature = (environment, name, selection, place, fingerprint, *, confidence=None, runs=None, max_runs=None, effort=None, light=None, ceiling_warns=None, attempts=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        environment: &Environment,
        name: String,
        selection: String,
        place: (String, u32),
        fingerprint: String,
        confidence: Option<f64>,
        runs: Option<u32>,
        max_runs: Option<u32>,
        effort: Option<f64>,
        light: Option<bool>,
        ceiling_warns: Option<bool>,
        attempts: Option<u32>,
    ) -> PyResult<Self> {
        if let Some(confidence) = confidence {
            Confidence::new(confidence).map_err(PyValueError::new_err)?;
        }
        if effort.is_some_and(|effort| !(0.0..=1000.0).contains(&effort)) {
            let words = "the effort is a number from 0 (no reruns) on";
            return Err(PyValueError::new_err(words));
        }
        if runs == Some(0) || max_runs == Some(0) {
            return Err(PyValueError::new_err("at least 1 run is needed"));
        }
        if attempts == Some(0) {
            return Err(PyValueError::new_err("at least 1 attempt is needed"));
        }
        let stated = Options {
            confidence,
            runs,
            max_runs,
            light,
            effort,
            ceiling_warns,
            attempts,
            ..Options::NONE
        };
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
