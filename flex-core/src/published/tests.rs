//! The published method as a whole: which way it takes, for which data.

use super::*;
use crate::calibration::{Run, SiteSpec};
use crate::tail::Tail;

/// Quantiles of a distribution at n even probabilities: a sample without chance.
fn sample(n: u32, quantile_above: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..n)
        .map(|i| quantile_above((f64::from(i) + 0.5) / f64::from(n)))
        .collect()
}

fn exponential(n: u32) -> Vec<f64> {
    sample(n, |p| -p.ln())
}

fn uniform(n: u32) -> Vec<f64> {
    sample(n, |p| 1.0 - p)
}

/// A Pareto tail of index 1: heavy, and exponential in the logarithm.
fn pareto(n: u32) -> Vec<f64> {
    sample(n, |p| 1.0 / p)
}

/// The same, moved so that half of it is negative and no transform helps.
fn heavy(n: u32) -> Vec<f64> {
    sample(n, |p| 1.0 / p - 2.0)
}

fn question(side: Side) -> PublishedQuestion {
    PublishedQuestion {
        side,
        confidence: Confidence::DEFAULT,
        domain: None,
        declared: None,
        rule: ThresholdRule::default(),
    }
}

fn learn(values: &[f64], change: impl FnOnce(&mut PublishedQuestion)) -> Published {
    let mut question = question(Side::Upper);
    change(&mut question);
    Published::learn(&Samples::from_values(values), &question, PValuesBy::Table)
}

#[test]
fn an_exponential_tail_gives_its_scaled_quantile() {
    let published = learn(&exponential(400), |_| {});
    let PublishedDecision::Tail { bound } = published.decision else {
        panic!("{:?}", published.decision);
    };
    assert!((bound / 1e4f64.ln() - 1.0).abs() < 0.15, "{bound}");
    let tail = published.tail.unwrap();
    assert_eq!(tail.fit.exceedances, 399, "the lowest threshold wins");
    let percentiles = published.percentiles.unwrap();
    assert!(percentiles.is_sorted(), "{percentiles:?}");
    assert!((percentiles[0] / 10f64.ln() - 1.0).abs() < 0.1);
    assert!((percentiles[4] - bound).abs() < 1e-9);
    let back = tail.probability_beyond(bound).unwrap();
    assert!((back / 1e-4 - 1.0).abs() < 1e-9, "{back}");
}

#[test]
fn a_lower_tail_mirrors_an_upper_one() {
    let values = exponential(400);
    let mirrored: Vec<f64> = values.iter().map(|x| -x).collect();
    let upper = learn(&values, |_| {}).decision.bound().unwrap();
    let lower = learn(&mirrored, |question| question.side = Side::Lower);
    assert_eq!(lower.decision.bound(), Some(-upper));
    assert!(lower.percentiles.unwrap().is_sorted_by(|a, b| a >= b));
}

#[test]
fn a_heavy_tail_is_transformed_where_it_has_one_sign() {
    for sign in [1.0, -1.0] {
        let values: Vec<f64> = pareto(400).iter().map(|x| sign * x).collect();
        let side = if sign > 0.0 { Side::Upper } else { Side::Lower };
        let published = learn(&values, |question| question.side = side);
        assert_eq!(published.tail.as_ref().unwrap().kind, TailKind::Heavy);
        let tail = published.transformed.as_ref().unwrap().as_ref().unwrap();
        let transform = tail.transform.unwrap();
        assert_eq!(transform.mirrored, sign < 0.0);
        assert!(
            tail.threshold() * sign >= 1.0,
            "in the units of the samples"
        );
        // λ makes the values normal, not their tail exponential: here the transformed tail is light and bears a bound.
        assert_eq!(tail.kind, TailKind::Light);
        let bound = sign * published.decision.bound().unwrap();
        assert!((400.0..4000.0).contains(&bound), "{bound}");
    }
}

#[test]
fn values_that_pile_up_at_their_end_get_the_bootstrapped_extreme() {
    let published = learn(&uniform(400), |_| {});
    assert_eq!(published.tail, Err(NoTail::NoFit));
    assert_eq!(published.decision.strategy(), Strategy::Empirical);
    let bound = published.decision.bound().unwrap();
    assert!(bound > 1.0 && bound < 1.02, "{bound}");
}

#[test]
fn a_bound_outside_of_the_domain_gives_way_to_reruns() {
    let published = learn(&uniform(400), |question| {
        question.domain = "0..1".parse().ok();
        question.declared = Some(0.9);
    });
    assert_eq!(
        published.decision,
        PublishedDecision::Rerun {
            failure_rate: 0.1,
            evidence: RateSource::Observed,
            runs: 4,
        }
    );
}

#[test]
fn reruns_come_from_the_tail_where_no_sample_failed() {
    let published = learn(&heavy(400), |question| question.declared = Some(1e3));
    let PublishedDecision::Rerun {
        failure_rate,
        evidence,
        runs,
    } = published.decision
    else {
        panic!("{:?}", published.decision);
    };
    assert_eq!((evidence, runs), (RateSource::Tail, 2));
    assert!((0.0005..0.002).contains(&failure_rate), "{failure_rate}");
}

