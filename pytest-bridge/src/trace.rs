//! The trace of a test session, built from Python: tests with what they touched and executed go in; a file, and bytes
//! for another process, come out.
//!
//! Only this file makes values of [`flex_detect::trace`] in the plugin, and nothing in Python spells its fields.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::mem::take;
use std::path::PathBuf;

use flex_detect::trace::{Function, Trace, TracedFile, TracedTest, VERSION};
use flex_run::model::Runner;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::calls::CallTracer;
use crate::record::file;
use crate::text::Text;

/// The trace of all tests of a session.
#[pyclass]
#[derive(Debug)]
pub struct TraceBuilder {
    root: PathBuf,
    is_full: bool,
    files: BTreeMap<String, TracedFile>,
    functions: Vec<Function>,
    tests: BTreeMap<String, TracedTest>,
}

#[pymethods]
impl TraceBuilder {
    /// A trace without tests; with `is_full`, all calls are traced.
    #[new]
    fn new(root: Text, is_full: bool) -> Self {
        TraceBuilder {
            root: root.into(),
            is_full,
            files: BTreeMap::new(),
            functions: Vec::new(),
            tests: BTreeMap::new(),
        }
    }

    /// Says which functions the tests executed that were added, by the numbers that their tracer gave to them.
    fn name_functions(&mut self, py: Python<'_>, tracer: &CallTracer) {
        self.functions = tracer.functions(py);
    }

    /// Takes note of the sources of the project as they are, given relative to the root; those that cannot be read are
    /// left out.
    fn add_sources(&mut self, files: Vec<Text>) {
        for Text(file) in files {
            if let Ok(contents) = std::fs::read(self.root.join(&file)) {
                let source = TracedFile::new(file.clone(), &contents);
                self.files.insert(file, source);
            }
        }
    }

    /// Writes the trace in the place of a file, in one step, and is empty then.
    fn write(&mut self, file: PathBuf) -> PyResult<()> {
        file::replace(&file, &self.taken().to_json())
            .map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// Returns everything, for another process, and is empty then.
    fn take_bytes(&mut self) -> Cow<'static, [u8]> {
        Cow::Owned(self.taken().to_json().into_bytes())
    }

    /// Takes the tests of another process that are not known yet.
    fn absorb(&mut self, bytes: &[u8]) -> PyResult<()> {
        let text =
            str::from_utf8(bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let trace = Trace::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let numbers = self.numbers_of(trace.functions);
        for mut test in trace.tests {
            for calls in &mut test.calls {
                calls.function = numbers[calls.function];
            }
            self.tests.entry(test.id.name().to_owned()).or_insert(test);
        }
        for source in trace.files {
            self.files.entry(source.file.clone()).or_insert(source);
        }
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.tests.len()
    }
}

impl TraceBuilder {
    /// Adds a test, in the place of what is known of it.
    pub fn insert(&mut self, test: TracedTest) {
        self.tests.insert(test.id.name().to_owned(), test);
    }

    /// The numbers of functions of another process in this trace; those that are not known yet get new ones.
    fn numbers_of(&mut self, functions: Vec<Function>) -> Vec<usize> {
        let known = self.functions.iter().cloned().enumerate();
        let mut known: HashMap<Function, usize> = known.map(|(n, f)| (f, n)).collect();
        let number = |function: Function| {
            *known.entry(function.clone()).or_insert_with(|| {
                self.functions.push(function);
                self.functions.len() - 1
            })
        };
        functions.into_iter().map(number).collect()
    }

    /// The trace, of which nothing is left here.
    fn taken(&mut self) -> Trace {
        Trace {
            version: VERSION,
            runner: Runner::Pytest,
            root: self.root.clone(),
            is_full: self.is_full,
            files: take(&mut self.files).into_values().collect(),
            functions: take(&mut self.functions),
            tests: take(&mut self.tests).into_values().collect(),
        }
    }
}
