//! A test of pytest, as the machines know it.

use flex_run::model::{Place, TestId};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::environment::Environment;
use crate::test_options::read;

/// A test by its node id, with what its marker says.
#[pyclass(frozen)]
#[derive(Debug, Clone)]
pub struct Test {
    pub test: flex_run::model::Test,
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
        let id = TestId::pytest(name);
        let (file, line) = place;
        let mut options = stated.or(config.options(&id));
        if let Some(timeout) = environment.settings.timeout {
            options.timeout = Some(timeout.as_secs_f64());
        }
        Ok(Test {
            test: flex_run::model::Test {
                package: None,
                options,
                suite: config.false_alarms,
                id,
                fingerprint,
                selection,
                place: Place::new(file, line),
            },
        })
    }

    /// Its node id.
    #[getter]
    fn name(&self) -> &str {
        self.test.name()
    }

    /// Whether it promises light tails.
    #[getter]
    fn light(&self) -> bool {
        self.test.options.is_light()
    }

    /// The runs that are under way at once, on threads.
    #[getter]
    fn runs_in_parallel(&self) -> u32 {
        self.test.options.runs_in_parallel.unwrap_or(1)
    }

    /// Whether runs are kept until the verdict is there.
    #[getter]
    fn keeps_runs(&self) -> bool {
        self.test.options.keeps_runs()
    }

    /// The seconds after which no further run decides a claim.
    #[getter]
    fn time_limit(&self) -> Option<f64> {
        self.test.options.time_limit
    }
}

/// A word for the shell, quoted where it must be.
#[pyfunction]
pub fn quoted(word: &str) -> String {
    flex_core::words::quoted(word)
}
