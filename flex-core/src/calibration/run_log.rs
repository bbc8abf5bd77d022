//! What runs showed, whoever made them and in whatever order: the memory of a machine that asks for runs.
//!
//! Runs carry their index, and a question is always about the runs 0 to n − 1, so the order of arrival and runs that
//! nobody asked for leave no trace. The log also knows how many runs are wanted, and whether the time is up.

use std::fmt;

use super::site::SiteId;
use crate::sample::Extremes;
use crate::sorted::{SortedMap, SortedSet};

/// Runs by index, and the hits of each site with what the source says of it.
#[derive(Debug, Clone)]
pub(crate) struct RunLog<S> {
    /// The first run that has not arrived.
    complete: u32,
    /// Runs after it that have arrived. Runs mostly come in order, so there are few.
    ahead: SortedSet<u32>,
    /// Those that failed.
    failed: SortedSet<u32>,
    /// Runs that are wanted.
    target: u32,
    out_of_time: bool,
    sites: SortedMap<SiteId, Site<S>>,
}

#[derive(Debug, Clone)]
struct Site<S> {
    spec: S,
    /// By run: 24 bytes each.
    hits: Vec<(u32, Extremes)>,
}

/// A site as the log knows it: its hits are in the order of the runs.
pub(crate) type LoggedSite<'l, S> = (&'l SiteId, &'l S, &'l [(u32, Extremes)]);

impl<S: Clone + PartialEq> RunLog<S> {
    /// An empty log that wants `first` runs, at least one and no more than `most`.
    pub fn new(first: u32, most: u32) -> Self {
        RunLog {
            complete: 0,
            ahead: SortedSet::new(),
            failed: SortedSet::new(),
            target: first.clamp(1, most.max(1)),
            out_of_time: false,
            sites: SortedMap::new(),
        }
    }

    /// Takes a run. One that is refused leaves no trace.
    pub fn push(
        &mut self,
        run: u32,
        failed: bool,
        hits: &[(SiteId, S, f64)],
    ) -> Result<(), PushError> {
        let mut folded: Vec<(&SiteId, S, Extremes)> = Vec::new();
        for (site, spec, value) in hits {
            match folded.binary_search_by(|(known, _, _)| (*known).cmp(site)) {
                Err(place) => folded.insert(place, (site, spec.clone(), Extremes::new(*value))),
                Ok(place) if folded[place].1 != *spec => {
                    return Err(PushError::Conflict { site: site.clone() });
                }
                Ok(place) => folded[place].2.push(*value),
            }
        }
        self.push_folded(run, failed, &folded)
    }

    /// Takes a run with at most one hit a site. One that is refused leaves no trace.
    pub fn push_folded(
        &mut self,
        run: u32,
        failed: bool,
        hits: &[(&SiteId, S, Extremes)],
    ) -> Result<(), PushError> {
        if self.has(run) {
            return Err(PushError::Repeated(run));
        }
        for (site, spec, _) in hits {
            if self
                .sites
                .get(site)
                .is_some_and(|known| known.spec != *spec)
            {
                return Err(PushError::Conflict {
                    site: (*site).clone(),
                });
            }
        }
        for (site, spec, extremes) in hits {
            let record = match self.sites.get_mut(site) {
                Some(record) => record,
                None => self.sites.get_or_insert(
                    (*site).clone(),
                    Site {
                        spec: spec.clone(),
                        hits: Vec::new(),
                    },
                ),
            };
            if record.hits.len() == record.hits.capacity() {
                // Room for the runs that are wanted, and no more: doubling would keep a third of it empty.
                let wanted = (self.target as usize).saturating_sub(record.hits.len());
                let more = record.hits.len() / 8 + 4;
                record
                    .hits
                    .reserve_exact(if wanted > 0 { wanted } else { more });
            }
            let hit = (run, *extremes);
            match record.hits.last() {
                Some((last, _)) if *last > run => {
                    let place = record.hits.partition_point(|(known, _)| *known < run);
                    record.hits.insert(place, hit);
                }
                _ => record.hits.push(hit),
            }
        }
        if failed {
            self.failed.insert(run);
        }
        if run > self.complete || run == u32::MAX {
            self.ahead.insert(run);
        } else {
            self.complete += 1;
            let mut caught_up = 0;
            while self.complete < u32::MAX
                && self.ahead.as_slice().get(caught_up) == Some(&self.complete)
            {
                self.complete += 1;
                caught_up += 1;
            }
            self.ahead.remove_first(caught_up);
        }
        Ok(())
    }

    fn has(&self, run: u32) -> bool {
        run < self.complete || self.ahead.contains(&run)
    }

    /// The runs that are wanted and missing, in ascending order.
    pub fn wanted(&self) -> impl Iterator<Item = u32> {
        (self.complete..self.target).filter(|run| !self.has(*run))
    }

    /// No more runs will come.
    pub fn out_of_time(&mut self) {
        self.out_of_time = true;
    }

