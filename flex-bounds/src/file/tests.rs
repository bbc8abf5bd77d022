//! Look-up and change of entries; the entry that other tests start from.

use super::*;
use crate::TestId;
use flex_core::bound::confidence::Confidence;
use flex_core::bound::race::{Cut, Race};
use flex_core::calibration::{Calibration, CalibrationPlan, SiteSpec, Step};
use flex_core::sample::Extremes;
use flex_core::tail::Tail;

/// The entry of the design document, for another site.
pub fn entry(site: &str) -> Entry {
    let text = |text: &str| Some(text.to_owned());
    Entry {
        key: Key {
            test: TestId::cargo("test:sketch", "sketch_error_is_small"),
            site: site.into(),
            variant: None,
        },
        confidence: Confidence::new(0.99998).unwrap(),
        domain: None,
        light: false,
        sides: Sides::Upper(Learned::Tail(Bounds {
            ceiling: 0.0931,
            guard: Some(guard(0.0412)),
            fit: Some(Fit {
                threshold: 0.0301,
                scale: 0.0061,
                shape: 0.02,
                exceedances: 34,
            }),
        })),
        samples: 290,
        earlier: 0,
        quantiles: Some(std::array::from_fn(|index| index as f64 / 2.0)),
        reached: Reached::Always,
        effort: None,
        replay: Some(Replay {
            base: "k3J9".to_owned(),
            always: false,
            runs: [(17, 0.0123), (62, 0.0158)]
                .map(|(run, value)| ReplayedRun {
                    run,
                    shown: Some(Extremes::new(value)),
                })
                .to_vec(),
        }),
        fingerprint: text("9f2c4e1a"),
        calibrated: text("2026-11-16"),
        base: text("k3J9"),
        engine: text("flex 0.1, chacha8"),
        checksum: None,
        unenforced: false,
        accepted: false,
        not_finite: 0,
    }
}

/// A guard with a small race, whose cuts go upward.
pub fn guard(bound: f64) -> GuardBound {
    let cut = |value, above| Cut { value, above };
    let cuts = vec![cut(bound, 20), cut(2.0 * bound.abs(), 0)];
    let last = cuts[1];
    GuardBound {
        bound,
        race: Race::new(cuts, vec![-4, 6, 24], (-24, 172), 100).unwrap(),
        strays: Race::new(vec![last], vec![-2, 15], (0, 92), 100).ok(),
    }
}

/// The entry of a calibration that saw 0, 1, 2 and so on, in some order.
pub fn calibrated_entry(runs: u32) -> Entry {
    calibrated(Tail::Upper, runs, |run| f64::from(run * 37 % runs))
}

/// The entry of a calibration that saw these values.
pub fn calibrated(tail: Tail, runs: u32, value: impl Fn(u32) -> f64) -> Entry {
    let mut calibration = Calibration::new(CalibrationPlan {
        min_runs: runs,
        ..CalibrationPlan::default()
    });
    for run in 0..runs {
        let hit = (&"x".into(), SiteSpec::new(tail), Extremes::new(value(run)));
        calibration.push_folded(run, false, &[hit]).unwrap();
    }
    let Step::Done(done) = calibration.step().unwrap() else {
        panic!("the runs are enough");
    };
    let provenance = Provenance {
        replay: entry("x").replay,
        ..Provenance::default()
    };
    Entry::of_calibration(entry("x").key, &done.sites[0], provenance)
}

pub fn file(entries: impl IntoIterator<Item = Entry>) -> BoundsFile {
    let mut file = BoundsFile::default();
    for entry in entries {
        assert_eq!(file.insert(entry), Ok(None));
    }
    file
}

fn variant(site: &str, variant: Option<&str>) -> Entry {
    let mut entry = entry(site);
    entry.key.variant = variant.map(str::to_owned);
    entry
}

#[test]
fn a_test_has_the_entries_of_its_variant_or_those_without_one() {
    let file = file([
        variant("a", None),
        variant("a", Some("gpu")),
        variant("b", Some("gpu")),
    ]);
    let check = |asked: Option<&str>, expected: &[(&str, Option<&str>)]| {
        let held = file.holding(asked).map(|entry| &entry.key);
        let held: Vec<(&str, Option<&str>)> = held
            .map(|key| (key.site.text.as_str(), key.variant.as_deref()))
            .collect();
        assert_eq!(held, expected, "{asked:?}");
    };
    check(Some("gpu"), &[("a", Some("gpu")), ("b", Some("gpu"))]);
    check(Some("tpu"), &[("a", None)]);
    check(None, &[("a", None)]);
}

#[test]
fn every_part_of_the_key_tells_entries_apart() {
    let file = file([entry("a")]);
    let key = entry("a").key;
    assert!(file.get(&key).is_some());
    let check = |change: fn(&mut Key)| {
        let mut other = key.clone();
        change(&mut other);
        assert_eq!(file.get(&other), None, "{other}");
    };
    check(|key| key.test = TestId::pytest("sketch_error_is_small"));
    check(|key| key.test = TestId::cargo("lib", "sketch_error_is_small"));
    check(|key| key.test = TestId::cargo("test:sketch", "other"));
    check(|key| key.site.text = "b".to_owned());
    check(|key| key.site.occurrence = 2);
    check(|key| key.site.case = Some("1".to_owned()));
    check(|key| key.variant = Some("gpu".to_owned()));
}

#[test]
fn entries_are_replaced_removed_and_kept_in_order() {
    let mut file = file([entry("c"), entry("a"), entry("b")]);
    let mut newer = entry("b");
    newer.samples = 300;
    let key = newer.key.clone();
    assert_eq!(file.insert(newer.clone()), Ok(Some(entry("b"))));
    let sites: Vec<&str> = file
        .entries()
        .iter()
        .map(|e| e.key.site.text.as_str())
        .collect();
    assert_eq!(sites, ["a", "b", "c"]);
    assert_eq!(file.get(&key), Some(&newer));
    assert_eq!(file.remove(&key), Some(newer));
    assert_eq!(file.remove(&key), None);
    assert_eq!(file.entries().len(), 2);
}

#[test]
fn a_key_reads_as_words() {
    let mut key = entry("error<_").key;
    key.site.case = Some("10".to_owned());
    key.variant = Some("gpu".to_owned());
    assert_eq!(
        key.to_string(),
        "site `error<_` of test `sketch_error_is_small` in `test:sketch`, case `10`, variant `gpu`"
    );
}
