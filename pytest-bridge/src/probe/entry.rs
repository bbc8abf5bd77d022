//! Functions of C that report each call before they do what they do, or take another argument than they are given.
//!
//! A function that is written in C is a definition, a `PyMethodDef`, and any number of objects that point to it: `time`
//! in `time.time`, in `from time import time`, bound methods of it. What is replaced is the function in the definition.
//! So every object stays what it is and where it is, and whoever holds one reports: `is`, `isinstance`, pickling and
//! subclasses see no difference.
//!
//! Audit events are heard by a function of C as well: some programs cause hundreds of thousands of them, and a function of
//! Python would be called for each.
//!
//! One of four modules with `unsafe` (ARCHITECTURE.md, "Invariants"): it writes a function into a definition
//! of the interpreter, and is called by the interpreter as C functions are.

#![expect(
    unsafe_code,
    reason = "a function of C can only be replaced in its definition, which safe code cannot reach"
)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::audit::{audited, is_of_environment, may_tell};
use super::cause_of;
use super::counted::{self, ENTRIES};
use super::rule::{Call, Rule};
use super::watch;

/// `METH_METHOD`, which the limited API does not name.
const METHOD: c_int = 0x0200;

/// A function that reports its calls.
struct Entry {
    /// The definition that it is in.
    definition: AtomicPtr<ffi::PyMethodDef>,
    /// What it was before.
    original: AtomicPtr<c_void>,
    /// When a call counts: a [`Rule`].
    rule: AtomicU8,
    /// What is asked for another argument; null if its calls are reported.
    instead: AtomicPtr<ffi::PyObject>,
}

static TABLE: [Entry; ENTRIES] = [const {
    Entry {
        definition: AtomicPtr::new(std::ptr::null_mut()),
        original: AtomicPtr::new(std::ptr::null_mut()),
        rule: AtomicU8::new(0),
        instead: AtomicPtr::new(std::ptr::null_mut()),
    }
}; ENTRIES];

static USED: AtomicUsize = AtomicUsize::new(0);

type Object = *mut ffi::PyObject;

fn reported(number: usize, object: Object, argument: Object, keywords: Object) -> *mut c_void {
    let entry = &TABLE[number];
    let rule = Rule::numbered(entry.rule.load(Ordering::Relaxed));
    // Generators are seeded before the window of a run is open.
    let is_looked_at = || watch::is_awake() && !counted::count(number, object as usize);
    if rule == Rule::Seed || is_looked_at() {
        Python::attach(|py| {
            // SAFETY: whoever calls holds these objects while the call lasts.
            let [object, argument, keywords] = [object, argument, keywords]
                .map(|pointer| unsafe { Bound::from_borrowed_ptr_or_opt(py, pointer) });
            if let Some(object) = object {
                watch::called(
                    number,
                    rule,
                    &Call {
                        object,
                        argument,
                        keywords,
                    },
                    innermost_code,
                );
            }
        });
    }
    entry.original.load(Ordering::Relaxed)
}

/// Makes the functions that stand in for others, by how those are called; each knows its place in the table.
macro_rules! stand_in {
    ($name:ident, ($($argument:ident: $kind:ty),*), $second:expr, $keywords:expr) => {
        unsafe extern "C" fn $name<const N: usize>(object: Object, $($argument: $kind),*) -> Object {
            let original = reported(N, object, $second, $keywords);
            // SAFETY: the definition says that the original has this signature, which was looked at before.
            let original: unsafe extern "C" fn(Object, $($kind),*) -> Object = unsafe { std::mem::transmute(original) };
            // SAFETY: it is called as the interpreter called us.
            unsafe { original(object, $($argument),*) }
        }
    };
}

/// Stands in for a method with one argument, which gets another one.
unsafe extern "C" fn given<const N: usize>(object: Object, argument: Object) -> Object {
    let entry = &TABLE[N];
    let original = entry.original.load(Ordering::Relaxed);
    // SAFETY: the definition says that the original takes one argument, which was looked at before.
    let original: unsafe extern "C" fn(Object, Object) -> Object =
        unsafe { std::mem::transmute(original) };
    Python::attach(|py| {
        // SAFETY: whoever calls holds both objects while the call lasts, and the table holds the third for good.
        let [instead, of, stated] = [entry.instead.load(Ordering::Relaxed), object, argument]
            .map(|pointer| unsafe { Bound::from_borrowed_ptr_or_opt(py, pointer) });
        let other = instead.and_then(|instead| instead.call1((of, stated)).ok());
        let argument = other.as_ref().map_or(argument, Bound::as_ptr);
        // SAFETY: it is called as the interpreter called us.
        unsafe { original(object, argument) }
    })
}

