//! What only the interpreter's own functions tell: a profile function for all threads, and what built-in functions are.
//!
//! One of four modules with `unsafe` (ARCHITECTURE.md, "Invariants"). Everything here runs while the
//! interpreter is attached, and reads objects by functions of its stable interface, except for three that set a profile
//! function on every thread. These have had the same signature in CPython 3.10 and 3.11, the only ones where they are
//! used, and their addresses come from `ctypes`, which finds them in the running interpreter.
#![expect(
    unsafe_code,
    reason = "a profile function has the signature of C, and reads what the interpreter hands to it"
)]

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::CallTracer;

/// What a profile function is told of: calls of functions of Python and in C, and their returns.
const CALL: c_int = 0;
const RETURN: c_int = 3;
const C_CALL: c_int = 4;
const C_RETURN: c_int = 6;

type ProfileFunction = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *mut ffi::PyFrameObject,
    c_int,
    *mut ffi::PyObject,
) -> c_int;
type SetProfile = unsafe extern "C" fn(
    *mut ffi::PyThreadState,
    Option<ProfileFunction>,
    *mut ffi::PyObject,
) -> c_int;
type FirstThread = unsafe extern "C" fn(*mut ffi::PyInterpreterState) -> *mut ffi::PyThreadState;
type NextThread = unsafe extern "C" fn(*mut ffi::PyThreadState) -> *mut ffi::PyThreadState;

/// Sets the profile function of all threads.
#[derive(Debug)]
pub struct Profiler {
    set_profile: SetProfile,
    first_thread: FirstThread,
    next_thread: NextThread,
    /// The address of `_thread.start_new_thread`.
    start_new_thread: usize,
    /// Whether that was called and has not returned: most returns are those of other functions.
    is_starting: AtomicBool,
}

impl Profiler {
    /// A profiler that uses the interpreter's functions at these addresses.
    pub fn new(py: Python<'_>, addresses: (usize, usize, usize)) -> PyResult<Self> {
        let (set_profile, first_thread, next_thread) = addresses;
        if set_profile == 0 || first_thread == 0 || next_thread == 0 {
            return Err(PyValueError::new_err(
                "the interpreter has no such function",
            ));
        }
        let start = py.import("_thread")?.getattr("start_new_thread")?;
        // SAFETY: the addresses are those of functions with these signatures, in CPython 3.10 and 3.11.
        unsafe {
            Ok(Profiler {
                set_profile: std::mem::transmute::<usize, SetProfile>(set_profile),
                first_thread: std::mem::transmute::<usize, FirstThread>(first_thread),
                next_thread: std::mem::transmute::<usize, NextThread>(next_thread),
                start_new_thread: builtin(&start).map_or(0, |(address, _)| address),
                is_starting: AtomicBool::new(false),
            })
        }
    }

    /// Lets every thread tell the tracer of its calls.
    pub fn start(&self, tracer: &Bound<'_, CallTracer>) -> PyResult<()> {
        // SAFETY: the interpreter is attached, and the threads are its own.
        self.on_threads(|thread| unsafe { self.set(thread, Some(on_event), tracer.as_ptr()) })
    }

    /// Lets every thread but this one tell the tracer of its calls.
    fn start_others(&self, tracer: &Bound<'_, CallTracer>) -> PyResult<()> {
        // SAFETY: the interpreter is attached, and the threads are its own.
        unsafe {
            let this = ffi::PyThreadState_Get();
            self.on_threads(|thread| match thread == this {
                true => Ok(()),
                false => self.set(thread, Some(on_event), tracer.as_ptr()),
            })
        }
    }

    /// Takes the tracer off this thread, if it is still there. Others take it off when they next call something.
    pub fn stop(&self, tracer: &Bound<'_, CallTracer>) -> PyResult<()> {
        let present = tracer.py().import("sys")?.call_method0("getprofile")?;
        if !present.is(tracer) {
            return Ok(());
        }
        // SAFETY: the interpreter is attached.
        unsafe { self.set(ffi::PyThreadState_Get(), None, std::ptr::null_mut()) }
    }

    /// Does something to every thread. Threads come and go only while the interpreter is attached to whoever starts or
    /// ends them, except for some that are put before the first, which are not reached then.
    fn on_threads(
        &self,
        mut act: impl FnMut(*mut ffi::PyThreadState) -> PyResult<()>,
    ) -> PyResult<()> {
        // SAFETY: the interpreter is attached, so that no thread ends meanwhile.
        unsafe {
            let mut thread = (self.first_thread)(ffi::PyInterpreterState_Get());
            while !thread.is_null() {
                act(thread)?;
                thread = (self.next_thread)(thread);
            }
        }
        Ok(())
    }

