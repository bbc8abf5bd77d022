//! Which functions a test executes: those of Python and those that are written in C, on all its threads.
//!
//! CPython 3.12 and newer tell by `sys.monitoring`, and stop telling of a place once it was seen, so that little is
//! paid for what is done often; a function then counts once. Older ones tell every call to a native profile function,
//! and calls are counted. Functions that C calls by itself, without the interpreter, are seen by neither.

mod interpreter;
mod names;
mod native;
mod own;
mod pointers;
mod seen;

use std::sync::{Mutex, MutexGuard};

use flex_detect::trace::{Calls, Function};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use interpreter::Profiler;
use names::Files;
use own::is_own;
pub use own::untraced;
use seen::SeenFunctions;

/// What a test executed, by the numbers that its tracer gave to functions.
#[pyclass(frozen)]
#[derive(Debug)]
pub struct Executed {
    pub calls: Vec<Calls>,
}

#[pymethods]
impl Executed {
    fn __len__(&self) -> usize {
        self.calls.len()
    }
}

/// Sees which functions are executed between `start` and `stop`.
#[pyclass(frozen)]
#[derive(Debug)]
pub struct CallTracer {
    seen: Mutex<SeenFunctions>,
    profiler: Option<Profiler>,
    /// What a callback of `sys.monitoring` returns to hear no more of a place.
    disable: Option<Py<PyAny>>,
}

#[pymethods]
impl CallTracer {
    /// A tracer that names files relative to the nearest of these folders. It is driven by `sys.monitoring`, given what
    /// a callback returns to hear no more of a place, or else by a profile function, given the addresses of
    /// `_PyEval_SetProfile`, `PyInterpreterState_ThreadHead` and `PyThreadState_Next` in the interpreter.
    #[new]
    #[pyo3(signature = (folders, *, disable=None, addresses=None))]
    fn new(
        py: Python<'_>,
        folders: Vec<String>,
        disable: Option<Py<PyAny>>,
        addresses: Option<(usize, usize, usize)>,
    ) -> PyResult<Self> {
        let profiler = match (&disable, addresses) {
            (None, Some(addresses)) => Some(Profiler::new(py, addresses)?),
            (Some(_), None) => None,
            _ => return Err(PyValueError::new_err("either `disable` or `addresses`")),
        };
        Ok(CallTracer {
            seen: Mutex::new(SeenFunctions::new(
                py,
                Files::new(folders),
                profiler.is_some(),
            )?),
            profiler,
            disable,
        })
    }

    /// Begins with a test: from the first call of its code, or at once, to its return, if that can be told.
    #[pyo3(signature = (test=None, returns=true))]
    fn start(slf: &Bound<'_, Self>, test: Option<Bound<'_, PyAny>>, returns: bool) -> PyResult<()> {
        let tracer = slf.get();
        tracer.seen(slf.py()).begin(test, returns);
        match &tracer.profiler {
            Some(profiler) => profiler.start(slf),
            None => Ok(()),
        }
    }

    /// Ends with a test, and returns what it executed.
    fn stop(slf: &Bound<'_, Self>) -> PyResult<Executed> {
        let tracer = slf.get();
        let (calls, forgotten) = tracer.seen(slf.py()).end();
        // What ends with it may run anything, which must find the tracer free.
        drop(forgotten);
        if let Some(profiler) = &tracer.profiler {
            profiler.stop(slf)?;
        }
        Ok(Executed { calls })
    }

    /// A callback of `sys.monitoring`: a function of Python begins.
    fn begun(
        &self,
        py: Python<'_>,
        code: &Bound<'_, PyAny>,
        _offset: &Bound<'_, PyAny>,
    ) -> Option<Py<PyAny>> {
        if is_own() {
            return None;
        }
        let mut seen = self.seen.try_lock().ok()?;
        if seen.is_test(code) {
            seen.enter_test();
            seen.python(code, None);
            return None;
        } else if seen.is_waiting() {
            return None;
        }
        seen.python(code, None);
        self.disable.as_ref().map(|disable| disable.clone_ref(py))
    }

    /// A callback of `sys.monitoring`: a function of Python ends, by itself or by an exception.
    fn ended(
        &self,
        code: &Bound<'_, PyAny>,
        _offset: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
    ) {
        if let Ok(mut seen) = self.seen.try_lock()
            && seen.is_test(code)
        {
            seen.leave_test();
        }
    }

    /// A callback of `sys.monitoring`: something is called, which may be a function that is written in C.
    fn called(
        &self,
        py: Python<'_>,
        code: &Bound<'_, PyAny>,
        offset: u32,
        callable: &Bound<'_, PyAny>,
        first: &Bound<'_, PyAny>,
    ) -> Option<Py<PyAny>> {
        let mut seen = self.seen.try_lock().ok()?;
        if is_own() || seen.is_waiting() {
            return None;
        }
        seen.native_call(callable, Some(first));
        let is_done = seen.site(code, offset);
        is_done.then(|| self.disable.as_ref().map(|disable| disable.clone_ref(py)))?
    }
}

impl CallTracer {
    /// All functions that tests executed, by their numbers.
    pub fn functions(&self, py: Python<'_>) -> Vec<Function> {
        self.seen(py).functions().to_vec()
    }

    /// What was seen, locked. Whoever is told of a call only tries, and then does without: a thread that has the lock
    /// may wait for the interpreter, which whoever is told of a call holds.
    fn seen(&self, py: Python<'_>) -> MutexGuard<'_, SeenFunctions> {
        let locked = self.seen.lock_py_attached(py);
        locked.unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
