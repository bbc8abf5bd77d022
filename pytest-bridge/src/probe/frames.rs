//! Where something was touched, and by whom: a walk from the innermost frame of Python outwards, to where pytest begins.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::calls::untraced;

/// What kind of source a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The project's own.
    Project,
    Flex,
    /// pytest itself.
    Pytest,
    /// Whatever calls hooks of plugins.
    Pluggy,
    /// Whatever executes a module when it is imported.
    Import,
    Logging,
    Tempfile,
    Asyncio,
    /// Of the standard library, besides these.
    Standard,
    /// Other people's packages.
    Package,
}

/// A file of sources, known by the object that holds its name.
struct Known {
    /// Kept, so that no other object gets its address.
    _name: Py<PyAny>,
    source: Source,
    /// Relative to the project, where it is one of its own.
    relative: Option<String>,
}

static KNOWN: Mutex<Option<HashMap<usize, Known>>> = Mutex::new(None);
static CLASSIFY: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// Sets whom to ask what kind of source a file is: from its name, a word and the file relative to the project.
#[pyfunction]
pub fn set_classify(classify: Py<PyAny>) {
    *locked(&CLASSIFY) = Some(classify);
    *locked(&KNOWN) = None;
}

/// What a walk saw.
#[derive(Debug, Default)]
pub struct Walk {
    /// The nearest line of the project.
    pub place: Option<(String, u32)>,
    /// The address of the innermost code.
    pub code: Option<usize>,
    /// Whether pytest or a hook of a plugin did it, and nothing that the test calls.
    pub is_pytest: bool,
    /// Whether flex itself did it.
    pub is_flex: bool,
    /// Whether a module was being imported.
    pub at_import: bool,
    /// Whether the innermost frame is that of `logging`, which stamps every message with the time.
    pub is_logging: bool,
    /// Whether a name for a temporary file was being made.
    pub is_tempfile: bool,
    /// Whether an event loop did it.
    pub is_asyncio: bool,
    /// Whether an event loop was making the sockets by which it wakes itself up.
    pub is_self_pipe: bool,
    /// The functions of the standard library that it went through, with their module, the innermost first.
    pub through: Vec<(String, String)>,
}

impl Walk {
    /// Walks from the innermost frame of this thread.
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        let mut walk = Walk::default();
        let mut is_inside = true;
        let mut met_package = false;
        let mut next = Some(py.import("sys")?.call_method0("_getframe")?);
        let mut is_innermost = true;
        while let Some(frame) = next {
            let code = frame.getattr("f_code")?;
            walk.code = walk.code.or(Some(code.as_ptr() as usize));
            let (source, relative) = source_of(&code.getattr("co_filename")?)?;
            match source {
                // What is replaced in libraries, so that seeds follow the run, stands between the test and the library.
                Source::Flex if is_inside => walk.is_flex |= is_innermost,
                Source::Flex | Source::Pytest | Source::Pluggy => {
                    let is_hook = source == Source::Pluggy || !met_package;
                    walk.is_pytest = is_hook && walk.place.is_none();
                    break;
                }
                Source::Project => {
                    is_inside = false;
                    if walk.place.is_none() {
                        let line: Option<u32> = frame.getattr("f_lineno")?.extract()?;
                        walk.place = Some((relative.unwrap_or_default(), line.unwrap_or(1)));
                    }
                }
                Source::Package => {
                    is_inside = false;
                    met_package = true;
                }
                Source::Import => walk.at_import = true,
                _ if is_inside => {
                    let name: String = code.getattr("co_name")?.extract()?;
                    walk.is_logging |= is_innermost && source == Source::Logging;
                    walk.is_tempfile |= source == Source::Tempfile;
                    walk.is_asyncio |= source == Source::Asyncio;
                    walk.is_self_pipe |= source == Source::Asyncio && name == "_make_self_pipe";
                    if walk.through.len() < 4 {
                        let globals = frame.getattr("f_globals")?;
                        let module = globals.get_item("__name__").and_then(|name| name.extract());
                        walk.through.push((module.unwrap_or_default(), name));
                    }
                }
                _ => {}
            }
            is_innermost = false;
            next = frame.getattr("f_back")?.extract()?;
        }
        Ok(walk)
    }
}

fn source_of(name: &Bound<'_, PyAny>) -> PyResult<(Source, Option<String>)> {
    let address = name.as_ptr() as usize;
    if let Some(known) = locked(&KNOWN).get_or_insert_default().get(&address) {
        return Ok((known.source, known.relative.clone()));
    }
    let py = name.py();
    let classify = locked(&CLASSIFY)
        .as_ref()
        .map(|classify| classify.clone_ref(py));
    let Some(classify) = classify else {
        return Ok((Source::Package, None));
    };
    let (word, relative): (Bound<'_, PyString>, Option<String>) =
        untraced(|| classify.bind(py).call1((name,)))?.extract()?;
    let source = match word.to_str()? {
        "project" => Source::Project,
        "flex" => Source::Flex,
        "pytest" => Source::Pytest,
        "pluggy" => Source::Pluggy,
        "import" => Source::Import,
        "logging" => Source::Logging,
        "tempfile" => Source::Tempfile,
        "asyncio" => Source::Asyncio,
        "standard" => Source::Standard,
        "package" => Source::Package,
        other => {
            return Err(PyValueError::new_err(format!(
                "`{other}` is no kind of source"
            )));
        }
    };
    let known = Known {
        _name: name.clone().unbind(),
        source,
        relative: relative.clone(),
    };
    locked(&KNOWN)
        .get_or_insert_default()
        .insert(address, known);
    Ok((source, relative))
}

/// Locks what a panic cannot leave half done.
pub fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