const NONE: Object = std::ptr::null_mut();

stand_in!(one, (argument: Object), argument, NONE);
stand_in!(keywords, (arguments: Object, keywords: Object), arguments, keywords);
stand_in!(fast, (arguments: *mut Object, count: isize), first(arguments, count), NONE);
stand_in!(fast_keywords, (arguments: *mut Object, count: isize, names: Object), first(arguments, count), NONE);
stand_in!(
    method,
    (class: *mut c_void, arguments: *mut Object, count: isize, names: Object),
    first(arguments, count),
    NONE
);

fn first(arguments: *mut Object, count: isize) -> Object {
    match count > 0 {
        // SAFETY: the interpreter gives so many arguments.
        true => unsafe { *arguments },
        false => NONE,
    }
}

macro_rules! all {
    ($name:ident, $kind:ty: $($number:literal)*) => {
        [$($name::<$number> as $kind as *mut c_void),*]
    };
}

macro_rules! numbered {
    ($name:ident, $kind:ty) => {
        all!($name, $kind:
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63)
    };
}

/// Returns what stands in for a function that is called in this way.
fn stand_in(number: usize, flags: c_int) -> Option<*mut c_void> {
    let how = flags & !(ffi::METH_CLASS | ffi::METH_STATIC | ffi::METH_COEXIST);
    let with_keywords = ffi::METH_VARARGS | ffi::METH_KEYWORDS;
    let fast_with_keywords = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;
    let all: [*mut c_void; ENTRIES] = match how {
        ffi::METH_NOARGS | ffi::METH_O | ffi::METH_VARARGS => {
            numbered!(one, unsafe extern "C" fn(Object, Object) -> Object)
        }
        _ if how == with_keywords => numbered!(
            keywords,
            unsafe extern "C" fn(Object, Object, Object) -> Object
        ),
        ffi::METH_FASTCALL => numbered!(
            fast,
            unsafe extern "C" fn(Object, *mut Object, isize) -> Object
        ),
        _ if how == fast_with_keywords => {
            numbered!(
                fast_keywords,
                unsafe extern "C" fn(Object, *mut Object, isize, Object) -> Object
            )
        }
        _ if how == METHOD | fast_with_keywords => {
            numbered!(
                method,
                unsafe extern "C" fn(Object, *mut c_void, *mut Object, isize, Object) -> Object
            )
        }
        _ => return None,
    };
    all.get(number).copied()
}

/// Lets a function that is written in C, or a method of such a type, report its calls from now on, for good.
///
/// `rule` says which calls count. Returns whether it does: it may be called in a way that is not known here.
#[pyfunction]
pub fn intercept(
    function: &Bound<'_, PyAny>,
    cause: &str,
    what: String,
    rule: &str,
) -> PyResult<bool> {
    let (cause, rule) = (cause_of(cause)?, Rule::named(rule)?);
    replace(function, stand_in, |number| {
        TABLE[number].rule.store(rule as u8, Ordering::Relaxed);
        watch::name_entry(number, cause, what);
    })
}

/// Lets a method of a type that is written in C take what `instead` returns, for good: that is called with its object and
/// with its only argument. Where it raises, the method takes what it was given.
///
/// Returns whether it does: it may take its arguments in another way.
#[pyfunction]
pub fn give_instead(method: &Bound<'_, PyAny>, instead: Py<PyAny>) -> PyResult<bool> {
    let all: [*mut c_void; ENTRIES] =
        numbered!(given, unsafe extern "C" fn(Object, Object) -> Object);
    let stand_in = |number: usize, flags| match flags {
        ffi::METH_O => all.get(number).copied(),
        _ => None,
    };
    replace(method, stand_in, |number| {
        TABLE[number]
            .instead
            .store(instead.into_ptr(), Ordering::Relaxed);
    })
}

