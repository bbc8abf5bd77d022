//! Replay before a calibration, for Python: which runs to make, and whether they show what they showed.

use std::path::PathBuf;

use flex_run::calibrate::CalibrationSettings;
use flex_run::store::Store;
use flex_run::wire;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::environment::Environment;
use crate::test::Test;

/// The runs by which to see whether a test does what it did at its last calibration.
#[pyclass(frozen)]
#[derive(Debug)]
pub struct ReplayFirst {
    replay: flex_run::calibrate::ReplayFirst,
}

#[pymethods]
impl ReplayFirst {
    /// The question for a test of a bounds file; `None` if its entries cannot answer it.
    #[staticmethod]
    #[pyo3(signature = (test, environment, bounds_file, runs=None))]
    fn of(
        test: &Test,
        environment: &Environment,
        bounds_file: PathBuf,
        runs: Option<u32>,
    ) -> Option<Self> {
        // A file that cannot be read as it is, such as one with a merge conflict, knows nothing.
        let file = Store::at(bounds_file).read().ok()?;
        let settings = CalibrationSettings {
            runs,
            variant: environment.settings.variant.clone(),
            ..CalibrationSettings::default()
        };
        let replay = flex_run::calibrate::ReplayFirst::of(&file, &test.test.id, &settings)?;
        Some(ReplayFirst { replay })
    }

    /// The base seed of the runs.
    #[getter]
    fn base(&self) -> &str {
        self.replay.base()
    }

    /// The runs to make, in this order.
    #[getter]
    fn runs(&self) -> Vec<u32> {
        self.replay.runs()
    }

    /// Whether some of the runs do, so that the others probably do too.
    fn may_be_answered_by(&self, record: &[u8]) -> PyResult<bool> {
        let record =
            wire::read(record).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(self.replay.may_be_answered_by(&record))
    }

    /// Whether the runs show what they showed, and the test asks for what it asked for.
    fn is_answered_by(&self, record: &[u8]) -> PyResult<bool> {
        let record =
            wire::read(record).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(self.replay.is_answered_by(&record))
    }
}
