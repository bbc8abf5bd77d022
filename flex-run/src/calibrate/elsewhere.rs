//! What the runs of a calibration showed that others made and nobody has learned from here, as the line that a calibration
//! keeps.

use std::collections::BTreeMap;

use flex_core::sample::Extremes;
use flex_core::tail::Side;

use super::kept::{head, place, series};
use crate::json::{Object, list};
use crate::model::{Asks, ProcessRecord, Site, SiteKey, value_on};

/// A site with what it saw, by run.
type SeenSite<'r> = (&'r Site, BTreeMap<u32, Extremes>);

/// The line of a calibration whose runs these processes made; `None` if there are no runs. A run that is there twice counts
/// once.
#[inline]
pub fn line_of_records(
    records: &[ProcessRecord],
    base: &str,
    platform: &str,
    at: u64,
) -> Option<String> {
    let test = &records.first()?.test;
    let only_passed = test.options.attempts() > 1;
    let mut sites: BTreeMap<SiteKey, SeenSite<'_>> = BTreeMap::new();
    let mut runs = BTreeMap::new();
    for record in records {
        for (run, hits) in record.runs() {
            runs.insert(run.index, ());
            if only_passed && record.failed(run, hits) {
                continue;
            }
            for hit in hits {
                let site = record.site(hit);
                let seen = sites.entry(site.key()).or_insert((site, BTreeMap::new()));
                seen.1.entry(run.index).or_insert(hit.extremes);
            }
        }
    }
    if runs.is_empty() {
        return None;
    }
    let mut all = head(test, at);
    all.text("fingerprint", &test.fingerprint);
    all.text("platform", platform);
    all.text("base", base);
    all.raw("runs", &runs.len().to_string());
    let seconds = records.iter().filter_map(ProcessRecord::seconds_per_run);
    all.number("seconds_per_run", seconds.fold(0.0, f64::max));
    all.number("extra_runs", 0.0);
    all.raw("sites", &list(sites.values().map(site)));
    Some(all.end())
}

#[inline]
fn site((site, seen): &SeenSite<'_>) -> String {
    let mut object = Object::new();
    object.text("site", &site.id.label());
    object.maybe_text("case", site.id.case.as_deref());
    let (kind, sides) = match &site.asks {
        Asks::Learned(spec) => ("learned", spec.tail.sides().to_vec()),
        Asks::Declared(_) => ("declared", site.sides()),
        Asks::Claim(_) => ("claim", vec![Side::Upper]),
    };
    object.text("kind", kind);
    place(&mut object, &site.place);
    let of = |side: Side| {
        let values = seen.iter().map(|(run, seen)| (*run, value_on(side, *seen)));
        series(side, &values.collect::<Vec<(u32, f64)>>())
    };
    object.raw("series", &list(sides.into_iter().map(of)));
    object.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Place, RecordedHit, RecordedRun, SiteId, SiteSpec, Test, TestId};
    use flex_core::tail::Tail;

    #[test]
    fn runs_of_all_processes_are_told_once_in_their_order() {
        let test = Test {
            package: Some("p".to_owned()),
            fingerprint: "f".to_owned(),
            selection: "-p p".to_owned(),
            place: Place::new("a.rs", 1),
            ..Test::new(TestId::cargo("lib", "a"))
        };
        let record = |runs: &[u32]| {
            let mut record = ProcessRecord::new(test.clone());
            let asks = Asks::Learned(SiteSpec::new(Tail::Lower));
            record.sites = vec![Site::new(SiteId::new("x>_"), asks, Place::new("a.rs", 7))];
            for &index in runs {
                let run = RecordedRun {
                    index,
                    drew: true,
                    failure: None,
                };
                let hit = RecordedHit {
                    site: 0,
                    extremes: Extremes::new(f64::from(index) / 2.0),
                    broken: false,
                };
                record.push(run, [hit]).unwrap();
            }
            record
        };
        let line = line_of_records(&[record(&[2, 3]), record(&[0, 2])], "b", "x", 5).unwrap();
        let expected = r#""runs":3,"seconds_per_run":0.0,"extra_runs":0.0,"sites":[{"site":"x>_","kind":"learned","file":"a.rs","line":7,"series":[{"side":"lower","values":[0.0,null,1.0,1.5]}]}]}"#;
        assert!(line.ends_with(expected), "{line}");
        assert_eq!(line_of_records(&[record(&[])], "b", "x", 5), None);
        assert_eq!(line_of_records(&[], "b", "x", 5), None);
    }
}
