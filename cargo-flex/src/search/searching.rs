//! What the searches of all tests, annotated or plain, have in common.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use flex_core::search::convergence::{ConvergenceEnd, Limits};
use flex_core::tail::Side;
use flex_detect::record::ObservedTest;
use flex_detect::search::{Search, SearchEnd, SearchRule, SearchedRun};
use flex_run::calibrate::{CalibrationError, Gate, RUNS_IF_FIXED, fixed_in_words};
use flex_run::model::{Asks, Comparison, ProcessRecord, RecordedHit, SiteId};

use crate::cargo::{CargoArgs, FoundTest};
use crate::probes::Places;
use crate::session::{Display, Ran, Turn};
use crate::shards::{Source, TestRuns, key_of};

/// What all tests have in common.
pub struct Searching<'a> {
    /// After how long a run hangs, instead of what the test says.
    pub timeout: Option<Duration>,
    /// Whether all runs are made, also of tests in which nothing varies.
    pub full: bool,
    /// Whether all runs are made under one seed.
    pub same_seed: bool,
    /// How the tests were built.
    pub cargo: &'a CargoArgs,
    pub base: &'a str,
    /// The folder of the workspace.
    pub root: &'a Path,
    pub gate: Gate,
    pub display: &'a Display,
    pub places: Places,
    pub saved: Saved,
    /// Who makes the runs.
    pub source: &'a Source,
    /// Whether it is the old version of two that is searched.
    pub is_old: bool,
    /// Whether it is said of tests that only their end is seen.
    pub says_unseen: bool,
}

impl Searching<'_> {
    /// The runs of a test, as far as they are known.
    pub fn runs_of<'t>(
        &'t self,
        test: &'t FoundTest<'_>,
        turn: Turn,
    ) -> Result<TestRuns<'t>, CalibrationError> {
        let key = match self.is_old {
            true => key_of(test).of_old(),
            false => key_of(test),
        };
        let exe = &test.program.program.exe;
        TestRuns::new(self.source, key, exe, turn.alone)
    }

    /// Why nothing is known of a test.
    pub fn nothing_seen(&self) -> CalibrationError {
        match self.gate.is_closed() {
            true => CalibrationError::Interrupted,
            false => CalibrationError::NoTime,
        }
    }

    /// What is to be said of how a search ended.
    pub fn note_of(&self, end: SearchEnd) -> Option<String> {
        let what = match self.gate.is_closed() {
            true => "it was interrupted",
            false => "the time was up",
        };
        let is_cut_short = end == SearchEnd::Rule(ConvergenceEnd::OutOfTime);
        is_cut_short.then(|| format!("{what} before its failure rate was known"))
    }
}

/// What was saved on tests that are shown to be fixed.
#[derive(Default)]
pub struct Saved {
    tests: AtomicUsize,
    runs: AtomicU64,
}

impl Saved {
    /// A test is fixed, whose runs would all have been like this one.
    pub fn add(&self, rule: SearchRule, run: SearchedRun) {
        let all = Search::runs_if_all_are_like(rule, &run);
        let saved = u64::from(all.saturating_sub(RUNS_IF_FIXED));
        self.tests.fetch_add(1, Ordering::Relaxed);
        self.runs.fetch_add(saved, Ordering::Relaxed);
    }

    /// All that was saved, in words.
    pub fn in_words(&self) -> Option<String> {
        let tests = self.tests.load(Ordering::Relaxed);
        fixed_in_words(tests, self.runs.load(Ordering::Relaxed))
    }
}

/// What a run showed at sites whose bounds are written out, for the rule that ends a search.
pub fn declared_values(record: &ProcessRecord, hits: &[RecordedHit]) -> Vec<(SiteId, Limits, f64)> {
    let mut values = Vec::new();
    for hit in hits {
        let site = record.site(hit);
        if let Asks::Declared(bounds) = &site.asks {
            let limits = limits_of(bounds);
            values.push((site.id.clone(), limits, hit.extremes.least));
            values.push((site.id.clone(), limits, hit.extremes.greatest));
        }
    }
    values
}

fn limits_of(bounds: &[Comparison]) -> Limits {
    let on = |side: Side| {
        let mut bounds = bounds.iter().filter(|bound| bound.operator.side() == side);
        bounds.next().map(|bound| bound.bound)
    };
    Limits {
        lower: on(Side::Lower),
        upper: on(Side::Upper),
    }
}

/// What comes of a turn, with what was seen so far where the time was up.
pub type Searched<S> = Result<Ran<ObservedTest, Box<S>>, CalibrationError>;

/// After so many runs that hang a test is searched no further: each costs as long as its limit is.
pub const MOST_HANGS: u32 = 3;

/// What is to be said of a test of which so many runs hang.
pub fn hangs_note() -> String {
    format!("{MOST_HANGS} runs hang, so that no further ones were made")
}
