//! Runs that hang, for Python: noticed without the interpreter, which a run may hold that hangs.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flex_run::watch::hang::{replay_line, rounded};
use flex_run::watch::{Hang, RunLimit, RunWatch, end_children, follow_parent};
use pyo3::prelude::*;

use crate::seeds::phase_of;
use crate::test::Test;

/// The limits of the runs of one test. One that hangs is told of, and the process is aborted: `faulthandler` then says
/// where each thread is.
#[pyclass]
#[derive(Debug)]
pub struct Limits {
    watch: RunWatch,
    began: Option<Instant>,
}

#[pymethods]
impl Limits {
    /// Watches the runs of a test; words go to these files, which may be `/dev/fd/2`. Without any, the limits are kept by
    /// whoever asks for them. Runs of other processes took so many seconds. A run that hangs may be a verdict that
    /// programs asked for.
    #[new]
    #[pyo3(signature = (test, told, pace=None, as_json=false))]
    fn new(test: &Test, told: Vec<PathBuf>, pace: Option<f64>, as_json: bool) -> Self {
        let stated = test.test.options.timeout;
        let stated =
            stated.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        let pace = pace.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let limit = RunLimit::new(stated, pace);
        if told.is_empty() {
            return Limits {
                watch: RunWatch::by_others(limit),
                began: None,
            };
        }
        let test = test.test.clone();
        let end = move |hang: &Hang, _| {
            let words = hang.report(&test) + &json(hang, &test, as_json);
            for path in &told {
                let file = File::options().create(true).append(true).open(path);
                let told = file.and_then(|mut file| file.write_all(words.as_bytes()));
                if told.is_err() {
                    // Where nobody can be told, the process ends without a word.
                    let _ = std::io::stderr().write_all(words.as_bytes());
                }
            }
            end_children();
            std::process::abort();
        };
        Limits {
            watch: RunWatch::new(limit, None, Box::new(end)),
            began: None,
        }
    }

    /// A run begins on this thread.
    fn begin(&mut self, base: &str, phase: &str, run: u64) -> PyResult<()> {
        let base: Arc<str> = base.into();
        self.began = Some(self.watch.begin(&base, phase_of(phase)?, run));
        Ok(())
    }

    /// The run has ended.
    fn end(&mut self) {
        if let Some(began) = self.began.take() {
            self.watch.end(began);
        }
    }

    /// The seconds that the next run may take.
    #[getter]
    fn limit(&self) -> Option<f64> {
        self.watch.limit().as_ref().map(Duration::as_secs_f64)
    }
}

/// What to say of a run that hung for so many seconds in a process of its own, which may be a verdict that programs asked
/// for.
#[pyfunction]
#[pyo3(signature = (test, base, phase, run, seconds, as_json=false))]
pub fn hung(
    test: &Test,
    base: &str,
    phase: &str,
    run: u64,
    seconds: f64,
    as_json: bool,
) -> PyResult<String> {
    let hang = Hang {
        base: base.to_owned(),
        phase: phase_of(phase)?,
        run,
        after: rounded(Duration::try_from_secs_f64(seconds).unwrap_or_default()),
        thread: None,
    };
    let replay = replay_line(test.test.commands(), &hang.seed(), hang.after);
    let json = json(&hang, &test.test, as_json);
    Ok(format!("{}\n{replay}\n{json}", hang.words())
        .trim_end()
        .to_owned())
}

fn json(hang: &Hang, test: &flex_run::model::Test, is_wanted: bool) -> String {
    match is_wanted {
        true => hang.json(test),
        false => String::new(),
    }
}

/// Ends this process, and what it started, when the one that started it is gone.
#[pyfunction(name = "follow_parent")]
pub fn follow(parent: u32) {
    follow_parent(parent);
}
