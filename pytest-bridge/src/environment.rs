//! The environment of a session: variables and `flex.toml`.

use std::path::PathBuf;
use std::time::Duration;

use flex_core::seed::SeedRequest;
use flex_run::model::TestId;
use flex_run::project::config::Project;
use flex_run::project::env::{Mode, Settings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What the variables `FLEX_…` say, and `flex.toml`.
#[pyclass(frozen)]
#[derive(Debug, Clone)]
pub struct Environment {
    pub settings: Settings,
    pub project: Project,
}

#[pymethods]
impl Environment {
    /// Reads them, for the tests of a folder; what cannot be understood is a `ValueError`. Seconds after which a run
    /// hangs count before what a variable says.
    #[new]
    #[pyo3(signature = (folder, timeout=None))]
    fn new(folder: PathBuf, timeout: Option<f64>) -> PyResult<Self> {
        let mut settings = Settings::read().map_err(PyValueError::new_err)?;
        let project = Project::of_folder(&folder).map_err(PyValueError::new_err)?;
        if let Some(seconds) = timeout {
            settings.timeout = Duration::try_from_secs_f64(seconds).ok();
        }
        if settings.variant.is_none() {
            settings.variant = project.variant().map(str::to_owned);
        }
        Ok(Environment { settings, project })
    }

    #[getter]
    fn mode(&self) -> &'static str {
        match self.settings.mode {
            Mode::Enforce => "enforce",
            Mode::Calibrate => "calibrate",
            Mode::Record => "record",
            Mode::Off => "off",
        }
    }

    #[getter]
    fn seed(&self) -> Option<String> {
        self.settings.seed.as_ref().map(SeedRequest::to_string)
    }

    #[getter]
    fn runs(&self) -> Option<u32> {
        self.settings.runs
    }

    #[getter]
    fn variant(&self) -> Option<&str> {
        self.settings.variant.as_deref()
    }

    #[getter]
    fn log(&self) -> bool {
        self.settings.log
    }

    #[getter]
    fn log_json(&self) -> bool {
        self.settings.log_json
    }

    #[getter]
    fn keep(&self) -> bool {
        self.settings.keep
    }

    /// Whether failures of a test do not count today, and what to say of one; `None` if it is in no quarantine.
    fn quarantine(&self, name: String) -> Option<(bool, String)> {
        let quarantine = self.project.quarantine(&TestId::pytest(name))?;
        Some((quarantine.holds, quarantine.words))
    }

    /// The functions of `[[seed]]`, each with the parameter that is the seed, if that is stated.
    #[getter]
    fn seeds(&self) -> Vec<(&str, Option<&str>)> {
        let rules = self.project.config.seeds.iter();
        rules
            .map(|rule| (&*rule.function, rule.parameter.as_deref()))
            .collect()
    }

    /// The functions of `[[assertion]]`: name, the parameters for value and expected value, kind and parameter of the
    /// bound.
    #[getter]
    fn assertions(&self) -> Vec<(&str, &str, Option<&str>, &'static str, &str)> {
        let rules = self.project.config.assertions.iter();
        rules
            .map(|rule| {
                let expected = rule.expected.as_deref();
                let kind = rule.kind.as_str();
                (&*rule.function, &*rule.actual, expected, kind, &*rule.bound)
            })
            .collect()
    }
}
