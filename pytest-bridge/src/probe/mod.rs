//! Probes of pytest: what one run of a test touches that can differ from run to run.
//!
//! Nothing is traced. Functions of C by which variation enters a program, such as clocks, entropy and draws of `random`,
//! call [`entry`] on their way; what has no such function, such as files and sockets, is known from Python's audit
//! events. Which functions these are, and which files are the project's, is said by `pytest_flex.probing`. Outside of
//! the window of a run all of it does nothing.

mod audit;
mod counted;
mod entry;
mod files;
mod frames;
mod objects;
mod rule;
mod watch;
mod watched;
mod window;

use flex_run::model::{Cause, Place, Touch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::text::Text;

pub use entry::{give_instead, hear_audit_events, intercept, intercepted};
pub use files::set_folders;
pub use frames::{locked, set_classify};
pub use objects::living;
pub use watch::{
    come_back, current_run, found, generator_locks, global_lock, is_seeded, leave, noted,
    on_entropy, was_open,
};
pub use watched::{Watch, catch_up, on_imports, on_nothing_seen};
pub use window::{Windowed, set_states};

/// What the runs of a test touched.
#[pyclass]
#[derive(Debug, Clone, Default)]
pub struct Probe {
    pub probe: flex_run::model::Probe,
}

/// A touch: its cause, what was done, whether the seed decides it, how often, and where first.
pub type TouchTuple = (&'static str, String, bool, u64, Option<(String, u32)>);

#[pymethods]
impl Probe {
    /// A probe that has touched nothing.
    #[new]
    fn new() -> Self {
        Probe::default()
    }

    /// Adds what was touched; the same thing done again is counted, and keeps its first place.
    #[pyo3(signature = (cause, what, *, seeded, count=1, place=None))]
    fn add(
        &mut self,
        cause: &str,
        what: Text,
        seeded: bool,
        count: u64,
        place: Option<(Text, u32)>,
    ) -> PyResult<()> {
        self.probe.add(Touch {
            cause: cause_of(cause)?,
            what: what.0,
            seeded,
            count,
            place: place.map(|(file, line)| Place::new(file.0, line)),
        });
        Ok(())
    }

    /// Adds what another run touched.
    pub fn absorb(&mut self, other: &Probe) {
        self.probe.absorb(&other.probe);
    }

    /// Returns what was touched: cause, what was done, whether the seed decides it, how often, and where first.
    pub fn touches(&self) -> Vec<TouchTuple> {
        let touches = self.probe.touches().iter();
        let tuple = |touch: &Touch| {
            let place = touch.place.as_ref();
            let place = place.map(|place| (place.file.clone(), place.line));
            let what = touch.what.clone();
            (touch.cause.as_str(), what, touch.seeded, touch.count, place)
        };
        touches.map(tuple).collect()
    }

    /// `fixed`, `controlled` or `can vary`.
    #[getter]
    fn variability(&self) -> &'static str {
        self.probe.variability().as_str()
    }

    fn __repr__(&self) -> String {
        let touches = self.probe.touches().iter();
        let words: Vec<String> = touches.map(ToString::to_string).collect();
        format!("<Probe {}: {}>", self.variability(), words.join(", "))
    }
}

fn cause_of(name: &str) -> PyResult<Cause> {
    let wrong = || PyValueError::new_err(format!("`{name}` is not a cause"));
    Cause::named(name).ok_or_else(wrong)
}
