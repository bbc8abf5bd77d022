//! Which runs count, which of them reached an assertion, and which failed it.

use std::collections::{BTreeMap, BTreeSet};

use flex_core::sample::Samples;

use super::finding::AsWritten;
use crate::record::{ObservedRun, ObservedSite, ObservedTest, Outcome, Role, Series};

/// The runs of a test that were not skipped.
pub(super) struct Counted<'a> {
    /// The runs under varied seeds, by index. If no other run was made, the one as written is all there is.
    pub varied: BTreeMap<u32, &'a ObservedRun>,
    /// The run under the seeds that the source states.
    pub as_written: Option<&'a ObservedRun>,
}

/// The runs that reached an assertion, or the end of a test.
pub(super) struct Reached {
    /// Varied runs.
    pub runs: BTreeSet<u32>,
    /// Those of them that failed, for this reason.
    pub failed: Vec<u32>,
    /// The run as written.
    pub as_written: Option<AsWritten>,
    /// Runs that failed the assertion and passed nonetheless.
    pub caught: Vec<u32>,
}

impl<'a> Counted<'a> {
    pub fn new(test: &'a ObservedTest) -> Self {
        let ran = test.runs.iter().filter(|run| run.outcome != Outcome::Skip);
        let mut varied: BTreeMap<u32, &ObservedRun> = ran.map(|run| (run.index, run)).collect();
        let as_written = (test.first_as_written && varied.len() > 1)
            .then(|| varied.remove(&0))
            .flatten();
        Counted { varied, as_written }
    }

    /// Every run, the one as written included.
    pub fn all(&self) -> impl Iterator<Item = &'a ObservedRun> {
        self.as_written
            .into_iter()
            .chain(self.varied.values().copied())
    }

    /// Whether any run passed.
    pub fn any_passed(&self) -> bool {
        self.all().any(|run| run.outcome == Outcome::Pass)
    }

    /// The runs that reached a site of the test.
    pub fn reached(&self, index: usize, site: &ObservedSite) -> Reached {
        let values = site.series.iter().flat_map(|series| &series.values);
        let hit: BTreeSet<u32> = values
            .map(|(run, _)| *run)
            .chain(site.failed.iter().copied())
            .collect();
        let reaches = |run: &ObservedRun| {
            // Of a condition it is only known which runs it failed; those that passed have passed it.
            let passed_it = site.is_condition() && run.outcome == Outcome::Pass;
            passed_it || hit.contains(&run.index) || (fails(run) && run.failed_site == Some(index))
        };
        let failed = |run: &ObservedRun| fails_at(run, index, site);
        let varied = || self.varied.values().filter(|run| reaches(run));
        let first = site.series.first();
        Reached {
            runs: varied().map(|run| run.index).collect(),
            failed: varied()
                .filter(|run| failed(run))
                .map(|run| run.index)
                .collect(),
            as_written: self
                .as_written
                .filter(|run| reaches(run))
                .map(|run| AsWritten {
                    failed: failed(run),
                    value: first.and_then(|series| value_of(series, run.index)),
                }),
            caught: self
                .all()
                .filter(|run| run.outcome == Outcome::Pass && site.failed.contains(&run.index))
                .map(|run| run.index)
                .collect(),
        }
    }

    /// The runs of the test itself, and their failures that no site explains.
    pub fn outcome(&self, test: &ObservedTest) -> Reached {
        let explained = |run: &ObservedRun| {
            let mut sites = test.sites.iter().enumerate();
            sites.any(|(index, site)| fails_at(run, index, site))
        };
        let failed = |run: &ObservedRun| fails(run) && !explained(run);
        Reached {
            runs: self.varied.keys().copied().collect(),
            failed: self
                .varied
                .values()
                .filter(|run| failed(run))
                .map(|run| run.index)
                .collect(),
            as_written: self
                .as_written
                .filter(|run| !explained(run))
                .map(|run| AsWritten {
                    failed: failed(run),
                    value: None,
                }),
            caught: Vec::new(),
        }
    }
}

fn fails(run: &ObservedRun) -> bool {
    run.outcome == Outcome::Fail
}

/// Whether this site failed the run. A hard assertion that something caught did not: another one did.
fn fails_at(run: &ObservedRun, index: usize, site: &ObservedSite) -> bool {
    let another = run.failed_site.is_some_and(|failed| failed != index);
    let recorded = site.failed.contains(&run.index) && !(site.is_hard && another);
    fails(run) && (run.failed_site == Some(index) || recorded)
}

/// The value of a run in a series.
pub(super) fn value_of(series: &Series, run: u32) -> Option<f64> {
    let mut values = series.values.iter();
    values.find(|(of, _)| *of == run).map(|(_, value)| *value)
}

/// The values of the runs that count.
pub(super) fn samples(series: &Series, runs: &BTreeSet<u32>) -> Samples {
    let counted = series.values.iter().filter(|(run, _)| runs.contains(run));
    Samples::new(counted.copied())
}

/// The series that can fail an assertion each by itself: both ends of a chain of comparisons; but only the first of
/// several tolerances, which are one condition.
pub(super) fn conditions(site: &ObservedSite) -> impl Iterator<Item = &Series> {
    let is_end = |series: &&Series| matches!(series.role, Role::Upper | Role::Lower);
    let chain = site.series.first().is_some_and(|first| is_end(&first));
    let further = site.series.iter().skip(1);
    site.series
        .iter()
        .take(1)
        .chain(further.filter(move |series| chain && is_end(series)))
}
