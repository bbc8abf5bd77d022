//! What runs showed, whoever made them and in whatever order: the memory of a machine that asks for runs.
//!
//! Runs carry their index, and a question is always about the runs 0 to n − 1, so the order of arrival and runs that
//! nobody asked for leave no trace.

use std::collections::BTreeMap;

use crate::calibration::PushError;
use crate::sample::Extremes;

/// Runs by index, and the hits of each site with what the source says of it.
#[derive(Debug, Clone)]
pub(crate) struct RunLog<S> {
    arrived: BTreeMap<u32, bool>,
    /// The first run that has not arrived.
    complete: u32,
    sites: BTreeMap<String, Site<S>>,
}

#[derive(Debug, Clone)]
struct Site<S> {
    spec: S,
    /// By run: 24 bytes each.
    hits: Vec<(u32, Extremes)>,
}

impl<S: Clone + PartialEq> RunLog<S> {
    pub fn new() -> Self {
        RunLog {
            arrived: BTreeMap::new(),
            complete: 0,
            sites: BTreeMap::new(),
        }
    }

    /// Takes a run. One that is refused leaves no trace.
    pub fn push(
        &mut self,
        run: u32,
        failed: bool,
        hits: &[(String, S, f64)],
    ) -> Result<(), PushError> {
        if self.arrived.contains_key(&run) {
            return Err(PushError::Repeated(run));
        }
        let mut folded: BTreeMap<&str, (&S, Extremes)> = BTreeMap::new();
        for (site, spec, value) in hits {
            let known = self.sites.get(site).map_or(spec, |known| &known.spec);
            let first = folded.get(site.as_str()).map_or(known, |(first, _)| first);
            if known != spec || first != spec {
                return Err(PushError::Conflict { site: site.clone() });
            }
            let entry = folded.entry(site).or_insert((spec, Extremes::new(*value)));
            entry.1.push(*value);
        }
        for (site, (spec, extremes)) in folded {
            let record = self.sites.entry(site.to_owned()).or_insert_with(|| Site {
                spec: spec.clone(),
                hits: Vec::new(),
            });
            // Runs mostly come in order, so this is mostly the end.
            let place = record.hits.partition_point(|(known, _)| *known < run);
            record.hits.insert(place, (run, extremes));
        }
        self.arrived.insert(run, failed);
        while self.arrived.contains_key(&self.complete) && self.complete < u32::MAX {
            self.complete += 1;
        }
        Ok(())
    }

    /// Those of the first `runs` runs that are missing, in ascending order.
    pub fn missing(&self, runs: u32) -> impl Iterator<Item = u32> {
        (self.complete..runs).filter(|run| !self.arrived.contains_key(run))
    }

    /// Those of the first `runs` runs that failed, in ascending order.
    pub fn failed(&self, runs: u32) -> Vec<u32> {
        let first = self.arrived.range(..runs);
        first
            .filter(|(_, failed)| **failed)
            .map(|(run, _)| *run)
            .collect()
    }

    /// The sites that the first `runs` runs hit, by id, each with its hits in the order of the runs.
    pub fn sites(&self, runs: u32) -> impl Iterator<Item = (&str, &S, &[(u32, Extremes)])> {
        self.sites.iter().filter_map(move |(id, site)| {
            let hits = &site.hits[..site.hits.partition_point(|(run, _)| *run < runs)];
            (!hits.is_empty()).then_some((id.as_str(), &site.spec, hits))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(site: &str, spec: u8, value: f64) -> (String, u8, f64) {
        (site.to_owned(), spec, value)
    }

    #[test]
    fn the_order_of_arrival_leaves_no_trace() {
        let mut forward = RunLog::new();
        let mut backward = RunLog::new();
        for run in 0..4 {
            let show = |run: u32| [hit("x", 0, f64::from(run)), hit("x", 0, 9.0)];
            forward.push(run, run == 2, &show(run)).unwrap();
            backward
                .push(3 - run, 3 - run == 2, &show(3 - run))
                .unwrap();
        }
        assert_eq!(format!("{forward:?}"), format!("{backward:?}"));
        assert_eq!(forward.failed(4), [2]);
        assert_eq!(forward.failed(2), []);
        assert_eq!(forward.missing(6).collect::<Vec<_>>(), [4, 5]);
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
        let mut log = RunLog::new();
        log.push(0, false, &[hit("x", 0, 1.0)]).unwrap();
        let before = format!("{log:?}");
        assert_eq!(log.push(0, false, &[]), Err(PushError::Repeated(0)));
        let conflict = Err(PushError::Conflict { site: "x".into() });
        assert_eq!(log.push(1, false, &[hit("x", 1, 1.0)]), conflict);
        let twice = [hit("y", 0, 1.0), hit("y", 1, 1.0)];
        assert!(log.push(1, false, &twice).is_err());
        assert_eq!(format!("{log:?}"), before);
    }
}
