//! What runs saw in one process, and how that differs from what they saw in another.

use flex_core::sample::Extremes;
use flex_core::sorted::{SortedMap, SortedSet};
use flex_core::tail::Side;

use crate::calibrate::collector::{Collector, same_value};
use crate::model::{ProcessRecord, SiteKey, value_on};

/// What some runs saw, without times, which are never the same twice.
#[derive(Default)]
pub(super) struct RunValues {
    /// By site and run.
    values: SortedMap<SiteKey, SortedMap<u32, Extremes>>,
    /// Whether a run failed.
    pub failed: SortedMap<u32, bool>,
}

/// A run that was not the same twice.
pub(super) struct Difference {
    /// The site; `None` if the run failed once.
    pub key: Option<SiteKey>,
    pub run: u32,
    pub values: (Option<f64>, Option<f64>),
}

impl RunValues {
    pub fn of_collector(collector: &Collector, runs: &[u32]) -> Self {
        let mut seen = RunValues::default();
        for run in runs {
            let failed = collector.observed.failures.contains(run);
            seen.failed.insert(*run, failed);
        }
        for (key, hits) in collector.samples() {
            for (run, extremes) in hits.iter().filter(|(run, _)| runs.contains(run)) {
                seen.push(collector, &key, *run, *extremes);
            }
        }
        seen
    }

    pub fn of_record(record: &ProcessRecord, collector: &Collector) -> Self {
        let mut seen = RunValues::default();
        for (run, hits) in record.runs() {
            seen.failed.insert(run.index, run.failure.is_some());
            for hit in hits {
                let key = record.site(hit).key();
                seen.push(collector, &key, run.index, hit.extremes);
            }
        }
        seen
    }

    fn push(&mut self, collector: &Collector, key: &SiteKey, run: u32, extremes: Extremes) {
        if !collector.observed.is_time(key) {
            let of_site = self.values.get_or_insert(key.clone(), SortedMap::new());
            of_site.insert(run, extremes);
        }
    }

    /// The values of a site on one side, in the order of the runs.
    pub fn of_site(&self, key: &SiteKey, side: Side) -> Vec<f64> {
        let of_site = self.values.get(key).map_or(&[][..], SortedMap::entries);
        of_site
            .iter()
            .map(|(_, extremes)| value_on(side, *extremes))
            .collect()
    }

    /// Whether a site saw the same in both, in one run or in all that both have.
    pub fn agrees_on(&self, key: Option<&SiteKey>, other: &RunValues, run: Option<u32>) -> bool {
        self.differences(other).iter().all(|difference| {
            difference.key.as_ref() != key || run.is_some_and(|run| run != difference.run)
        })
    }

    /// What differs, for the runs that both have: site by site, and then failures.
    pub fn differences(&self, other: &RunValues) -> Vec<Difference> {
        let mut differences = Vec::new();
        let mut keys = SortedSet::new();
        for (key, _) in self.values.entries().iter().chain(other.values.entries()) {
            keys.insert(key);
        }
        for key in keys.as_slice() {
            for (run, _) in self.failed.entries() {
                let values = (self.value(key, *run), other.value(key, *run));
                if other.failed.contains(run) && !is_same(values) {
                    differences.push(Difference {
                        key: Some((*key).clone()),
                        run: *run,
                        values: differing(values),
                    });
                }
            }
        }
        for (run, failed) in self.failed.entries() {
            if other.failed.get(run).is_some_and(|other| other != failed) {
                differences.push(Difference {
                    key: None,
                    run: *run,
                    values: (None, None),
                });
            }
        }
        differences
    }

    fn value(&self, key: &SiteKey, run: u32) -> Option<Extremes> {
        self.values.get(key)?.get(&run).copied()
    }
}

fn is_same(values: (Option<Extremes>, Option<Extremes>)) -> bool {
    match values {
        (Some(ours), Some(theirs)) => same_value(ours, theirs),
        (ours, theirs) => ours.is_none() && theirs.is_none(),
    }
}

/// The values that differ: the greatest, unless only the least do.
fn differing((ours, theirs): (Option<Extremes>, Option<Extremes>)) -> (Option<f64>, Option<f64>) {
    let greatest = |extremes: Option<Extremes>| extremes.map(|e| e.greatest);
    let least = |extremes: Option<Extremes>| extremes.map(|e| e.least);
    if greatest(ours) == greatest(theirs) {
        (least(ours), least(theirs))
    } else {
        (greatest(ours), greatest(theirs))
    }
}
