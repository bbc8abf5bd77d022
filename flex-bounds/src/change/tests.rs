use super::*;
use crate::TestId;
use crate::file::{Key, Provenance, Sides};
use flex_core::bound::confidence::Confidence;
use flex_core::calibration::{About, Calibration, CalibrationPlan, SiteSpec, Step};
use flex_core::sample::Extremes;
use flex_core::tail::Tail;

/// The entry of an upper tail, and its samples: the quantiles of an exponential, scaled and shifted.
fn learn(runs: u32, scale: f64, shift: f64) -> (Entry, Samples) {
    learn_values(runs, |run| {
        let scrambled = f64::from(run * 37 % runs);
        shift - scale * ((scrambled + 0.5) / f64::from(runs)).ln()
    })
}

/// The quantile of a normal distribution, by bisection of a series for its probability (Marsaglia 2004).
fn normal_quantile(p: f64) -> f64 {
    let below = |x: f64| {
        let (mut term, mut sum) = (x, x);
        for i in 1..200 {
            term *= x * x / f64::from(2 * i + 1);
            sum += term;
        }
        0.5 + sum * (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
    };
    let (mut low, mut high) = (-6.0, 6.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match below(middle) < p {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// The entry of an upper tail, and its samples.
fn learn_values(runs: u32, value: impl Fn(u32) -> f64) -> (Entry, Samples) {
    calibrated(SiteSpec::new(Tail::Upper), runs, value)
}

/// The entry of a site after so many runs, and what they showed.
fn calibrated(spec: SiteSpec, runs: u32, value: impl Fn(u32) -> f64) -> (Entry, Samples) {
    let plan = CalibrationPlan {
        min_runs: runs,
        max_runs: runs,
        ..CalibrationPlan::default()
    };
    let mut calibration = Calibration::new(plan);
    for run in 0..runs {
        let site = "x".into();
        let hit = (&site, spec, Extremes::new(value(run)));
        calibration.push_folded(run, false, &[hit]).unwrap();
    }
    let Step::Done(done) = calibration.step().unwrap() else {
        panic!("the runs are enough");
    };
    let key = Key {
        test: TestId::pytest("t"),
        site: "x".into(),
        variant: None,
    };
    let entry = Entry::of_calibration(key, &done.sites[0], Provenance::default());
    (entry, Samples::new((0..runs).map(|run| (run, value(run)))))
}

/// A site that no run missed.
fn all(samples: &Samples) -> NewSamples<'_> {
    NewSamples {
        sides: std::slice::from_ref(samples),
        missed: 0,
        promise: Promise::Assured,
    }
}

/// What becomes of an entry of 100 samples, in a word.
fn check(new: (Entry, Samples), accept: bool, expected: &str) {
    let (old, _) = learn(100, 1.0, 0.0);
    let change = Change::between(Some(&old), &new.0, all(&new.1), 10, accept);
    let word = match &change {
        Change::New => "new",
        Change::Kept => "kept",
        Change::Replaced => "replaced",
        Change::Pending(why) if why.contains("moved") => "moved",
        Change::Pending(_) => "refused",
    };
    assert_eq!(word, expected, "{change:?}");
}

#[test]
fn what_could_be_the_old_distribution_keeps_the_old_numbers() {
    check(learn(100, 1.0, 0.0), false, "kept");
    check(learn(101, 1.05, 0.0), false, "kept");
    check(learn(300, 1.0, 0.0), false, "replaced");
}

#[test]
fn a_test_that_was_changed_is_learned_anew() {
    let changed = |scale: f64| {
        let (mut entry, samples) = learn(100, scale, 0.0);
        entry.fingerprint = Some("another".to_owned());
        (entry, samples)
    };
    check(changed(1.0), false, "replaced");
    check(changed(0.9), false, "replaced");
    check(changed(1.1), false, "replaced");
    check(changed(3.0), false, "moved");
}

#[test]
fn many_more_samples_of_what_did_not_move_are_taken_whichever_way_they_point() {
    check(learn(150, 1.3, 0.0), false, "replaced");
    check(learn(150, 0.9, 0.0), false, "replaced");
    let (old, _) = learn(100, 1.0, 0.0);
    let (new, samples) = learn(150, 1.3, 0.0);
    assert_eq!(Change::contradiction(&old, &new, all(&samples), 10), None);
}

#[test]
fn a_bound_that_does_not_fit_any_more_is_learned_anew_though_no_move_is_certain() {
    // Half a standard deviation, which a hundred samples of a normal distribution do not show beyond doubt.
    let normal = |shift: f64| {
        let value = |run: u32| shift + normal_quantile((f64::from(run * 37 % 100) + 0.5) / 100.0);
        learn_values(100, value)
    };
    let (old, _) = normal(0.0);
    let between = |shift: f64, accept: bool| {
        let (new, samples) = normal(shift);
        Change::between(Some(&old), &new, all(&samples), 500, accept)
    };
    assert_eq!(between(0.0, false), Change::Kept);
    assert_eq!(between(0.5, false), Change::Replaced);
    assert_eq!(between(-0.5, false), Change::Kept);
    assert_eq!(
        between(0.0, true),
        Change::Replaced,
        "what is accepted is taken"
    );
    assert!(matches!(between(2.0, false), Change::Pending(_)));
}

#[test]
fn a_looser_bound_of_a_moved_distribution_waits_for_a_review() {
    check(learn(100, 1.0, 2.0), false, "moved");
    check(learn(100, 1.0, 2.0), true, "replaced");
    check(learn(100, 0.1, -5.0), false, "replaced");
}

#[test]
fn a_bound_is_not_lost_to_a_refusal_unseen() {
    let (mut entry, samples) = learn(100, 1.0, 0.0);
    entry.sides = Sides::Upper(Learned::Refuse {
        reason: "shared state".to_owned(),
    });
    check((entry.clone(), samples.clone()), false, "refused");
    check((entry, samples), true, "replaced");
}

#[test]
fn what_stays_refused_stays_as_it_is() {
    let refused = |reason: &str| {
        let (mut entry, samples) = learn(100, 1.0, 0.0);
        let reason = reason.to_owned();
        entry.sides = Sides::Upper(Learned::Refuse { reason });
        (entry, samples)
    };
    let (old, _) = refused("look at run 3");
    let check = |old: &Entry, (new, samples): (Entry, Samples), expected| {
        let change = Change::between(Some(old), &new, all(&samples), 1, false);
        assert_eq!(change, expected);
    };
    check(&old, refused("look at run 5"), Change::Kept);
    check(&old, learn(100, 1.0, 0.0), Change::Replaced);
    // Without quantiles there are only the words.
    let mut old = old;
    old.quantiles = None;
    let mut new = refused("look at run 3");
    new.0.quantiles = None;
    check(&old, new.clone(), Change::Kept);
    new.0.sides = refused("look at run 5").0.sides;
    check(&old, new, Change::Replaced);
}

#[test]
fn a_site_that_some_runs_reach_is_not_learned_anew_by_chance() {
    let sometimes = |runs| {
        let (mut entry, samples) = learn(runs, 1.0, 0.0);
        entry.reached = Reached::Sometimes;
        (entry, samples)
    };
    let (old, _) = sometimes(24);
    for (runs, expected) in [(40, Change::Kept), (200, Change::Replaced)] {
        let (new, samples) = sometimes(runs);
        let change = Change::between(Some(&old), &new, all(&samples), 1, false);
        assert_eq!(change, expected, "{runs}");
    }
}

#[test]
fn a_site_that_runs_begin_to_miss_waits_for_a_review() {
    let (old, _) = learn(100, 1.0, 0.0);
    let check = |missed: u32, expected: bool| {
        let (mut new, samples) = learn(100 - missed, 1.0, 0.0);
        new.reached = Reached::Sometimes;
        let seen = NewSamples {
            missed,
            ..all(&samples)
        };
        let change = Change::between(Some(&old), &new, seen, 1, false);
        assert_eq!(change != Change::Kept, expected, "{missed}: {change:?}");
        let against = Change::contradiction(&old, &new, seen, 1);
        assert_eq!(against.is_some(), expected, "{missed}: {against:?}");
        // Twelve misses of 200 runs are all new with probability C(100, 12) / C(200, 12) = 1.7e-4, eight with 3.4e-3.
        if expected {
            assert!(matches!(change, Change::Pending(why) if why.contains("reach it")));
            let accepted = Change::between(Some(&old), &new, seen, 1, true);
            assert_eq!(accepted, Change::Replaced);
        }
    };
    check(0, false);
    check(8, false);
    check(12, true);
    check(50, true);
}

#[test]
fn a_check_finds_what_moved_either_way() {
    let (old, _) = learn(100, 1.0, 0.0);
    let found = |(new, samples): (Entry, Samples)| {
        Change::contradiction(&old, &new, all(&samples), 500).unwrap_or_default()
    };
    assert_eq!(found(learn(300, 1.0, 0.0)), "");
    assert!(found(learn(300, 1.0, 1.0)).contains("would loosen"));
    assert!(found(learn(300, 1.0, -1.0)).contains("would tighten"));
    let (mut other, samples) = learn(300, 1.0, 0.0);
    other.light = true;
    assert!(found((other, samples)).starts_with("missing"));
}

#[test]
fn another_question_has_another_answer() {
    let (mut entry, samples) = learn(100, 1.0, 0.0);
    entry.light = true;
    check((entry, samples), false, "replaced");
    // A test with one more site has another share for each; that must not hide a shift.
    let other_share = |(mut entry, samples): (Entry, Samples)| {
        entry.confidence = Confidence::new(0.99995).unwrap();
        (entry, samples)
    };
    check(other_share(learn(100, 1.0, 0.0)), false, "replaced");
    check(other_share(learn(100, 1.0, 2.0)), false, "moved");
    check(other_share(learn(100, 1.0, 2.0)), true, "replaced");
    let (entry, samples) = learn(100, 1.0, 0.0);
    assert_eq!(
        Change::between(None, &entry, all(&samples), 1, false),
        Change::New
    );
}

/// The entry that holds the mean of these values, and the values.
fn hold(runs: u32, value: impl Fn(u32) -> f64) -> (Entry, Samples) {
    let spec = SiteSpec {
        about: About::Mean { margin: None },
        ..SiteSpec::new(Tail::Upper)
    };
    calibrated(spec, runs, value)
}

#[test]
fn a_mean_is_kept_while_it_lies_where_it_is_held() {
    let normal = |shift: f64| {
        move |run: u32| shift + normal_quantile((f64::from(run * 37 % 200) + 0.5) / 200.0)
    };
    let (old, _) = hold(200, normal(0.0));
    let check = |shift: f64, runs: u32, expected: fn(&Change) -> bool| {
        let (new, samples) = hold(runs, normal(shift));
        let seen = NewSamples {
            sides: std::slice::from_ref(&samples),
            missed: 0,
            promise: Promise::Assured,
        };
        let change = Change::between(Some(&old), &new, seen, 1, false);
        assert!(expected(&change), "{shift} {runs}: {change:?}");
    };
    check(0.0, 200, |change| *change == Change::Kept);
    check(0.1, 200, |change| *change == Change::Kept);
    // As far as no drift is seen, but beyond the bound.
    check(0.3, 200, |change| *change == Change::Replaced);
    check(
        0.5,
        200,
        |change| matches!(change, Change::Pending(why) if why.contains("loosen")),
    );
    check(-1.0, 200, |change| *change == Change::Replaced);
    check(0.0, 400, |change| *change == Change::Kept);
    check(0.0, 600, |change| *change == Change::Replaced);
}
