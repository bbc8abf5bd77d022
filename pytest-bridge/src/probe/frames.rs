//! Where something was touched, and by whom: a walk from the innermost frame of Python outwards, to where pytest begins.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
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

/// What a walk saw. Some tests, and whoever runs them, are looked at several times in each: what few ask for is not
/// looked up, and no name is made a text twice.
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
    /// Frames of the standard library that it went through, the innermost first.
    through: Vec<Py<PyAny>>,
}

impl Walk {
    /// Walks from the innermost frame of this thread.
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        let mut walk = Walk::default();
        let mut is_inside = true;
        let mut met_package = false;
        let mut next = Some(innermost(py)?);
        let mut is_innermost = true;
        while let Some(frame) = next {
            let code = frame.getattr(intern!(py, "f_code"))?;
            walk.code = walk.code.or(Some(code.as_ptr() as usize));
            let (source, relative) = source_of(&code.getattr(intern!(py, "co_filename"))?)?;
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
                        let line: Option<u32> =
                            frame.getattr(intern!(py, "f_lineno"))?.extract()?;
                        walk.place = Some((relative.unwrap_or_default(), line.unwrap_or(1)));
                    }
                }
                Source::Package => {
                    is_inside = false;
                    met_package = true;
                }
                Source::Import => walk.at_import = true,
                _ if is_inside => {
                    walk.is_logging |= is_innermost && source == Source::Logging;
                    walk.is_tempfile |= source == Source::Tempfile;
                    if source == Source::Asyncio {
                        walk.is_asyncio = true;
                        let name = code.getattr(intern!(py, "co_name"))?;
                        walk.is_self_pipe |= name.extract::<&str>()? == "_make_self_pipe";
                    }
                    if walk.through.len() < 4 {
                        walk.through.push(frame.clone().unbind());
                    }
                }
                _ => {}
            }
            is_innermost = false;
            next = frame.getattr(intern!(py, "f_back"))?.extract()?;
        }
        Ok(walk)
    }

    /// Whether it was not done by way of the standard library.
    pub fn is_direct(&self) -> bool {
        self.through.is_empty()
    }

    /// The functions of the standard library by way of which it was done, with their modules, the innermost first.
    pub fn through(&self, py: Python<'_>) -> Vec<(String, String)> {
        let named = |frame: &Py<PyAny>| -> PyResult<(String, String)> {
            let frame = frame.bind(py);
            let module = frame.getattr("f_globals")?.get_item("__name__")?;
            let function = frame.getattr("f_code")?.getattr("co_name")?;
            Ok((module.extract()?, function.extract()?))
        };
        let unnamed = |_| Default::default();
        let all = self.through.iter();
        all.map(|frame| named(frame).unwrap_or_else(unnamed))
            .collect()
    }
}

/// The frame of Python that calls us.
fn innermost(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static GET_FRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get_frame = GET_FRAME.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("sys")?.getattr("_getframe")?.unbind())
    });
    get_frame?.bind(py).call0()
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
