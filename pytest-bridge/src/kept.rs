//! Runs that are kept on disk until the verdict is there, for Python.

use std::path::PathBuf;

use flex_run::resume::{KeptFor, KeptRuns};
use pyo3::prelude::*;

use crate::recorder::Recorder;
use crate::test::Test;

/// The runs of one test that are kept.
#[pyclass]
#[derive(Debug)]
pub struct Kept {
    test: flex_run::model::Test,
    /// `None` once there is a verdict.
    runs: Option<KeptRuns>,
}

#[pymethods]
impl Kept {
    /// Opens the file of a test in a folder: its runs are used if they are of these sources, and of the stated base seed if
    /// there is one. `None` if nothing can be kept there.
    #[staticmethod]
    #[pyo3(signature = (folder, test, sources, stated, fresh))]
    fn open(
        folder: PathBuf,
        test: &Test,
        sources: &str,
        stated: Option<&str>,
        fresh: &str,
    ) -> Option<Self> {
        let of = KeptFor {
            test: &test.test,
            program: sources,
            stated,
            fresh,
        };
        Some(Kept {
            test: test.test.clone(),
            runs: Some(KeptRuns::open(&folder, of)?),
        })
    }

    /// The base seed of the runs.
    #[getter]
    fn base(&self) -> &str {
        self.runs.as_ref().map_or("", |runs| &runs.base)
    }

    /// What to say of the runs that are there, if there is anything to say.
    #[getter]
    fn words(&self) -> Option<String> {
        self.runs.as_ref()?.words(self.test.name())
    }

    /// Takes what a run showed, in the place of one that is made; whether it was there.
    fn take(&self, run: u64, recorder: &mut Recorder) -> bool {
        let runs = self.runs.as_ref();
        runs.is_some_and(|runs| recorder.gather(|gathered| runs.take(run, gathered)))
    }

    /// Keeps what the last run showed.
    fn keep(&mut self, run: u64, recorder: &Recorder) {
        if let Some(runs) = &mut self.runs {
            runs.keep(&self.test, run, &recorder.sites, &recorder.record);
        }
    }

    /// The verdict is there.
    fn forget(&mut self) {
        if let Some(runs) = self.runs.take() {
            runs.forget();
        }
    }
}
