//! What a run showed, and what differs between two runs under one seed.

use std::collections::BTreeMap;

use flex_core::sample::Extremes;
use flex_run::calibrate::Recorded;
use flex_run::model::{ProcessRecord, SiteKey};

/// What a run showed.
#[derive(Debug, Default)]
pub struct Shown {
    failed: bool,
    inconclusive: bool,
    /// By site, without times, which are never the same twice; and whether a bound was broken.
    hits: BTreeMap<SiteKey, (Extremes, bool)>,
}

/// A site, if it is one, with the two values that differ.
pub type Differing = (Option<SiteKey>, (Option<f64>, Option<f64>));

impl Shown {
    /// Whether two runs under one seed did not end in the same way.
    pub(super) fn ended_otherwise(&self, other: &Shown) -> bool {
        (self.failed, self.inconclusive) != (other.failed, other.inconclusive)
    }

    /// What differs between two runs under one seed.
    pub fn differing(&self, other: &Shown) -> Vec<Differing> {
        let mut differing = Vec::new();
        if self.inconclusive != other.inconclusive {
            return vec![(None, (None, None))];
        }
        for key in self.hits.keys().chain(other.hits.keys()) {
            let values = (self.hits.get(key), other.hits.get(key));
            let is_same = match values {
                (Some(ours), Some(theirs)) => same(ours.0, theirs.0) && ours.1 == theirs.1,
                _ => false,
            };
            let site = Some(key.clone());
            if !is_same && !differing.iter().any(|(known, _)| *known == site) {
                let greatest = |hit: Option<&(Extremes, bool)>| hit.map(|(e, _)| e.greatest);
                let least = |hit: Option<&(Extremes, bool)>| hit.map(|(e, _)| e.least);
                let upper = (greatest(values.0), greatest(values.1));
                let shown = match upper.0 == upper.1 {
                    true => (least(values.0), least(values.1)),
                    false => upper,
                };
                differing.push((site, shown));
            }
        }
        if differing.is_empty() && self.failed != other.failed {
            differing.push((None, (None, None)));
        }
        differing
    }
}

fn same(a: Extremes, b: Extremes) -> bool {
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    same(a.least, b.least) && same(a.greatest, b.greatest)
}

/// What each run showed.
pub fn shown_by(recorded: &Recorded) -> BTreeMap<u32, Shown> {
    let mut all: BTreeMap<u32, Shown> = BTreeMap::new();
    for record in &recorded.records {
        all.extend(shown_in(record));
    }
    for (run, _) in &recorded.deaths {
        all.entry(*run).or_default().failed = true;
    }
    all
}

/// What each run of a process showed.
pub fn shown_in(record: &ProcessRecord) -> BTreeMap<u32, Shown> {
    let mut all: BTreeMap<u32, Shown> = BTreeMap::new();
    let keys: Vec<SiteKey> = record.sites.iter().map(|site| site.key()).collect();
    for (run, hits) in record.runs() {
        let shown = all.entry(run.index).or_default();
        shown.failed = record.failed(run, hits);
        for hit in hits {
            if !record.site(hit).is_time {
                let key = keys[hit.site as usize].clone();
                shown.hits.insert(key, (hit.extremes, hit.broken));
            }
        }
    }
    for (run, _) in &record.inconclusive {
        all.entry(*run).or_default().inconclusive = true;
    }
    all
}
