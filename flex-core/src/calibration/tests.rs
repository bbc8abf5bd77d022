use super::*;
use crate::bound::ceiling::TIGHT;
use crate::bound::strategy::Strategy;
use crate::tail::Tail;

/// A normal-looking value for each run, the same whoever asks.
fn value(run: u32) -> f64 {
    let mut sum = 0.0;
    let mut state = u64::from(run).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    for _ in 0..12 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum += (state >> 11) as f64 / (1u64 << 53) as f64;
    }
    sum - 6.0
}

fn run(index: u32, hits: &[(&str, SiteSpec, f64)]) -> Run {
    Run {
        index,
        panicked: false,
        hits: hits
            .iter()
            .map(|(site, spec, value)| (SiteId::from(*site), *spec, *value))
            .collect(),
    }
}

/// Drives the machine to its end.
fn drive(plan: CalibrationPlan, mut show: impl FnMut(u32) -> Run) -> Calibrated {
    let mut calibration = Calibration::new(plan);
    loop {
        match calibration.step().unwrap() {
            Step::Done(calibrated) => return calibrated,
            Step::Collect(count) => {
                let wanted: Vec<u32> = calibration.wanted().collect();
                assert_eq!(wanted.len(), count as usize);
                for index in wanted {
                    calibration.push(&show(index)).unwrap();
                }
            }
        }
    }
}

const UPPER: SiteSpec = SiteSpec {
    tail: Tail::Upper,
    domain: None,
    light: false,
    confidence: None,
    about: About::Runs,
};

#[test]
fn the_sites_of_a_suite_spend_what_they_were_given() {
    let c = |value| Confidence::new(value).unwrap();
    let mut known = SortedMap::new();
    known.insert("kept".into(), c(0.9997));
    let shares = SuiteShares {
        known,
        late: c(0.99998),
    };
    let mut calibration = Calibration::in_suite(CalibrationPlan::default(), shares);
    let spec = SiteSpec::new(Tail::Upper);
    let own = SiteSpec {
        confidence: Some(c(0.999)),
        ..spec
    };
    for i in 0..100 {
        let hits = [
            ("kept", spec, value(i)),
            ("late", spec, value(i)),
            ("later", spec, value(i)),
            ("own", own, value(i)),
        ];
        calibration.push(&run(i, &hits)).unwrap();
    }
    let Step::Done(done) = calibration.step().unwrap() else {
        panic!("the runs are enough");
    };
    let shares: Vec<f64> = done
        .sites
        .iter()
        .map(|site| site.share.confidence.value())
        .collect();
    // Two that nobody knew of share what is for those: more of them must not break the budget.
    assert_eq!(shares, [0.9997, 0.99999, 0.99999, 0.999]);
}

#[test]
fn a_default_calibration_ends_after_100_runs() {
    let plan = CalibrationPlan::default();
    let done = drive(plan, |i| run(i, &[("x<_", UPPER, value(i))]));
    assert_eq!(done.runs, 100);
    let site = &done.sites[0];
    assert_eq!(site.missed, 0);
    assert_eq!(site.bound.strategy(), Strategy::Tail);
    let quantiles = site.quantiles.unwrap();
    assert!(quantiles.is_sorted() && quantiles[8] == site.bound.median);
}

#[test]
fn the_order_of_arrival_and_runs_beyond_the_target_do_not_matter() {
    let plan = CalibrationPlan::default();
    let show = |i| run(i, &[("x<_", UPPER, value(i))]);
    let expected = drive(plan, show);
    let mut calibration = Calibration::new(plan);
    for i in (0..140).rev() {
        calibration.push(&show(i)).unwrap();
    }
    assert_eq!(calibration.step().unwrap(), Step::Done(expected));
}