#[test]
fn a_declared_bound_that_is_looser_is_kept() {
    let bound = learn(&exponential(400), |_| {}).decision.bound();
    for (declared, strategy) in [(5.0, Strategy::Tail), (20.0, Strategy::Keep)] {
        let published = learn(&exponential(400), |question| {
            question.declared = Some(declared);
        });
        assert_eq!(published.decision.strategy(), strategy);
        if strategy == Strategy::Keep {
            assert_eq!(
                published.decision,
                PublishedDecision::Keep { declared, bound }
            );
        }
    }
    let far = learn(&heavy(400), |question| question.declared = Some(1e9));
    assert_eq!(far.decision.strategy(), Strategy::Keep, "rarer than 1 − C");
}

/// Asserts that nothing is learned, and that the reason says `words`.
fn refused(published: &Published, words: &[&str]) {
    let PublishedDecision::Refuse { reason } = &published.decision else {
        panic!("{:?}", published.decision);
    };
    for word in words {
        assert!(reason.contains(word), "{reason}");
    }
}

#[test]
fn refusals_say_what_was_tried() {
    let tried = [
        "the tail is heavy",
        "both signs",
        "wider than the middle half",
        "declares",
    ];
    refused(&learn(&heavy(400), |_| {}), &tried);
    refused(
        &learn(&[1.0, 2.0], |_| {}),
        &["no threshold in a sample of 2 has 50", "at least 20"],
    );
    refused(&learn(&[], |_| {}), &["take more samples"]);
    let outside = learn(&exponential(100), |question| {
        question.domain = "0..1".parse().ok();
    });
    refused(&outside, &["outside of the declared domain 0..1"]);
    let undeclared = learn(&exponential(400), |question| {
        question.declared = Some(f64::NAN);
    });
    refused(&undeclared, &["the declared bound is NaN"]);
    let mut broken = exponential(100);
    broken[7] = f64::NAN;
    refused(&learn(&broken, |_| {}), &["1 sample is NaN"]);
    let wrong = learn(&heavy(400), |question| question.declared = Some(-1e9));
    refused(&wrong, &["all 400 samples fail"]);
}

#[test]
fn samples_that_are_not_numbers_are_rerun_at_their_rate() {
    let mut values = exponential(100);
    values[7] = f64::NAN;
    let published = learn(&values, |question| question.declared = Some(50.0));
    assert!(matches!(
        published.decision,
        PublishedDecision::Rerun {
            runs: 2,
            evidence: RateSource::Observed,
            ..
        }
    ));
}

#[test]
fn a_constant_bounds_itself_and_extreme_values_are_survived() {
    assert_eq!(learn(&[0.5; 300], |_| {}).decision.bound(), Some(0.5));
    for values in [
        vec![f64::MAX; 100],
        vec![1e-320; 100],
        [0.0, 1.0].repeat(60),
        [f64::MAX, -f64::MAX].repeat(60),
        sample(200, |p| p.powi(-100)),
        sample(200, |p| 1.0 + 1e-15 / p),
    ] {
        for side in [Side::Lower, Side::Upper] {
            let published = learn(&values, |question| question.side = side);
            let bound = published.decision.bound();
            assert!(bound.is_none_or(f64::is_finite), "{bound:?}");
        }
    }
}

#[test]
fn discrete_values_have_no_continuous_tail() {
    let integers: Vec<f64> = exponential(500).iter().map(|x| (3.0 * x).floor()).collect();
    let by = |rule| learn(&integers, |question| question.rule = rule);
    refused(
        &by(ThresholdRule::ForwardStop),
        &["reject", "both signs, or zeros"],
    );
    // The paper's rule looks at all tests together, and leaves the highest thresholds, where few values tie.
    let strong = by(ThresholdRule::StrongStop).tail.unwrap();
    assert!(strong.fit.exceedances < 250, "{}", strong.fit.exceedances);
}

#[test]
fn bootstrap_p_values_choose_much_the_same_threshold() {
    let mut state = 1u64;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let samples = Samples::from_values(&exponential(200));
    let by = PValuesBy::Bootstrap {
        replicates: 200,
        uniform: &mut uniform,
    };
    let published = Published::learn(&samples, &question(Side::Upper), by);
    assert_eq!(published.tail.unwrap().fit.exceedances, 199);
}

/// Drives the machine to its end, with one upper site whose value in run i is `value(i)`.
fn drive(plan: PublishedPlan, value: impl Fn(u32) -> f64) -> PublishedCalibrated {
    let mut calibration = PublishedCalibration::new(plan);
    loop {
        match calibration.step().unwrap() {
            PublishedStep::Done(calibrated) => return calibrated,
            PublishedStep::Collect(count) => {
                let wanted: Vec<u32> = calibration.wanted().collect();
                assert_eq!(wanted.len(), count as usize);
                for index in wanted {
                    calibration.push(&run(index, value(index))).unwrap();
                }
            }
        }
    }
}

