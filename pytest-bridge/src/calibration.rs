//! Calibration for Python: records of runs go in, entries of the bounds file come out.

use std::path::PathBuf;

use flex_run::calibrate::{
    Calibrating, CalibrationSettings, FixedRun, Look, Next, TestCalibration, guards_in_words, keep,
    pending_store,
};
use flex_run::model::ProcessRecord;
use flex_run::project::env;
use flex_run::store::Store;
use flex_run::wire;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::environment::Environment;
use crate::history::History;

/// The calibration of one test, whose runs were made elsewhere.
#[pyclass]
#[derive(Debug)]
pub struct Calibration {
    machine: Calibrating,
    first: ProcessRecord,
    /// Whether runs of the last calibration showed the same.
    same: bool,
    /// Whether the first run touched nothing that could differ, and was not repeated yet.
    is_to_confirm: bool,
}

/// What a calibration needs next, as a word and the runs that it is about.
#[derive(Debug, IntoPyObject)]
pub enum Needed {
    Runs(&'static str, Vec<u32>),
    Nothing(&'static str, Py<CalibrationOutcome>),
}

#[pymethods]
impl Calibration {
    /// The calibration of a test from what one process recorded.
    #[new]
    #[pyo3(signature = (record, base, *, runs=None, max_runs=None, tight=false, accept=false, check=false, variant=None, plan=None, same=false, history=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        record: &[u8],
        base: String,
        runs: Option<u32>,
        max_runs: Option<u32>,
        tight: bool,
        accept: bool,
        check: bool,
        variant: Option<String>,
        plan: Option<&SuitePlan>,
        same: bool,
        history: Option<&History>,
    ) -> PyResult<Self> {
        let record = parsed(record)?;
        let known = variant.clone();
        let settings = CalibrationSettings {
            pool: history.map(|history| history.source(known)),
            shares: plan.and_then(|plan| plan.plan.shares(&record.test.id)),
            runs,
            max_runs,
            tight,
            base,
            accept,
            check,
            variant,
            alone: true,
            ..CalibrationSettings::default()
        };
        let mut machine = Calibrating::new(&record, &settings).map_err(wrong)?;
        machine.take(&record).map_err(wrong)?;
        Ok(Calibration {
            machine,
            is_to_confirm: FixedRun::of(&record).is_some(),
            first: record,
            same,
        })
    }

    /// Takes what another process recorded of runs that were missing.
    fn take(&mut self, record: &[u8]) -> PyResult<()> {
        self.machine.take(&parsed(record)?).map_err(wrong)
    }

    /// Takes what was recorded of the runs that were wanted again; `None` if they could not be made.
    #[pyo3(signature = (record))]
    fn take_repeated(&mut self, record: Option<&[u8]>) -> PyResult<()> {
        let record = match record {
            Some(record) => parsed(record)?,
            None => self.first.without_runs(),
        };
        self.is_to_confirm = false;
        self.machine.take_repeated(record);
        Ok(())
    }

    /// No more runs will come, except those that are repeated.
    fn out_of_time(&mut self) {
        self.machine.out_of_time();
    }

    /// The guards that the runs so far would teach, and how steady they are, in words.
    fn guards(&self) -> Option<String> {
        guards_in_words(&self.machine.so_far().guards())
    }

    /// What is needed: `("collect", runs)`, `("repeat", runs)` in another process, `("confirm", runs)` in another process
    /// with other hashes, or `("done", outcome)`.
    fn step(&mut self, py: Python<'_>) -> PyResult<Needed> {
        Ok(match self.machine.step().map_err(wrong)? {
            Next::Collect(runs) => Needed::Runs("collect", runs),
            Next::Repeat(runs) if self.is_to_confirm => Needed::Runs("confirm", runs),
            Next::Repeat(runs) => Needed::Runs("repeat", runs),
            Next::Done(mut calibration) => {
                calibration.is_same = self.same;
                let outcome = CalibrationOutcome {
                    calibration: *calibration,
                };
                Needed::Nothing("done", Py::new(py, outcome)?)
            }
        })
    }
}

/// What the sites of all tests may spend of the budget of their suite.
#[pyclass(frozen)]
#[derive(Debug)]
pub struct SuitePlan {
    plan: flex_run::calibrate::SuitePlan,
}

#[pymethods]
impl SuitePlan {
    /// Shares the budget of `flex.toml` out over the tests that were recorded; `None` if there is no budget.
    #[staticmethod]
    fn of(
        records: Vec<Vec<u8>>,
        environment: &Environment,
        bounds_file: PathBuf,
    ) -> PyResult<Option<Self>> {
        let Some(budget) = environment.project.config.false_alarms else {
            return Ok(None);
        };
        let look = |record: &Vec<u8>| {
            parsed(record).map(|record| Look {
                test: record.test,
                sites: record.sites,
            })
        };
        let looks: Vec<Look> = records.iter().map(look).collect::<PyResult<_>>()?;
        let file = Store::at(bounds_file).read_merged().map_err(unsaved)?;
        let variant = environment.settings.variant.as_deref();
        let plan = flex_run::calibrate::SuitePlan::new(budget, &file, variant, &looks, 0)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Some(SuitePlan { plan }))
    }
}

