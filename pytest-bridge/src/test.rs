//! A test of pytest, as the machines know it.

use flex_core::confidence::Confidence;
use flex_harness::bridge::{Options, TestRecord};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A test by its node id, with what its marker says.
#[pyclass(frozen)]
#[derive(Debug, Clone)]
pub struct Test {
    pub record: TestRecord,
}

#[pymethods]
impl Test {
    #[new]
    #[pyo3(signature = (name, selection, fingerprint, *, confidence=None, runs=None, max_runs=None, effort=None, light=false, ceiling_warns=false))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        name: String,
        selection: String,
        fingerprint: String,
        confidence: Option<f64>,
        runs: Option<u32>,
        max_runs: Option<u32>,
        effort: Option<f64>,
        light: bool,
        ceiling_warns: bool,
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
        Ok(Test {
            record: TestRecord {
                package: String::new(),
                target: None,
                name,
                fingerprint,
                selection,
                options: Options {
                    confidence,
                    runs,
                    max_runs,
                    light,
                    effort,
                    ceiling_warns,
                    ..Options::DEFAULT
                },
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
        self.record.options.light
    }
}

/// A word for the shell, quoted where it must be.
#[pyfunction]
pub fn quoted(word: &str) -> String {
    flex_harness::bridge::quoted(word)
}
