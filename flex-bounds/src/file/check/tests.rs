use super::*;
use crate::file::tests::{entry, guard};
use crate::file::{Bounds, BoundsFile, Sides};

/// Changes a valid entry and asserts that exactly `key` is complained about, and that the file stays empty.
fn check(key: &str, words: &str, change: impl FnOnce(&mut Entry)) {
    let mut file = BoundsFile::default();
    let mut entry = entry("error<_");
    change(&mut entry);
    let error = file.insert(entry).unwrap_err();
    assert_eq!(error.key, key, "{error}");
    assert!(error.to_string().contains(words), "{error}");
    assert_eq!(file, BoundsFile::default());
}

fn bounds(ceiling: f64, bound: f64) -> Learned {
    Learned::Tail(Bounds {
        ceiling,
        guard: Some(GuardBound {
            bound,
            ..guard(0.1)
        }),
        fit: None,
    })
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        check("ceiling", "finite", |entry| {
            entry.sides = Sides::Upper(bounds(wrong, 0.5));
        });
        check("guard", "finite", |entry| {
            entry.sides = Sides::Upper(bounds(0.5, wrong));
        });
        check("quantiles", "finite", |entry| {
            entry.quantiles = Some([wrong; 17]);
        });
    }
}

#[test]
fn the_ceiling_is_not_tighter_than_the_guard() {
    check("ceiling", "below its guard", |entry| {
        entry.sides = Sides::Upper(bounds(0.4, 0.5));
    });
    check("ceiling", "above its guard", |entry| {
        entry.sides = Sides::Lower(bounds(0.5, 0.4));
    });
    let mut file = BoundsFile::default();
    let mut entry = entry("error<_");
    entry.sides = Sides::Upper(bounds(0.5, 0.5));
    assert_eq!(file.insert(entry), Ok(None), "equal is not tighter");
}

#[test]
fn bounds_stay_inside_the_domain() {
    check("ceiling", "outside the domain 0..1", |entry| {
        entry.domain = Domain::new(0.0, 1.0).ok();
        entry.sides = Sides::Upper(bounds(1.5, 0.5));
    });
    check("guard", "outside the domain 0..1", |entry| {
        entry.domain = Domain::new(0.0, 1.0).ok();
        entry.sides = Sides::Upper(bounds(0.5, -0.5));
    });
}

#[test]
fn cuts_go_outward_on_their_own_side() {
    check("race", "must go outward", |entry| {
        entry.sides = Sides::Lower(bounds(-2.0, 0.05));
    });
    check("race", "finite", |entry| {
        let mut guard = guard(0.1);
        guard.race = guard.race.map_cuts(|_| f64::NAN);
        let (fit, reason) = (None, None);
        entry.sides = Sides::Upper(Learned::Guard { guard, fit, reason });
    });
    check("effort", "finite", |entry| entry.effort = Some(f64::NAN));
}

#[test]
fn a_wrong_side_of_two_is_named() {
    let mut entry = entry("error<_");
    entry.sides = Sides::Both {
        lower: Box::new(Learned::Keep),
        upper: Box::new(bounds(1.0, 2.0)),
    };
    assert_eq!(entry.check().unwrap_err().side, Some(Side::Upper));
}

#[test]
fn fit_reason_and_names_are_checked() {
    check("fit", "scale", |entry| {
        let fit = Fit {
            threshold: 0.0,
            scale: 0.0,
            shape: 0.1,
            exceedances: 20,
        };
        entry.sides = Sides::Upper(Learned::Tail(Bounds {
            ceiling: 1.0,
            guard: None,
            fit: Some(fit),
        }));
    });
    check("reason", "says why", |entry| {
        let reason = " ".to_owned();
        entry.sides = Sides::Upper(Learned::Refuse { reason });
    });
    check("site", "empty", |entry| entry.key.site.text.clear());
    check("not_finite", "than there are", |entry| {
        entry.not_finite = entry.samples + 1;
    });
    check("quantiles", "ascending", |entry| {
        let mut quantiles = [0.0; 17];
        quantiles[3] = 1.0;
        entry.quantiles = Some(quantiles);
    });
}

#[test]
fn only_days_of_the_calendar_are_dates() {
    for date in ["2026-11-16", "2024-02-29", "2000-02-29", "0001-12-31"] {
        assert!(is_date(date), "{date}");
    }
    for wrong in [
        "2026-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-04-31",
        "2026-01-00",
        "2026-1-01",
        "26-01-01",
        "2026/01/01",
        "+026-01-01",
        "2026-01-0é",
        "",
    ] {
        assert!(!is_date(wrong), "{wrong}");
        check("calibrated", "not a date", |entry| {
            entry.calibrated = Some(wrong.to_owned());
        });
    }
}