#[test]
fn a_tight_ceiling_takes_more_runs_and_ends() {
    let plan = CalibrationPlan {
        tight: true,
        ..CalibrationPlan::default()
    };
    let done = drive(plan, |i| run(i, &[("x<_", UPPER, value(i))]));
    assert!(done.runs > 300 && done.runs <= 3000, "{}", done.runs);
    let ceiling = done.sites[0].bound.sides[0].ceiling.clone().unwrap();
    assert!(done.runs == 3000 || ceiling.margin(done.sites[0].bound.median) <= TIGHT);
}

#[test]
fn a_guard_that_needs_more_runs_gets_them() {
    let plan = CalibrationPlan {
        min_runs: 3,
        ..CalibrationPlan::default()
    };
    let done = drive(plan, |i| run(i, &[("x<_", UPPER, value(i))]));
    assert!(done.runs > 3 && done.runs < 30, "{}", done.runs);
    assert!(done.sites[0].bound.sides[0].guard.is_ok());
    let few = CalibrationPlan {
        max_runs: 5,
        ..plan
    };
    let done = drive(few, |i| run(i, &[("x<_", UPPER, value(i))]));
    assert_eq!(done.sites[0].bound.strategy(), Strategy::Refuse);
    assert!(done.sites[0].bound.reason().unwrap().contains("too few"));
}

#[test]
fn time_that_is_up_ends_with_the_complete_runs() {
    let mut calibration = Calibration::new(CalibrationPlan::default());
    for i in (0..60).chain(62..70) {
        let shown = run(i, &[("x<_", UPPER, value(i))]);
        calibration.push(&shown).unwrap();
    }
    calibration.out_of_time();
    let Step::Done(done) = calibration.step().unwrap() else {
        panic!("the time is up");
    };
    assert_eq!((done.runs, done.sites[0].bound.samples), (60, 60));
}

#[test]
fn hits_in_one_run_fold_to_the_most_extreme_of_each_side() {
    let spec = SiteSpec::new(Tail::Both);
    let plan = CalibrationPlan {
        confidence: Confidence::new(0.9).unwrap(),
        ..CalibrationPlan::default()
    };
    let done = drive(plan, |i| {
        let x = value(i);
        run(
            i,
            &[("b", spec, x), ("b", spec, x - 5.0), ("b", spec, x + 5.0)],
        )
    });
    let sides = &done.sites[0].bound.sides;
    let guards: Vec<f64> = sides
        .iter()
        .map(|s| s.guard.as_ref().unwrap().bound)
        .collect();
    assert!(guards[0] < -4.0 && guards[1] > 4.0, "{guards:?}");
}

#[test]
fn panics_are_counted_and_do_not_make_a_site_sometimes_reached() {
    let done = drive(CalibrationPlan::default(), |i| Run {
        panicked: i % 50 == 7,
        ..if i % 50 == 7 {
            run(i, &[])
        } else {
            run(i, &[("x<_", UPPER, value(i))])
        }
    });
    assert_eq!(done.panics, [7, 57]);
    assert_eq!(done.sites[0].missed, 0);
    assert_eq!(done.sites[0].bound.samples, 98);
}

#[test]
fn the_budget_is_shared_over_the_sites_that_were_seen() {
    let own = SiteSpec {
        confidence: Some(Confidence::new(0.99995).unwrap()),
        ..UPPER
    };
    let done = drive(CalibrationPlan::default(), |i| {
        run(
            i,
            &[
                ("a", UPPER, value(i)),
                ("b", own, value(i)),
                ("c", UPPER, -value(i)),
            ],
        )
    });
    let shares: Vec<f64> = done
        .sites
        .iter()
        .map(|s| s.share.confidence.value())
        .collect();
    assert_eq!(shares, [0.999975, 0.99995, 0.999975]);
}

#[test]
fn a_refused_run_leaves_no_trace() {
    let mut calibration = Calibration::new(CalibrationPlan::default());
    calibration.push(&run(0, &[("a", UPPER, 1.0)])).unwrap();
    let before = format!("{calibration:?}");
    let lower = SiteSpec::new(Tail::Lower);
    let conflict = run(1, &[("b", UPPER, 1.0), ("a", lower, 1.0)]);
    assert!(matches!(
        calibration.push(&conflict),
        Err(PushError::Conflict { .. })
    ));
    assert_eq!(calibration.push(&run(0, &[])), Err(PushError::Repeated(0)));
    assert_eq!(format!("{calibration:?}"), before);
}

