//! What tests have shown so far, written into the bounds files about once a second: each writing costs as much as the
//! file is long, and what is lost when somebody ends the program is a second's work.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use flex_run::calibrate::{TestCalibration, rescue, save};

use super::gone::Gone;
use super::{Outcome, TestFailure, store_of};
use crate::cargo::FoundTest;

/// The results of tests, in the order in which they came.
pub struct Ledger<'a> {
    pages: Mutex<Pages<'a>>,
    /// Nothing is written before the end: a merge conflict is resolved by all tests together.
    waits: bool,
}

struct Pages<'a> {
    results: Vec<(FoundTest<'a>, Outcome)>,
    /// How many of them are in the bounds files.
    written: usize,
    /// When that was; `None` if nothing is to be written.
    at: Option<Instant>,
    gone: &'a Gone,
}

const PAUSE: Duration = Duration::from_secs(1);

impl<'a> Ledger<'a> {
    /// An empty ledger, whose results are to be written or not, with the entries whose test is gone. If it `waits`,
    /// everything is written at the end.
    pub fn new(write: bool, waits: bool, gone: &'a Gone) -> Self {
        Ledger {
            waits,
            pages: Mutex::new(Pages {
                results: Vec::new(),
                written: 0,
                at: write.then(Instant::now),
                gone,
            }),
        }
    }

    /// Takes a result.
    pub fn push(&self, test: FoundTest<'a>, outcome: Outcome) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.results.push((test, outcome));
        if !self.waits && pages.at.is_some_and(|at| at.elapsed() > PAUSE) {
            pages.write();
        }
    }

    /// All results, all of them written.
    pub fn close(self) -> Vec<(FoundTest<'a>, Outcome)> {
        let mut pages = self
            .pages
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        pages.write();
        pages.results
    }
}

impl Pages<'_> {
    /// Writes what is new, each file once.
    fn write(&mut self) {
        if self.at.is_none() {
            return;
        }
        let mut new: Vec<_> = self.results[self.written..].iter_mut().collect();
        new.sort_by_key(|(test, _)| store_of(test).path().to_owned());
        for of_file in new.chunk_by_mut(|(a, _), (b, _)| store_of(a) == store_of(b)) {
            let store = store_of(&of_file[0].0);
            let mut learned: Vec<&mut TestCalibration> = of_file
                .iter_mut()
                .filter_map(|(_, outcome)| outcome.as_mut().ok())
                .collect();
            let gone = self.gone.get(store.path()).map_or(&[][..], Vec::as_slice);
            let Err(error) = save(&mut learned, &store, gone) else {
                continue;
            };
            for (test, outcome) in of_file {
                if let Ok(calibration) = outcome {
                    let error = rescue(calibration, &test.program.program, &error);
                    *outcome = Err(TestFailure::Store(error));
                }
            }
        }
        self.written = self.results.len();
        self.at = Some(Instant::now());
    }
}
