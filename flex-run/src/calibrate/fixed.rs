//! Tests that are shown to be fixed: a run touched nothing that could differ, and once more, in another process, it
//! shows the same. All further runs would (docs/design/search.md, "What cannot vary").

use flex_core::sorted::sort;
use flex_core::words::count;

use super::collector::same_value;
use crate::model::{Probe, ProcessRecord, RecordedHit, RecordedRun, SiteKey, Variability};

/// A run that touched nothing that could differ.
#[derive(Debug, Clone)]
pub struct FixedRun {
    record: ProcessRecord,
}

/// Runs that are made of a test that is fixed.
pub const RUNS_IF_FIXED: u32 = 2;

/// Says how many tests were shown to be fixed, and how many runs were not made for it; `None` if there are none.
#[inline]
pub fn fixed_in_words(tests: usize, saved: u64) -> Option<String> {
    let tests = (tests > 0).then(|| count(tests, "test", "tests"))?;
    let runs = count(usize::try_from(saved).unwrap_or(usize::MAX), "run", "runs");
    Some(format!("{tests} shown to be fixed, {runs} saved"))
}

impl FixedRun {
    /// The run by which a process shows that its test is fixed; `None` if anything speaks against it.
    pub fn of(record: &ProcessRecord) -> Option<Self> {
        let is_fixed = |probe| Probe::variability(probe) == Variability::Fixed;
        let ended = record.took.is_some() && record.mistakes.is_empty();
        if !ended || !record.probe.as_ref().is_some_and(is_fixed) {
            return None;
        }
        let first = record.runs().next()?;
        let all_same = record
            .runs()
            .all(|run| is_same((record, first), (record, run)));
        all_same.then(|| FixedRun {
            record: record.clone(),
        })
    }

    /// Its index.
    pub fn index(&self) -> u32 {
        self.record.runs().next().map_or(0, |(run, _)| run.index)
    }

    /// Whether the same run, made again in another process, shows the same and touches no more.
    pub fn is_confirmed_by(&self, again: &ProcessRecord) -> bool {
        let touches = again
            .probe
            .as_ref()
            .is_some_and(|probe| !probe.touches().is_empty());
        show_same(&self.record, again) && !touches && again.took.is_some()
    }

    /// What a process shows that makes these runs.
    pub(super) fn made(&self, runs: &[u32]) -> ProcessRecord {
        self.record.like_the_first(runs)
    }
}

/// Whether the first runs of two processes ended alike, and all sites saw the same.
#[inline]
pub fn show_same(ours: &ProcessRecord, theirs: &ProcessRecord) -> bool {
    let mut runs = ours.runs().zip(theirs.runs());
    runs.next()
        .is_some_and(|(first, second)| is_same((ours, first), (theirs, second)))
}

type Run<'a> = (&'a RecordedRun, &'a [RecordedHit]);

/// Whether two runs ended alike, and all sites saw the same.
fn is_same((ours, a): (&ProcessRecord, Run<'_>), (theirs, b): (&ProcessRecord, Run<'_>)) -> bool {
    let seen = |record: &ProcessRecord, hits: &[RecordedHit]| {
        let mut seen: Vec<_> = hits
            .iter()
            .map(|hit| (record.site(hit).key(), *hit))
            .collect();
        sort(&mut seen, |(a, _), (b, _)| a < b);
        seen
    };
    let same_hit =
        |((ours, a), (theirs, b)): (&(SiteKey, RecordedHit), &(SiteKey, RecordedHit))| {
            ours == theirs && a.broken == b.broken && same_value(a.extremes, b.extremes)
        };
    let (ours, theirs) = (seen(ours, a.1), seen(theirs, b.1));
    a.0.failure.is_some() == b.0.failure.is_some()
        && ours.len() == theirs.len()
        && ours.iter().zip(&theirs).all(same_hit)
}