/// How many of a hundred runs have a value beyond a guard, at any site.
fn runs_in_doubt(done: &Calibrated, show: impl Fn(u32) -> Run) -> usize {
    let in_doubt = |index: &u32| {
        show(*index).hits.iter().any(|(id, _, value)| {
            let site = done.sites.iter().find(|site| site.id == *id).unwrap();
            site.bound.sides.iter().any(|side| {
                let guard = side.guard.as_ref().unwrap();
                side.side.is_beyond(*value, guard.bound)
            })
        })
    };
    (0..100).filter(in_doubt).count()
}

#[test]
fn effort_belongs_to_the_test_whatever_its_sites_have_to_do_with_each_other() {
    let names = ["a", "b", "c", "d", "e"];
    // Independent values, and five times the same one.
    let independent = |i: u32| {
        let hits = names.iter().zip(0..);
        let hits = hits.map(|(name, site)| (*name, UPPER, value(i + 1000 * site)));
        run(i, &hits.collect::<Vec<_>>())
    };
    let same = |i: u32| run(i, &names.map(|name| (name, UPPER, value(i))));
    let alone = drive(CalibrationPlan::default(), |i| {
        run(i, &[("a", UPPER, value(i))])
    });
    assert_eq!(
        runs_in_doubt(&alone, |i| run(i, &[("a", UPPER, value(i))])),
        29
    );
    let done = drive(CalibrationPlan::default(), independent);
    assert!((25..=29).contains(&runs_in_doubt(&done, independent)));
    let together = drive(CalibrationPlan::default(), same);
    assert_eq!(runs_in_doubt(&together, same), 29);
    let guard = |done: &Calibrated| done.sites[0].bound.sides[0].guard.as_ref().unwrap().bound;
    assert_eq!(guard(&together), guard(&alone));
    assert!(guard(&done) > guard(&alone));
}

#[test]
fn sites_that_no_replay_can_clear_have_races_that_begin_at_once() {
    let show = |i| run(i, &[("x", UPPER, value(i)), ("y", UPPER, value(i + 500))]);
    let mut calibration = Calibration::new(CalibrationPlan::default());
    for i in 0..100 {
        calibration.push(&show(i)).unwrap();
    }
    let Step::Done(before) = calibration.step().unwrap() else {
        panic!("the runs are enough");
    };
    calibration.set_uncontrolled([SiteId::from("y")]);
    let Step::Done(after) = calibration.step().unwrap() else {
        panic!("the runs are still enough");
    };
    let settling = |done: &Calibrated| [done.sites[0].settling, done.sites[1].settling];
    assert_eq!(settling(&before), [Settling::Replay; 2]);
    assert_eq!(settling(&after), [Settling::Replay, Settling::Reruns]);
    let clear = |done: &Calibrated, site: usize| {
        done.sites[site].bound.sides[0]
            .guard
            .as_ref()
            .unwrap()
            .race
            .clear()
    };
    assert_eq!(clear(&after, 0), clear(&before, 0));
    assert!(
        clear(&after, 1) > clear(&before, 1),
        "its reruns count as effort"
    );
}

#[test]
fn with_further_attempts_only_runs_that_passed_are_learned_from() {
    // Every fourth run fails, and shows large values before it does.
    let show = |i: u32| Run {
        panicked: i.is_multiple_of(4),
        ..run(
            i,
            &[(
                "x",
                UPPER,
                if i.is_multiple_of(4) { 50.0 } else { value(i) },
            )],
        )
    };
    let done = drive(CalibrationPlan::default(), show);
    assert_eq!(done.sites[0].bound.samples, 100);
    let plan = CalibrationPlan {
        only_passed: true,
        ..CalibrationPlan::default()
    };
    let passed = drive(plan, show);
    assert_eq!(passed.sites[0].bound.samples, 75);
    assert_eq!((passed.sites[0].missed, passed.panics.len()), (0, 25));
    let largest = |done: &Calibrated| done.sites[0].quantiles.unwrap()[16];
    assert!(largest(&passed) < 5.0 && largest(&done) == 50.0);
}