    /// Sets the profile function of a thread.
    ///
    /// # Safety
    ///
    /// The interpreter is attached, `thread` is one of its threads, and `object` is an object of it, or null.
    unsafe fn set(
        &self,
        thread: *mut ffi::PyThreadState,
        function: Option<ProfileFunction>,
        object: *mut ffi::PyObject,
    ) -> PyResult<()> {
        // SAFETY: as the caller promises; the function takes a reference of its own to the object.
        match unsafe { (self.set_profile)(thread, function, object) } {
            0 => Ok(()),
            // SAFETY: the interpreter is attached.
            _ => Err(PyErr::fetch(unsafe { Python::assume_attached() })),
        }
    }
}

/// The profile function: the interpreter calls it with the tracer, the frame that calls or is called, what happened,
/// and for functions in C the function.
unsafe extern "C" fn on_event(
    tracer: *mut ffi::PyObject,
    frame: *mut ffi::PyFrameObject,
    what: c_int,
    function: *mut ffi::PyObject,
) -> c_int {
    if !matches!(what, CALL | RETURN | C_CALL | C_RETURN) {
        return 0;
    }
    // SAFETY: the interpreter calls this while it is attached; the objects that it hands over live as long as the call
    // takes, and the first is the one that `Profiler::start` handed to it.
    unsafe {
        let py = Python::assume_attached();
        let tracer = Borrowed::from_ptr(py, tracer).cast_unchecked::<CallTracer>();
        let Some(profiler) = &tracer.get().profiler else {
            return 0;
        };
        // Most returns are told in vain, and there is one for each call.
        if what == C_RETURN && !profiler.is_starting.load(Relaxed) {
            return 0;
        }
        let Ok(mut seen) = tracer.get().seen.try_lock() else {
            return 0;
        };
        if seen.has_ended() {
            drop(seen);
            return ended(profiler.set(ffi::PyThreadState_Get(), None, std::ptr::null_mut()));
        }
        if what == C_RETURN {
            let function = Borrowed::from_ptr(py, function);
            let is_start =
                builtin(&function).is_some_and(|(at, _)| at == profiler.start_new_thread);
            drop(seen);
            if is_start {
                profiler.is_starting.store(false, Relaxed);
                // The new thread is there, and has not run yet, since this one holds the interpreter.
                return ended(profiler.start_others(&tracer));
            }
            return 0;
        }
        if what == C_CALL {
            let at = ffi::PyCFunction_GetFunction(function).map_or(0, |at| at as usize);
            if at == profiler.start_new_thread {
                profiler.is_starting.store(true, Relaxed);
            }
            seen.native_call(&Borrowed::from_ptr(py, function), None);
            return 0;
        }
        let code = Bound::from_owned_ptr(py, ffi::PyFrame_GetCode(frame).cast());
        match what {
            CALL => {
                if seen.is_test(&code) {
                    seen.enter_test();
                }
                seen.python(&code, Some(&Borrowed::from_ptr(py, frame.cast())));
            }
            _ if seen.is_test(&code) => seen.leave_test(),
            _ => {}
        }
    }
    0
}

/// What a profile function returns: tracing never ends a test, so that what goes wrong is nobody's error.
fn ended(_: PyResult<()>) -> c_int {
    0
}

/// The address of a built-in function, and the object that it is bound to.
pub fn builtin<'py>(callable: &Bound<'py, PyAny>) -> Option<(usize, Option<Bound<'py, PyAny>>)> {
    let (py, object) = (callable.py(), callable.as_ptr());
    // SAFETY: the object is checked to be a built-in function, and what it is bound to lives as long as it does.
    unsafe {
        if ffi::PyCFunction_Check(object) == 0 {
            return None;
        }
        let address = ffi::PyCFunction_GetFunction(object)? as usize;
        Some((
            address,
            Bound::from_borrowed_ptr_or_opt(py, ffi::PyCFunction_GetSelf(object)),
        ))
    }
}

/// Whether a type was made while Python ran, and may end before Python does.
pub fn is_made_at_run_time(kind: &Bound<'_, PyType>) -> bool {
    // SAFETY: it is a type.
    unsafe { ffi::PyType_GetFlags(kind.as_type_ptr()) & ffi::Py_TPFLAGS_HEAPTYPE != 0 }
}
