//! Whole comparisons of one test, on values that are given.

use flex_core::paint::Paint;
use std::collections::BTreeMap;

use flex_run::model::{Place, SiteId, TestId};

use super::*;
use crate::record::Role;

fn key(text: &str, role: Role) -> SeriesKey {
    SeriesKey {
        what: What::Asserted(role),
        site: Some(SiteId::new(text)),
        is_declared: true,
        nth: 0,
    }
}

/// A version whose series see these values, by run.
fn seen(runs: std::ops::Range<u32>, series: &[(&SeriesKey, &dyn Fn(u32) -> f64)]) -> SeenTest {
    let place = Place::new("a.rs", 1);
    let facts = || SeriesFacts {
        place: place.clone(),
        text: String::new(),
    };
    let value = |value: f64| Value {
        value,
        bound: Some(9.0),
    };
    let run = |run: u32| SeenRun {
        failure: None,
        values: series
            .iter()
            .map(|(key, of)| ((*key).clone(), value(of(run))))
            .collect(),
    };
    SeenTest {
        id: TestId::cargo("lib", "a"),
        package: Some("p".to_owned()),
        place: place.clone(),
        series: series
            .iter()
            .map(|(key, _)| ((*key).clone(), facts()))
            .collect(),
        runs: runs.map(|index| (index, run(index))).collect(),
        seconds_per_run: 0.0,
        measures_time: false,
    }
}

/// Values that look random, and are the same each time.
fn noise(run: u32) -> f64 {
    (f64::from(run) * 12.9898).sin() * 43_758.545_3 % 1.0
}

/// Compares two versions of one series to the end.
fn compared(
    role: Role,
    rule: SeriesRule,
    old: &dyn Fn(u32) -> f64,
    new: &dyn Fn(u32) -> f64,
) -> ComparedTest {
    let key = key("x<1", role);
    let of = |runs: std::ops::Range<u32>, values| seen(runs, &[(&key, values)]);
    let mut pairs = TestPairs::new(rule, &of(0..rule.first, old), &of(0..rule.first, new));
    let shares = Shares::new(1e-4, pairs.differing());
    pairs.begin(&shares);
    while let Some(runs) = pairs.wanted() {
        pairs.take(&of(runs.clone(), old), &of(runs, new), &shares);
    }
    pairs.compared()
}

fn check(role: Role, shift: f64, margin: Option<Margin>, verdict: SeriesVerdict) -> DecidedSeries {
    let rule = SeriesRule {
        most: 400,
        margin,
        ..SeriesRule::default()
    };
    // The new code draws other numbers, so that nothing is equal.
    let new = |run| noise(run + 1000) + shift;
    let test = compared(role, rule, &noise, &new);
    assert_eq!(test.series[0].verdict, verdict, "{test:?}");
    test.series[0].clone()
}

#[test]
fn what_is_equal_is_identical_after_three_pairs() {
    let test = compared(Role::Upper, SeriesRule::default(), &noise, &noise);
    assert_eq!(test.series[0].verdict, SeriesVerdict::Identical);
    assert_eq!((test.pairs, test.series[0].equal), (3, 3));
}

#[test]
fn the_tail_says_what_is_worse() {
    check(Role::Upper, 0.5, None, SeriesVerdict::Worse);
    check(Role::Upper, -0.5, None, SeriesVerdict::Better);
    check(Role::Lower, 0.5, None, SeriesVerdict::Better);
    check(Role::Lower, -0.5, None, SeriesVerdict::Worse);
    check(Role::Relative, 0.5, None, SeriesVerdict::Worse);
}

#[test]
fn without_a_direction_a_margin_decides_or_nothing() {
    let undecided = check(Role::Upper, 0.0, None, SeriesVerdict::Undecided);
    assert_eq!(undecided.pairs.len(), 400);
    let within = check(
        Role::Upper,
        0.0,
        Some(Margin::Unit(0.5)),
        SeriesVerdict::WithinMargin,
    );
    assert!(within.decided_by < 400);
    check(
        Role::Upper,
        0.0,
        Some(Margin::Sd(1.0)),
        SeriesVerdict::WithinMargin,
    );
    check(
        Role::Upper,
        0.0,
        Some(Margin::Unit(1e-6)),
        SeriesVerdict::Undecided,
    );
}