#[test]
fn power_is_told_in_the_unit_of_the_metric() {
    let lower = SiteSpec::new(Tail::Lower);
    let show = |i| {
        run(
            i,
            &[
                ("x", UPPER, 10.0 + 0.5 * value(i)),
                ("y", lower, value(i + 700)),
            ],
        )
    };
    let done = drive(CalibrationPlan::default(), show);
    let [x, y] = [0, 1].map(|site| done.sites[site].power[0].unwrap());
    assert!(
        (x.shift - 0.5).abs() < 0.1 && (y.shift + 1.0).abs() < 0.2,
        "{x:?} {y:?}"
    );
    // Two sites share the effort; nearly as much is caught as a normal reference says (0.65, 0.93, 0.99 for one site).
    for power in [x, y] {
        let [one, two, three] = power.caught;
        assert!(
            (0.35..0.65).contains(&one) && two > 0.8 && three > 0.95,
            "{power:?}"
        );
    }
    let always = CalibrationPlan {
        replays_always: true,
        ..CalibrationPlan::default()
    };
    let more = drive(always, show).sites[0].power[0].unwrap();
    assert!(
        more.caught[0] > x.caught[0] + 0.2 && more.caught[1] > 0.99,
        "{more:?}"
    );
    let constant = drive(CalibrationPlan::default(), |i| run(i, &[("x", UPPER, 1.0)]));
    assert_eq!(constant.sites[0].power, [None]);
}

#[test]
fn a_suite_has_ceilings_that_keep_their_rate_on_average() {
    let own = drive(CalibrationPlan::default(), |i| {
        run(i, &[("x", UPPER, value(i))])
    });
    let shares = SuiteShares {
        known: SortedMap::new(),
        late: Confidence::DEFAULT,
    };
    let mut calibration = Calibration::in_suite(CalibrationPlan::default(), shares);
    for i in 0..100 {
        calibration
            .push(&run(i, &[("x", UPPER, value(i))]))
            .unwrap();
    }
    let Step::Done(suite) = calibration.step().unwrap() else {
        panic!("the runs are enough");
    };
    let ceiling = |done: &Calibrated| done.sites[0].bound.sides[0].ceiling.as_ref().unwrap().bound;
    assert!(ceiling(&suite) < 0.7 * ceiling(&own));
}

#[test]
fn a_mean_is_held_beside_bounds_for_each_run_and_changes_nothing_about_them() {
    let mean = SiteSpec {
        about: About::Mean { margin: None },
        ..UPPER
    };
    let own = Some(Confidence::new(0.99995).unwrap());
    let (each, mean) = (
        SiteSpec {
            confidence: own,
            ..UPPER
        },
        SiteSpec {
            confidence: own,
            ..mean
        },
    );
    let done = drive(CalibrationPlan::default(), |i| {
        run(i, &[("each", each, value(i)), ("mean", mean, value(i))])
    });
    // So many runs that the bound is nearer to the mean than a quarter of a standard deviation.
    assert!((130..=400).contains(&done.runs), "{}", done.runs);
    let held = done.sites[1].held.unwrap().unwrap();
    assert!(!held.is_loose && done.sites[1].bound.sides.is_empty());
    let plan = CalibrationPlan {
        min_runs: done.runs,
        ..CalibrationPlan::default()
    };
    let alone = drive(plan, |i| run(i, &[("each", each, value(i))]));
    assert_eq!(alone.sites[0].bound, done.sites[0].bound);
    assert_eq!(alone.extra_runs, done.extra_runs);
}