/// What came of a calibration; its text is the summary.
#[pyclass]
#[derive(Debug)]
pub struct CalibrationOutcome {
    calibration: TestCalibration,
}

impl SuitePlan {
    /// What the sites of a test may spend.
    pub fn shares(
        &self,
        test: &flex_run::model::TestId,
    ) -> Option<flex_core::calibration::SuiteShares> {
        self.plan.shares(test)
    }
}

impl CalibrationOutcome {
    /// What came of it.
    pub fn of(calibration: TestCalibration) -> Self {
        CalibrationOutcome { calibration }
    }
}

#[pymethods]
impl CalibrationOutcome {
    fn __str__(&self) -> String {
        self.calibration.to_string()
    }

    /// The summary for those who see weight and colour.
    fn painted(&self) -> String {
        format!("{:#}", self.calibration)
    }

    /// What a word of the summary means that needs it.
    #[getter]
    fn legend(&self) -> Option<&'static str> {
        self.calibration.legend()
    }

    /// The node id.
    #[getter]
    fn name(&self) -> &str {
        self.calibration.test.name()
    }

    /// Runs that it rests on.
    #[getter]
    fn runs(&self) -> u32 {
        self.calibration.runs
    }

    /// Runs that were not made, since nothing in the test can differ.
    #[getter]
    fn saved(&self) -> u32 {
        self.calibration.saved
    }

    /// The number of learned sites.
    #[getter]
    fn sites(&self) -> usize {
        self.calibration.sites.len()
    }

    /// Runs that failed by themselves, with why.
    #[getter]
    fn failures(&self) -> Vec<(u32, String)> {
        self.calibration.failures.clone()
    }

    /// Sites for which nothing could be learned.
    #[getter]
    fn refused(&self) -> Vec<String> {
        let refused = self.calibration.refused();
        refused.map(|site| site.name.clone()).collect()
    }

    /// Sites whose new entry waits for a review.
    #[getter]
    fn pending(&self) -> Vec<String> {
        let pending = self.calibration.pending();
        pending.map(|(site, _)| site.name.clone()).collect()
    }

    /// Whether the bounds file changes.
    #[getter]
    fn changes_file(&self) -> bool {
        self.calibration.changes_file()
    }

    /// What speaks against the entries that the bounds file has, among so many sites that are compared.
    fn contradictions(&self, bounds_file: PathBuf, compared: usize) -> PyResult<Vec<String>> {
        let file = Store::at(bounds_file).read().map_err(unsaved)?;
        Ok(self.calibration.contradictions(&file, compared))
    }
}

/// Writes what was learned into the bounds file, and what somebody must look at beside it; and what runs showed into a
/// folder, if there is one.
#[pyfunction]
#[pyo3(signature = (outcomes, bounds_file, folder))]
pub fn save(
    py: Python<'_>,
    outcomes: Vec<Py<CalibrationOutcome>>,
    bounds_file: PathBuf,
    folder: Option<PathBuf>,
) -> PyResult<Option<String>> {
    let mut borrowed: Vec<PyRefMut<'_, CalibrationOutcome>> = outcomes
        .iter()
        .map(|outcome| outcome.borrow_mut(py))
        .collect();
    let mut calibrations: Vec<&mut TestCalibration> = borrowed
        .iter_mut()
        .map(|outcome| &mut outcome.calibration)
        .collect();
    let history = env::history().map(flex_run::history::HistoryPlace::at);
    let mut words = None;
    for calibration in &calibrations {
        words = words.or(keep(calibration, folder.as_deref(), history.as_ref()));
    }
    flex_run::calibrate::save(&mut calibrations, &Store::at(bounds_file), &[]).map_err(unsaved)?;
    Ok(words)
}

/// Asks whether [`save`] would work, before time is spent on what it is to write.
#[pyfunction]
pub fn check_writable(bounds_file: PathBuf) -> PyResult<()> {
    let store = Store::at(bounds_file);
    store.check_writable().map_err(unsaved)?;
    pending_store(&store).read().map(drop).map_err(unsaved)
}

fn parsed(record: &[u8]) -> PyResult<ProcessRecord> {
    wire::read(record).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn wrong(error: flex_run::calibrate::CalibrationError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn unsaved(error: flex_run::store::StoreError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
