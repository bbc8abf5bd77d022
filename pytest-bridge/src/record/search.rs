//! The search for flaky tests, for Python: when a test has been rerun often enough.

use flex_core::search::convergence::{Assurance, StopRule};
use flex_core::search::geweke::Yardstick;
use flex_detect::search::{NotTaken, SearchRule, SearchStep};
use flex_run::calibrate::{MadeRun, RepeatPolicy};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::test::TestRecord;

/// The search for flakiness of one test.
#[pyclass]
#[derive(Debug)]
pub struct Search {
    rule: SearchRule,
    search: flex_detect::search::Search,
}

impl Search {
    /// The rule by which it ends.
    pub fn rule(&self) -> &SearchRule {
        &self.rule
    }
}

#[pymethods]
impl Search {
    /// A search by these numbers; what is `None` has its default.
    #[new]
    #[pyo3(signature = (*, runs=None, step=None, max_runs=None, threshold=None, catch=None, tail=None, geweke=None, fast=false, tight=false, broken_after=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        runs: Option<u32>,
        step: Option<u32>,
        max_runs: Option<u32>,
        threshold: Option<f64>,
        catch: Option<f64>,
        tail: Option<f64>,
        geweke: Option<&str>,
        fast: bool,
        tight: bool,
        broken_after: Option<u32>,
    ) -> PyResult<Self> {
        let usual = StopRule::default();
        let first = runs.unwrap_or(usual.first);
        let assurance = usual.assurance.map(|usual| Assurance {
            catch: catch.unwrap_or(usual.catch),
            tail: tail.or(usual.tail),
        });
        let stop = StopRule {
            first: first.min(max_runs.unwrap_or(first)),
            step: step.unwrap_or(usual.step),
            most: max_runs.unwrap_or(usual.most.max(first)),
            threshold: threshold.unwrap_or(usual.threshold),
            yardstick: match geweke {
                None | Some("standard") => usual.yardstick,
                Some("paper") => Yardstick::PlainVariances,
                Some(word) => {
                    let words = format!("`{word}` is neither `standard` nor `paper`");
                    return Err(PyValueError::new_err(words));
                }
            },
            assurance,
        };
        let rule = SearchRule {
            stop,
            fast,
            broken_after,
            tight,
            most_tight: max_runs.unwrap_or(SearchRule::default().most_tight),
        };
        Ok(Search {
            rule,
            search: flex_detect::search::Search::new(rule),
        })
    }

    /// Takes the last run of a record, and whether it had the seeds of the source; returns what to say if only its outcome
    /// could be taken. A `ValueError` says that it could not be taken at all.
    fn push(&mut self, record: &TestRecord, as_written: bool) -> PyResult<Option<String>> {
        let run = record
            .searched(as_written)
            .ok_or_else(|| PyValueError::new_err("no run has ended yet"))?;
        match self.search.push(run) {
            Ok(()) => Ok(None),
            Err(what @ NotTaken::Values { .. }) => Ok(Some(what.to_string())),
            Err(what @ NotTaken::Repeated(_)) => Err(PyValueError::new_err(what.to_string())),
        }
    }

    /// A run touched nothing that could differ from run to run: no further one can show anything else.
    fn shown_fixed(&mut self) {
        self.search.shown_fixed();
    }

    /// No more runs will come.
    fn out_of_time(&mut self) {
        self.search.out_of_time();
    }

    /// The runs that are wanted next; none if there are enough.
    fn wanted(&mut self) -> Vec<u32> {
        match self.search.step() {
            SearchStep::Collect(runs) => runs,
            SearchStep::Done(_) => Vec::new(),
        }
    }
}

/// Returns the runs of a test to make again under the same seed, from how its runs ended.
#[pyfunction]
pub fn runs_to_repeat(outcomes: Vec<(u32, String)>, seconds_per_run: f64) -> Vec<u32> {
    let ended = outcomes.iter().filter(|(_, outcome)| outcome != "skip");
    let made = ended.map(|(index, outcome)| MadeRun {
        index: *index,
        process: 0,
        failed: outcome == "fail",
    });
    let made: Vec<MadeRun> = made.collect();
    // The first has the seeds that the source states, which say less than others.
    let others = match made.len() {
        0 | 1 => &made[..],
        _ => &made[1..],
    };
    RepeatPolicy::of_search(&made, seconds_per_run).choose(others)
}