fn run(index: u32, value: f64) -> Run {
    Run {
        index,
        panicked: false,
        hits: vec![("x<_".into(), SiteSpec::new(Tail::Upper), value)],
    }
}

/// A uniform number for each run, the same whoever asks.
fn chance(run: u32) -> f64 {
    let golden = 0.618_033_988_749_894_9 * f64::from(run + 1);
    golden.fract()
}

#[test]
fn the_loop_ends_with_the_first_light_or_exponential_tail() {
    let done = drive(PublishedPlan::default(), |i| -chance(i).ln());
    assert_eq!(done.runs, 100);
    assert_eq!(done.sites[0].sides[0].1.decision.strategy(), Strategy::Tail);
}

#[test]
fn the_loop_grows_to_its_largest_where_there_is_none() {
    let plan = PublishedPlan {
        most: 420,
        ..PublishedPlan::default()
    };
    let done = drive(plan, chance);
    assert_eq!(done.runs, 420);
    assert_eq!(
        done.sites[0].sides[0].1.decision.strategy(),
        Strategy::Empirical
    );
}

#[test]
fn the_loop_does_not_mind_the_order_of_runs_and_ends_in_time() {
    let show = |i: u32| run(i, -chance(i).ln());
    let expected = drive(PublishedPlan::default(), |i| -chance(i).ln());
    let mut calibration = PublishedCalibration::new(PublishedPlan::default());
    for index in (0..150).rev() {
        calibration.push(&show(index)).unwrap();
    }
    assert_eq!(calibration.step(), Ok(PublishedStep::Done(expected)));

    let mut calibration = PublishedCalibration::new(PublishedPlan::default());
    for index in (0..40).chain(60..80) {
        calibration.push(&show(index)).unwrap();
    }
    calibration.out_of_time();
    let Ok(PublishedStep::Done(done)) = calibration.step() else {
        panic!("the time is up");
    };
    assert_eq!(done.runs, 40);
}

#[test]
fn a_two_sided_site_gets_half_of_its_rate_on_each_side() {
    let spec = SiteSpec::new(Tail::Both);
    let mut calibration = PublishedCalibration::new(PublishedPlan::default());
    for index in 0..3000 {
        let u = chance(index);
        let run = Run {
            index,
            panicked: index == 3,
            hits: vec![("b".into(), spec, (u / (1.0 - u)).ln())],
        };
        calibration.push(&run).unwrap();
    }
    let Ok(PublishedStep::Done(done)) = calibration.step() else {
        panic!("all runs are there");
    };
    assert_eq!(done.panics, [3]);
    let sides = &done.sites[0].sides;
    assert_eq!((sides[0].0, sides[1].0), (Side::Lower, Side::Upper));
    // Each side is what a one-sided question at half of the rate says of the same runs.
    let values: Vec<f64> = (0..done.runs)
        .map(|index| {
            let u = chance(index);
            (u / (1.0 - u)).ln()
        })
        .collect();
    for (side, published) in sides {
        let alone = learn(&values, |question| {
            question.side = *side;
            question.confidence = Confidence::new(0.99995).unwrap();
        });
        assert!(alone.decision.bound().is_some());
        assert_eq!(published.decision, alone.decision);
    }
}

#[test]
fn the_bound_does_not_depend_on_the_unit() {
    // 1.25 + a Pareto tail: heavy, so that the transform decides, and far enough from zero for λ < 0.
    let values: Vec<f64> = (0..600)
        .map(|i| 1.25 + ((f64::from(i) + 0.5) / 600.0).powf(-0.5))
        .collect();
    let ask = |question: &mut PublishedQuestion| {
        question.confidence = Confidence::new(0.999).unwrap();
    };
    let bound = |unit: f64| {
        let scaled: Vec<f64> = values.iter().map(|x| x * unit).collect();
        learn(&scaled, ask)
            .decision
            .bound()
            .map(|bound| bound / unit)
    };
    let expected = bound(1.0).unwrap();
    for unit in [1e-9, 1e-3, 1e3, 1e6, 1e9] {
        let got = bound(unit).unwrap();
        assert!(
            (got / expected - 1.0).abs() < 1e-4,
            "{unit}: {got} {expected}"
        );
    }
}

#[test]
fn a_bound_at_the_end_of_the_domain_is_no_bound_and_nothing_known_is_not_keep() {
    let domain = Domain::new(0.0, 1.0).ok();
    let published = learn(&[1.0; 100], |question| question.domain = domain);
    assert_eq!(published.decision.bound(), None);
    for values in [&[][..], &[1.0], &[1.0, 2.0, 3.0]] {
        let published = learn(values, |question| question.declared = Some(5.0));
        refused(&published, &["take more samples"]);
    }
}
