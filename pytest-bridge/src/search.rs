//! The search for flaky tests, for Python: when a test has been rerun often enough, and the record of what was seen.

use flex_core::search::convergence::{Assurance, Limits, StopRule};
use flex_core::search::geweke::Yardstick;
use flex_detect::record::{Outcome, Record};
use flex_detect::report;
use flex_detect::search::{SearchRule, SearchStep, SearchedRun};
use flex_detect::verdict::{JudgeRule, judge};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A hit of an assertion: its identity, the limits that hold for it, and the value.
type Hit = (String, Option<f64>, Option<f64>, f64);

/// The search for flakiness of one test.
#[pyclass]
#[derive(Debug)]
pub struct Search {
    search: flex_detect::search::Search,
}

#[pymethods]
impl Search {
    /// A search by these numbers; what is `None` has its default.
    #[new]
    #[pyo3(signature = (*, runs=None, step=None, max_runs=None, threshold=None, catch=None, tail=None, paper=false, fast=false, tight=false))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        runs: Option<u32>,
        step: Option<u32>,
        max_runs: Option<u32>,
        threshold: Option<f64>,
        catch: Option<f64>,
        tail: Option<f64>,
        paper: bool,
        fast: bool,
        tight: bool,
    ) -> Self {
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
            yardstick: match paper {
                true => Yardstick::PlainVariances,
                false => usual.yardstick,
            },
            assurance,
        };
        let rule = SearchRule {
            stop,
            fast,
            tight,
            most_tight: max_runs.unwrap_or(SearchRule::default().most_tight),
        };
        Search {
            search: flex_detect::search::Search::new(rule),
        }
    }

    /// Takes what a run showed: whether it had the seeds of the source, `pass`, `fail` or `skip`, and what its assertions
    /// compared. A `ValueError` says what was not taken; the search can go on.
    fn push(
        &mut self,
        index: u32,
        as_written: bool,
        outcome: &str,
        hits: Vec<Hit>,
    ) -> PyResult<()> {
        let hit = |(id, lower, upper, value)| (id, Limits { lower, upper }, value);
        let run = SearchedRun {
            index,
            as_written,
            outcome: outcome_of(outcome)?,
            hits: hits.into_iter().map(hit).collect(),
        };
        self.search.push(run).map_err(PyValueError::new_err)
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

/// Checks the record of a search, and returns it as it is written into a file.
#[pyfunction]
pub fn checked_record(text: &str) -> PyResult<String> {
    Ok(parsed(text)?.to_json())
}

/// Judges the record of a search: the report for people, and whether there is something to find.
#[pyfunction]
#[pyo3(signature = (text, probability=None))]
pub fn judged_record(text: &str, probability: Option<f64>) -> PyResult<(String, bool)> {
    let findings = judge(&parsed(text)?, &JudgeRule { probability });
    Ok((report::text(&findings, false), findings.has_findings()))
}

fn parsed(text: &str) -> PyResult<Record> {
    Record::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn outcome_of(word: &str) -> PyResult<Outcome> {
    match word {
        "pass" => Ok(Outcome::Pass),
        "fail" => Ok(Outcome::Fail),
        "skip" => Ok(Outcome::Skip),
        _ => Err(PyValueError::new_err(format!("`{word}` is not an outcome"))),
    }
}
