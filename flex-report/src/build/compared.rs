//! What a comparison of old and new code showed, beside the sites that it is about.

use flex_bounds::TestId;
use flex_bounds::file::Key;
use flex_core::calibration::SiteId;
use flex_detect::compare::{DecidedSeries, SeriesVerdict};
use flex_detect::record::Float;

use super::known::Known;
use super::learned::blank;
use crate::model::{Compared, Site, Values};

/// Adds the comparisons of a site.
pub fn add(site: &mut Site, known: &Known<'_>) {
    let id = SiteId::of_label(&site.site).with_case(site.case.clone());
    let is_its = |decided: &&DecidedSeries| {
        let key = &decided.key;
        key.site.as_ref() == Some(&id) && key.is_declared == (site.kind != "learned")
    };
    let series = known.compared.iter().flat_map(|test| &test.series);
    let found: Vec<Compared> = series.filter(is_its).map(compared).collect();
    site.compared = found;
}

/// Adds what every run has, such as how often it fails, where the versions differ in it.
pub fn outcome(known: &Known<'_>, sites: &mut Vec<Site>) {
    let series = known.compared.iter().flat_map(|test| &test.series);
    let notable = |decided: &&DecidedSeries| {
        let of_every_run = decided.key.site.is_none();
        of_every_run && !matches!(decided.verdict, SeriesVerdict::Identical)
    };
    for decided in series.filter(notable) {
        let key = Key {
            test: TestId::pytest(""),
            site: SiteId::new(decided.key.label()),
            variant: None,
        };
        let one = compared(decided);
        sites.push(Site {
            kind: "outcome",
            file: decided.place.file.clone(),
            line: decided.place.line,
            verdict: decided.verdict.as_str(),
            grade: match decided.verdict {
                SeriesVerdict::Worse => "bad",
                SeriesVerdict::Undecided => "look",
                _ => "quiet",
            },
            runs: one.pairs as u32,
            compared: vec![one],
            ..blank(&key)
        });
    }
}

fn compared(decided: &DecidedSeries) -> Compared {
    let values = |of: fn(&flex_detect::compare::Pair) -> f64| {
        let runs = decided.pairs.iter().map(|pair| pair.run as usize).max();
        let mut values = vec![None; runs.map_or(0, |most| most + 1)];
        for pair in &decided.pairs {
            values[pair.run as usize] = Some(Float(of(pair)));
        }
        Values::Exact { values }
    };
    Compared {
        what: decided.key.label(),
        verdict: decided.verdict.as_str().to_owned(),
        pairs: decided.pairs.len(),
        equal: decided.equal,
        old_mean: Float(decided.old.mean),
        new_mean: Float(decided.new.mean),
        shift: decided.shift.map(|ends| ends.map(Float)),
        old: values(|pair| pair.old),
        new: values(|pair| pair.new),
    }
}
