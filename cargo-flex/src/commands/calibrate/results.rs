//! The results of tests, written into the bounds files about once a second: each writing costs as much as the
//! file is long, and what is lost when somebody ends the program is a second's work.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use flex_run::calibrate::{TestCalibration, keep, rescue, save, scratch_folder};
use flex_run::history::HistoryPlace;
use flex_run::project::env;

use super::outcome::{TestFailure, TestResult};
use super::stale::StaleEntries;
use crate::cargo::FoundTest;
use crate::session::locked;
use crate::terminal;

/// Collects the results of tests, in the order in which they come, and writes them.
pub struct ResultWriter<'a> {
    results: Mutex<Results<'a>>,
    /// Whether nothing is written before the end.
    waits: bool,
    /// Whether anything is written.
    writes: bool,
    /// Whether what runs showed is kept for a report.
    keeps: bool,
    /// Where it is collected over many runs.
    history: Option<HistoryPlace>,
}

struct Results<'a> {
    all: Vec<(FoundTest<'a>, TestResult)>,
    /// How many of them are in the bounds files.
    written: usize,
    /// When that was; `None` if nothing is to be written.
    at: Option<Instant>,
    stale: &'a StaleEntries,
}

const PAUSE: Duration = Duration::from_secs(1);

impl<'a> ResultWriter<'a> {
    /// A writer without results, which are to be written or not, in the place of stale entries too. If it `waits`,
    /// everything is written at the end.
    pub fn new(write: bool, waits: bool, stale: &'a StaleEntries) -> Self {
        ResultWriter {
            waits,
            // The tests themselves have refused what is no answer.
            keeps: env::keep().unwrap_or(true),
            history: env::history().map(HistoryPlace::at),
            writes: write,
            results: Mutex::new(Results {
                all: Vec::new(),
                written: 0,
                at: write.then(Instant::now),
                stale,
            }),
        }
    }

    /// Takes a result.
    pub fn push(&self, test: FoundTest<'a>, outcome: TestResult) {
        if let (true, Ok(calibration)) = (self.writes, &outcome) {
            let folder = self
                .keeps
                .then(|| scratch_folder(&test.program.program.exe));
            if let Some(words) = keep(calibration, folder.as_deref(), self.history.as_ref()) {
                // Whoever cannot be told that has nobody to ask for it.
                let _ = write!(terminal::stderr(), "{words}");
            }
        }
        let mut results = locked(&self.results);
        results.all.push((test, outcome));
        if !self.waits && results.at.is_some_and(|at| at.elapsed() > PAUSE) {
            results.write();
        }
    }

    /// Returns all results, all of them written.
    pub fn finish(self) -> Vec<(FoundTest<'a>, TestResult)> {
        let results = self.results.into_inner();
        let mut results = results.unwrap_or_else(PoisonError::into_inner);
        results.write();
        results.all
    }
}

impl Results<'_> {
    /// Writes what is new, each file once.
    fn write(&mut self) {
        if self.at.is_none() {
            return;
        }
        let store_of = |(test, _): &(FoundTest<'_>, TestResult)| test.program.store();
        let mut new: Vec<_> = self.all[self.written..].iter_mut().collect();
        new.sort_by_key(|result| store_of(result).path().to_owned());
        for of_file in new.chunk_by_mut(|a, b| store_of(a) == store_of(b)) {
            let store = store_of(of_file[0]);
            let mut learned: Vec<&mut TestCalibration> = of_file
                .iter_mut()
                .filter_map(|(_, outcome)| outcome.as_mut().ok())
                .collect();
            let stale = self.stale.of_file(store.path());
            let Err(error) = save(&mut learned, &store, stale) else {
                continue;
            };
            for (test, outcome) in of_file {
                if let Ok(calibration) = outcome {
                    let error = rescue(calibration, &test.program.program, &error);
                    *outcome = Err(TestFailure::Store(error));
                }
            }
        }
        self.written = self.all.len();
        self.at = Some(Instant::now());
    }
}