    /// How many runs there are to judge by: all that are wanted, or, when the time is up, those before the first gap.
    /// Otherwise the number that is still missing.
    pub fn to_judge(&self) -> Result<u32, u32> {
        let after_the_gap = self.ahead.below(&self.target).len() as u32;
        let missing = self.target.saturating_sub(self.complete) - after_the_gap;
        match missing {
            0 => Ok(self.target),
            _ if self.out_of_time => Ok(self.complete),
            _ => Err(missing),
        }
    }

    /// How many runs there are without a gap, from the first.
    #[inline]
    pub fn complete(&self) -> u32 {
        self.complete
    }

    /// Asks for runs up to `target`; whether there is anything to wait for.
    pub fn go_on(&mut self, target: u32) -> bool {
        let more = target > self.target && !self.out_of_time;
        if more {
            self.target = target;
        }
        more
    }

    /// Those of the first `runs` runs that failed, in ascending order.
    pub fn failed(&self, runs: u32) -> Vec<u32> {
        self.failed.below(&runs).to_vec()
    }

    /// The sites that the first `runs` runs hit, by id.
    pub fn sites(&self, runs: u32) -> impl Iterator<Item = LoggedSite<'_, S>> {
        self.sites.entries().iter().filter_map(move |(id, site)| {
            let hits = &site.hits[..site.hits.partition_point(|(run, _)| *run < runs)];
            (!hits.is_empty()).then_some((id, &site.spec, hits))
        })
    }
}

/// Why a run was not taken. The calibration is as it was before.
#[derive(Debug, Clone, PartialEq)]
pub enum PushError {
    /// The run has been pushed before.
    Repeated(u32),
    /// One id stands for sites that differ in tail, domain, promise or confidence.
    Conflict {
        /// The id.
        site: SiteId,
    },
}

impl fmt::Display for PushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PushError::Repeated(run) => write!(f, "run {run} was recorded twice"),
            PushError::Conflict { site } => write!(
                f,
                "two assertions share the site id `{site}` and differ in tail or options; give one of them a `name`"
            ),
        }
    }
}

impl std::error::Error for PushError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(site: &str, spec: u8, value: f64) -> (SiteId, u8, f64) {
        (site.into(), spec, value)
    }

    #[test]
    fn the_order_of_arrival_leaves_no_trace() {
        let mut forward = RunLog::new(6, 10);
        let mut backward = RunLog::new(6, 10);
        for run in 0..4 {
            let show = |run: u32| [hit("x", 0, f64::from(run)), hit("x", 0, 9.0)];
            forward.push(run, run == 2, &show(run)).unwrap();
            backward
                .push(3 - run, 3 - run == 2, &show(3 - run))
                .unwrap();
        }
        assert_eq!(format!("{forward:?}"), format!("{backward:?}"));
        assert_eq!(forward.failed(4), [2]);
        assert!(forward.failed(2).is_empty());
        assert_eq!(forward.wanted().collect::<Vec<_>>(), [4, 5]);
        let (_, _, hits) = forward.sites(2).next().unwrap();
        assert_eq!(
            hits[1].1,
            Extremes {
                least: 1.0,
                greatest: 9.0
            }
        );
        assert_eq!(hits.len(), 2);
    }

    #[test]
    fn a_refused_run_leaves_no_trace() {
        let mut log = RunLog::new(6, 10);
        log.push(0, false, &[hit("x", 0, 1.0)]).unwrap();
        let before = format!("{log:?}");
        assert_eq!(log.push(0, false, &[]), Err(PushError::Repeated(0)));
        let conflict = Err(PushError::Conflict { site: "x".into() });
        assert_eq!(log.push(1, false, &[hit("x", 1, 1.0)]), conflict);
        let twice = [hit("y", 0, 1.0), hit("y", 1, 1.0)];
        assert!(log.push(1, false, &twice).is_err());
        assert_eq!(format!("{log:?}"), before);
    }

    #[test]
    fn time_that_is_up_leaves_the_runs_before_the_first_gap() {
        let mut log: RunLog<u8> = RunLog::new(5, 10);
        assert_eq!(log.to_judge(), Err(5));
        for run in [0, 1, 3] {
            log.push(run, false, &[]).unwrap();
        }
        assert_eq!(log.to_judge(), Err(2));
        log.out_of_time();
        assert_eq!(log.to_judge(), Ok(2));
        assert!(!log.go_on(8), "nothing more will come");
    }

    #[test]
    fn going_on_only_ever_asks_for_more() {
        let mut log: RunLog<u8> = RunLog::new(0, 10);
        assert_eq!(log.to_judge(), Err(1), "at least one run");
        log.push(u32::MAX, false, &[]).unwrap();
        log.push(0, false, &[]).unwrap();
        assert_eq!(log.to_judge(), Ok(1));
        assert!(!log.go_on(1) && log.go_on(3));
        assert_eq!(log.wanted().collect::<Vec<_>>(), [1, 2]);
    }
}