#[test]
fn runs_that_begin_to_fail_are_worse() {
    let version = |fails: bool| {
        let mut version = seen(0..40, &[]);
        for run in version.runs.values_mut() {
            run.failure = fails.then(|| "broken".to_owned());
        }
        version
    };
    let mut pairs = TestPairs::new(SeriesRule::default(), &version(false), &version(true));
    pairs.begin(&Shares::new(1e-4, pairs.differing()));
    let test = pairs.compared();
    assert_eq!(test.series[0].key, SeriesKey::FAILED);
    assert_eq!(test.series[0].verdict, SeriesVerdict::Worse);
}

#[test]
fn assertions_are_new_gone_or_renamed() {
    let [a, b, c, d] = ["a<1", "b<1", "c<1", "d<1"].map(|text| key(text, Role::Upper));
    let other = |run| noise(run + 7);
    let old = seen(0..3, &[(&a, &noise), (&b, &other)]);
    let new = seen(0..3, &[(&c, &noise), (&d, &|_| 0.5)]);
    let test = TestPairs::new(SeriesRule::default(), &old, &new).compared();
    assert_eq!((&test.gone, &test.added), (&vec![b], &vec![d]));
    let renamed = Renamed { old: a, new: c };
    assert_eq!(test.renamed, [renamed]);
    assert_eq!(test.series.len(), 1);
}

#[test]
fn what_no_seed_controls_is_said_to_be_so() {
    let a = key("a<1", Role::Upper);
    let once = seen(0..3, &[(&a, &noise)]);
    let again = seen(0..3, &[(&a, &|run| noise(run + 1))]);
    let mut pairs = TestPairs::new(SeriesRule::default(), &once, &again);
    pairs.repeated("new", &once, &once);
    assert_eq!(pairs.compared().uncontrolled, None);
    pairs.repeated("new", &once, &again);
    let said = pairs.compared().uncontrolled.unwrap();
    assert!(said.starts_with("`a<1` of the new code saw "), "{said}");
}

#[test]
fn a_comparison_is_read_as_it_was_written() {
    let test = compared(Role::Upper, SeriesRule::default(), &noise, &|run| {
        noise(run) + 0.5
    });
    let revision = |name: Option<&str>| Revision {
        name: name.map(str::to_owned),
        commit: "0123456789abcdef".to_owned(),
    };
    let compared = Compared {
        version: VERSION,
        runner: flex_run::model::Runner::Cargo,
        old: revision(Some("main")),
        new: revision(None),
        base: "b".to_owned(),
        alpha: 1e-4,
        margin: Some(Margin::Sd(0.1)),
        tests: vec![
            test,
            ComparedTest::failed(TestId::cargo("lib", "b"), None, "no".to_owned()),
        ],
        gone: vec![TestId::cargo("lib", "c")],
        added: Vec::new(),
    };
    assert_eq!(Compared::parse(&json(&compared)).unwrap(), compared);
    let text = text(&compared, false, Paint::Plain);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(text.contains("different, worse after "), "{text}");
    assert!(
        text.contains("error: no") && text.contains("gone: c"),
        "{text}"
    );
    assert!(text.contains("1 worse; 1 could not be compared"), "{text}");
    assert!(markdown(&compared).contains("| `p lib a` | `x<1` |"));
}

#[test]
fn maps_of_values_have_one_order() {
    let keys: BTreeMap<SeriesKey, ()> = [
        (key("b", Role::Lower), ()),
        (SeriesKey::SECONDS, ()),
        (key("a", Role::Upper), ()),
        (SeriesKey::FAILED, ()),
    ]
    .into();
    let labels: Vec<String> = keys.keys().map(SeriesKey::label).collect();
    assert_eq!(labels, ["runs that fail", "seconds", "a", "b (lower)"]);
}
