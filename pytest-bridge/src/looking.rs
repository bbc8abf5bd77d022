//! Looks at each test while pytest runs it, and adds what it saw to the trace.
//!
//! What belongs to a test is what pytest calls for it: its set-up, its function and its tear-down. Most tests take a
//! fraction of a millisecond, nearly all of it pytest's, so that everything that is done for each is done here.

use std::mem::{replace, take};
use std::sync::Mutex;

use flex_detect::record::Outcome;
use flex_detect::trace::{Calls, TracedTest};
use flex_run::model::{self, Place, TestId};
use pyo3::intern;
use pyo3::prelude::*;

use crate::calls::Executed;
use crate::probe::{self, Probe, Watch, Windowed};
use crate::text::Text;
use crate::trace::TraceBuilder;

/// Looks at the tests of a session, one after the other.
#[pyclass(frozen)]
pub struct Looking {
    trace: Py<TraceBuilder>,
    /// Whom to ask for a file as records have it.
    relative: Py<PyAny>,
    current: Mutex<Option<Current>>,
    /// The last file that was asked for, and how records have it.
    file: Mutex<Option<(Py<PyAny>, String)>>,
}

/// The test that pytest runs now.
struct Current {
    item: Py<PyAny>,
    /// Its own attribute `runtest`, which is its class's in most.
    own: Option<Py<PyAny>>,
    watch: Py<Watch>,
    outcome: Outcome,
    seconds: f64,
    calls: Vec<Calls>,
}

#[pymethods]
impl Looking {
    #[new]
    fn new(trace: Py<TraceBuilder>, relative: Py<PyAny>) -> Self {
        Looking {
            trace,
            relative,
            current: Mutex::new(None),
            file: Mutex::new(None),
        }
    }

    /// Begins with a test, before anything is done for it. Its function is then called by one that opens a window around
    /// it, which is quicker than a hook and on nobody's stack.
    fn begin(&self, item: Bound<'_, PyAny>) -> PyResult<()> {
        let py = item.py();
        self.end(py)?;
        let watch = Py::new(py, Watch::new(false))?;
        let runtest = intern!(py, "runtest");
        let own = item
            .getattr(intern!(py, "__dict__"))?
            .get_item(runtest)
            .ok();
        let windowed = Windowed::new(item.getattr(runtest)?.unbind());
        item.setattr(runtest, Py::new(py, windowed)?)?;
        *probe::locked(&self.current) = Some(Current {
            item: item.unbind(),
            own: own.map(Bound::unbind),
            watch,
            outcome: Outcome::Pass,
            seconds: 0.0,
            calls: Vec::new(),
        });
        Ok(())
    }

    /// Leaves the test as it was, once nothing is done for it any more.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        let ended = probe::locked(&self.current).take();
        match ended {
            Some(Current {
                item, own: None, ..
            }) => item.bind(py).delattr(intern!(py, "runtest")),
            Some(Current { item, own, .. }) => item.setattr(py, intern!(py, "runtest"), own),
            None => Ok(()),
        }
    }

    /// Takes what the test executed.
    fn executed(&self, executed: &Executed) {
        if let Some(current) = probe::locked(&self.current).as_mut() {
            current.calls.clone_from(&executed.calls);
        }
    }

    /// Takes note of how a phase of a test ended; the last one adds it to the trace. A plugin that runs a test again adds
    /// it again, with what was seen in all its runs.
    fn reported(&self, report: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = report.py();
        let when = report.getattr(intern!(py, "when"))?;
        let outcome = report.getattr(intern!(py, "outcome"))?;
        let is = |word: &Bound<'_, PyAny>, other: &str| word.extract::<&str>().ok() == Some(other);
        {
            let mut current = probe::locked(&self.current);
            let Some(current) = current.as_mut() else {
                return Ok(());
            };
            if is(&when, "call") {
                let duration = report.getattr(intern!(py, "duration"))?;
                current.seconds += duration.extract::<f64>()?;
            }
            if is(&outcome, "failed") {
                current.outcome = Outcome::Fail;
            } else if !is(&outcome, "passed") && current.outcome == Outcome::Pass {
                current.outcome = Outcome::Skip;
            }
        }
        match is(&when, "teardown") {
            true => self.add(py),
            false => Ok(()),
        }
    }
}

impl Looking {
    /// What the present test touched so far.
    pub fn so_far(&self, py: Python<'_>) -> model::Probe {
        let watch = self.watch(py);
        watch.map_or_else(Default::default, |watch| watch.borrow_mut(py).so_far())
    }

    /// Adds what belongs to the present test, and was touched before it.
    pub fn add_touches(&self, py: Python<'_>, touched: &model::Probe) {
        if let Some(watch) = self.watch(py) {
            watch.borrow_mut(py).absorb(touched);
        }
    }

    fn watch(&self, py: Python<'_>) -> Option<Py<Watch>> {
        let current = probe::locked(&self.current);
        current.as_ref().map(|current| current.watch.clone_ref(py))
    }

    /// Adds the test to the trace.
    fn add(&self, py: Python<'_>) -> PyResult<()> {
        let (item, watch, outcome, seconds, calls) = {
            let mut current = probe::locked(&self.current);
            let Some(current) = current.as_mut() else {
                return Ok(());
            };
            (
                current.item.bind(py).clone(),
                current.watch.clone_ref(py),
                replace(&mut current.outcome, Outcome::Pass),
                current.seconds,
                take(&mut current.calls),
            )
        };
        let probe = probe_of(py, &watch)?;
        let file = self.file_of(&item)?;
        let node: Text = item.getattr(intern!(py, "nodeid"))?.extract()?;
        let inside = node.0.find("::").map_or("", |at| &node.0[at..]);
        let location = item.getattr(intern!(py, "location"))?;
        let line: Option<u32> = location.get_item(1)?.extract()?;
        self.trace.borrow_mut(py).insert(TracedTest {
            id: TestId::Pytest {
                node: format!("{file}{inside}"),
            },
            package: None,
            place: Place::new(file, line.unwrap_or(0) + 1),
            outcome,
            seconds,
            probe: probe.map(|probe| probe.probe),
            calls,
        });
        Ok(())
    }

    /// The file of a test as records have it. Tests of one file come after each other, and share the object.
    fn file_of(&self, item: &Bound<'_, PyAny>) -> PyResult<String> {
        let py = item.py();
        let path = item.getattr(intern!(py, "path"))?;
        if let Some((known, file)) = probe::locked(&self.file).as_ref()
            && known.is(&path)
        {
            return Ok(file.clone());
        }
        let file: Text = self.relative.call1(py, (path.str()?,))?.extract(py)?;
        *probe::locked(&self.file) = Some((path.unbind(), file.0.clone()));
        Ok(file.0)
    }
}

/// What a test touched; nothing if that is not known: something was imported that may have done so unseen, or the test was
/// run elsewhere.
fn probe_of(py: Python<'_>, watch: &Py<Watch>) -> PyResult<Option<Probe>> {
    let mut watch = watch.borrow_mut(py);
    let mut probe = watch.probe(py)?;
    probe.absorb(&watch.at_import());
    let is_known = probe::was_open() && !watch.imported();
    Ok((is_known || !probe.probe.touches().is_empty()).then_some(probe))
}