/// Puts what stands in for a function, by its number and by how it is called, into its definition, once the rest of its
/// entry is written.
fn replace(
    function: &Bound<'_, PyAny>,
    stand_in: impl Fn(usize, c_int) -> Option<*mut c_void>,
    enter: impl FnOnce(usize),
) -> PyResult<bool> {
    let py = function.py();
    let head: usize = py.get_type::<PyAny>().getattr("__basicsize__")?.extract()?;
    let object = function.as_ptr();
    // SAFETY: `object` is a live object; these two answer for any function of C, and raise for anything else.
    let (flags, current) = unsafe {
        if ffi::PyCFunction_Check(object) == 0 {
            return Err(PyValueError::new_err(
                "this is not a function that is written in C",
            ));
        }
        (
            ffi::PyCFunction_GetFlags(object),
            ffi::PyCFunction_GetFunction(object),
        )
    };
    let number = USED.load(Ordering::Relaxed);
    let (Some(current), Some(ours)) = (current, stand_in(number, flags)) else {
        return Ok(false);
    };
    let current = current as *mut c_void;
    // SAFETY: in every CPython, the pointer to the definition comes first after the head of such an object, whose size
    // the type of all objects tells. That it is the definition is seen by what it must hold before anything is written.
    unsafe {
        let definition = *object
            .cast::<u8>()
            .add(head)
            .cast::<*mut ffi::PyMethodDef>();
        if (*definition).ml_flags != flags || (*definition).ml_meth.as_ptr() != current {
            return Ok(false);
        }
        if TABLE
            .iter()
            .any(|entry| entry.definition.load(Ordering::Relaxed) == definition)
        {
            return Ok(true);
        }
        TABLE[number]
            .definition
            .store(definition, Ordering::Relaxed);
        TABLE[number].original.store(current, Ordering::Relaxed);
        enter(number);
        USED.store(number + 1, Ordering::Relaxed);
        std::ptr::addr_of_mut!((*definition).ml_meth)
            .cast::<*mut c_void>()
            .write(ours);
    }
    Ok(true)
}

type Hook = unsafe extern "C" fn(*const c_char, Object, *mut c_void) -> c_int;

// Since CPython 3.8, although no part of the stable interface.
unsafe extern "C" {
    fn PySys_AddAuditHook(hook: Hook, data: *mut c_void) -> c_int;
}

/// Hears all audit events of Python from now on, for good.
#[pyfunction]
pub fn hear_audit_events(py: Python<'_>) -> PyResult<()> {
    // SAFETY: the interpreter is attached; the hook has the signature that is asked for, and needs no data.
    match unsafe { PySys_AddAuditHook(heard, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(py)),
    }
}

/// Takes an audit event; does nothing outside of a run. Never raises, since that would forbid what is announced.
unsafe extern "C" fn heard(event: *const c_char, arguments: Object, _: *mut c_void) -> c_int {
    let name = event.cast::<u8>();
    // SAFETY: a name ends with a zero byte, before which nothing is read; the second byte may be that.
    let (first, second) = unsafe { (*name, if *name == 0 { 0 } else { *name.add(1) }) };
    if !may_tell(first, second) || !watch::is_awake() {
        return 0;
    }
    // SAFETY: as above.
    let event = unsafe { CStr::from_ptr(event) };
    if !is_of_environment(event) {
        // SAFETY: the interpreter is attached, and hands over a tuple that lives as long as the call takes.
        unsafe {
            let py = Python::assume_attached();
            let arguments = Borrowed::from_ptr(py, arguments);
            if let (Ok(event), Ok(arguments)) = (event.to_str(), arguments.cast::<PyTuple>()) {
                audited(event, &arguments);
            }
        }
    }
    0
}

/// The address of the innermost code of Python on this thread.
fn innermost_code(_: Python<'_>) -> Option<usize> {
    // SAFETY: the interpreter is attached, so that there is a state of this thread. Both are new references, of which none
    // is null where it is used; the frame holds its code for as long as it is under way.
    unsafe {
        let frame = ffi::PyThreadState_GetFrame(ffi::PyThreadState_Get());
        if frame.is_null() {
            return None;
        }
        let code = ffi::PyFrame_GetCode(frame);
        ffi::Py_DecRef(frame.cast());
        ffi::Py_DecRef(code.cast());
        Some(code as usize)
    }
}

/// The number of functions that report their calls.
#[pyfunction]
pub fn intercepted() -> usize {
    USED.load(Ordering::Relaxed)
}
