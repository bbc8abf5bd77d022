//! The watch of one run: what it touched while its window was open, and what modules did that it imported.

use std::sync::Mutex;

use flex_run::model;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use super::Probe;
use super::frames::locked;
use super::watch::{begin_run, collect};
use super::window::{open_window, shut_window};

/// Whom to tell that modules were imported; returns whether one of them may have touched something unseen.
static IMPORTED: Mutex<Option<Py<PyAny>>> = Mutex::new(None);
/// Whom to ask whether a run that seems to touch nothing did so unseen.
static UNSEEN: Mutex<Option<Py<PyAny>>> = Mutex::new(None);
/// How many modules there were at the last look, and which was the newest.
static LOOKED_AT: Mutex<Option<(usize, Py<PyAny>)>> = Mutex::new(None);

/// Sets whom to tell that modules were imported.
#[pyfunction]
pub fn on_imports(tell: Py<PyAny>) {
    *locked(&IMPORTED) = Some(tell);
}

/// Sets whom to ask whether a run that seems to touch nothing did so unseen: who is asked says what was found.
#[pyfunction]
pub fn on_nothing_seen(ask: Py<PyAny>) {
    *locked(&UNSEEN) = Some(ask);
}

/// What one run touches. Only one is current in a process: a new one ends the one before.
#[pyclass]
#[derive(Debug)]
pub struct Watch {
    probe: model::Probe,
    at_import: model::Probe,
    imported: bool,
}

#[pymethods]
impl Watch {
    /// Begins a run, before it is seeded; `seeded` says whether the global generators are.
    ///
    /// What was imported since the last run reports once this one is over, which then counts as having imported it.
    #[new]
    #[pyo3(signature = (*, seeded))]
    pub fn new(seeded: bool) -> Self {
        begin_run(seeded);
        Watch {
            probe: model::Probe::default(),
            at_import: model::Probe::default(),
            imported: false,
        }
    }

    fn __enter__<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        open_window(this.py())?;
        Ok(this)
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyTuple>) -> PyResult<()> {
        shut_window(py)
    }

    /// What the run touched, once it is over.
    pub fn probe(&mut self, py: Python<'_>) -> PyResult<Probe> {
        collect(&mut self.probe, &mut self.at_import);
        self.imported |= catch_up(py)? || !self.at_import.touches().is_empty();
        if self.probe.touches().is_empty() {
            let ask = locked(&UNSEEN).as_ref().map(|ask| ask.clone_ref(py));
            if let Some(ask) = ask {
                ask.call0(py)?;
                collect(&mut self.probe, &mut self.at_import);
            }
        }
        Ok(Probe {
            probe: self.probe.clone(),
        })
    }

    /// What modules touched that the run imported; that is no part of what it touched.
    #[getter]
    pub fn at_import(&self) -> Probe {
        Probe {
            probe: self.at_import.clone(),
        }
    }

    /// Whether they touched something, or could have unseen: then another run tells, which does not import them.
    #[getter]
    pub fn imported(&self) -> bool {
        self.imported
    }
}

impl Watch {
    /// What the run touched so far, while it is under way.
    pub fn so_far(&mut self) -> model::Probe {
        collect(&mut self.probe, &mut self.at_import);
        self.probe.clone()
    }

    /// Adds what belongs to the run, and was touched before it.
    pub fn absorb(&mut self, touched: &model::Probe) {
        self.probe.absorb(touched);
    }
}

/// Lets what was imported since report, too; returns whether there is such.
#[pyfunction]
pub fn catch_up(py: Python<'_>) -> PyResult<bool> {
    static MODULES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let modules = MODULES.get_or_try_init(py, || {
        let modules = py.import("sys")?.getattr("modules")?;
        Ok::<_, PyErr>(modules.cast_into::<PyDict>()?.unbind())
    });
    let modules = modules?.bind(py);
    let newest = modules
        .call_method0(intern!(py, "__reversed__"))?
        .try_iter()?
        .next()
        .transpose()?;
    let (number, newest) = (modules.len(), newest.map(Bound::unbind));
    {
        let mut looked_at = locked(&LOOKED_AT);
        let is_same = looked_at.as_ref().is_some_and(|(known, name)| {
            *known == number && newest.as_ref().is_some_and(|newest| newest.is(name))
        });
        if is_same {
            return Ok(false);
        }
        *looked_at = newest.map(|newest| (number, newest));
    }
    let tell = locked(&IMPORTED).as_ref().map(|tell| tell.clone_ref(py));
    match tell {
        Some(tell) => tell.call0(py)?.extract(py),
        None => Ok(false),
    }
}
