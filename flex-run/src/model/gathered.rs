//! What runs showed that several recorders saw: threads, processes, or a session before this one.

use super::process::ProcessRecord;
use super::run::{Hit, RunRecord};
use super::site::Site;

/// The sites of a test, each with the place that it keeps, and what the last run showed.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// Every site that any recorder knew, in the order of the first hits.
    pub sites: Vec<Site>,
    /// What the last run showed, by these sites.
    pub record: RunRecord,
}

impl Gathered {
    /// Takes what a run showed, by the sites of its own recorder.
    pub fn take(&mut self, sites: &[Site], mut record: RunRecord) {
        let places: Vec<usize> = sites.iter().map(|site| self.place(site)).collect();
        let mut hits = vec![None; self.sites.len()];
        for (place, hit) in places.iter().zip(record.hits) {
            hits[*place] = hit;
        }
        for fault in &mut record.faults {
            fault.site = places.get(fault.site).copied().unwrap_or(fault.site);
        }
        record.hits = hits;
        self.record = record;
    }

    /// Takes the last run of a record, with what its claims drew; `None` if it has none.
    pub fn take_last(&mut self, record: &ProcessRecord) -> Option<()> {
        let (_, hits) = record.runs().last()?;
        let mut shown = record.run_record(hits);
        for (site, draws) in &record.draws {
            if let Some(hit) = shown.hits.get_mut(*site as usize) {
                *hit = None;
                Hit::draw(hit, draws.clone());
            }
        }
        self.take(&record.sites, shown);
        Some(())
    }

    fn place(&mut self, site: &Site) -> usize {
        let known = self
            .sites
            .iter()
            .position(|known| known.id == site.id && known.is_learned() == site.is_learned());
        known.unwrap_or_else(|| {
            self.sites.push(site.clone());
            self.sites.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Asks, Place, SiteId, SiteSpec};
    use flex_core::tail::Tail;

    #[test]
    fn a_site_keeps_its_place_whoever_sees_it_first() {
        let site = |name: &str| {
            let asks = Asks::Learned(SiteSpec::new(Tail::Upper));
            Site::new(SiteId::new(name), asks, Place::default())
        };
        let shown = |values: &[f64]| RunRecord {
            hits: values.iter().map(|value| Some(Hit::of(*value))).collect(),
            ..RunRecord::default()
        };
        let mut gathered = Gathered::default();
        gathered.take(&[site("a"), site("b")], shown(&[1.0, 2.0]));
        gathered.take(&[site("b"), site("c")], shown(&[3.0, 4.0]));
        let names: Vec<String> = gathered.sites.iter().map(|site| site.id.label()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        let greatest = |hit: &Option<Hit>| hit.as_ref().map(|hit| hit.extremes.greatest);
        let hits: Vec<Option<f64>> = gathered.record.hits.iter().map(greatest).collect();
        assert_eq!(hits, [None, Some(3.0), Some(4.0)]);
    }
}
