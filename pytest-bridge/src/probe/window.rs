//! The window of a run, open while something belongs to the run: around a call, or from one call to another.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::frames::locked;
use super::watch::{resume, suspend};

/// Whom to tell before the window is opened, and after it was shut: there are generators that are known by their state.
static STATES: Mutex<Option<[Py<PyAny>; 2]>> = Mutex::new(None);

/// Sets who is told before the window of a run is opened, and after it was shut.
#[pyfunction]
pub fn set_states(remember: Py<PyAny>, compare: Py<PyAny>) {
    *locked(&STATES) = Some([remember, compare]);
}

/// Opens the window of the run, for this thread.
pub fn open_window(py: Python<'_>) -> PyResult<()> {
    tell(py, 0)?;
    resume();
    Ok(())
}

/// Shuts the window.
pub fn shut_window(py: Python<'_>) -> PyResult<()> {
    suspend();
    tell(py, 1)
}

fn tell(py: Python<'_>, which: usize) -> PyResult<()> {
    let told = locked(&STATES)
        .as_ref()
        .map(|states| states[which].clone_ref(py));
    match told {
        Some(told) => told.call0(py).map(drop),
        None => Ok(()),
    }
}

/// A function during whose calls the window is open. What it raises passes through as it is: no frame is added.
#[pyclass(frozen)]
pub struct Windowed {
    function: Py<PyAny>,
}

#[pymethods]
impl Windowed {
    #[new]
    pub fn new(function: Py<PyAny>) -> Self {
        Windowed { function }
    }

    /// Calls the function.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        open_window(py)?;
        let result = self.function.call(py, args, kwargs);
        let shut = shut_window(py);
        let result = result?;
        shut.map(|()| result)
    }
}
