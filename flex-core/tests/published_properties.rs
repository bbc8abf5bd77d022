//! The published methods, for whatever samples may come.
//!
//! Every test draws its cases from a fixed seed and stores no failures, so that the suite gives the same verdict each
//! time.

#[path = "support/hostile.rs"]
mod hostile;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::tail_rate::TailRate;
use flex_core::published::boxcox::BoxCox;
use flex_core::published::gof::FitDistance;
use flex_core::published::{
    PValuesBy, Published, PublishedDecision, PublishedQuestion, ThresholdRule, fit_at,
};
use flex_core::sample::Samples;
use flex_core::search::convergence::{ConvergenceWatch, Limits, StopRule, WatchStep, WatchedRun};
use flex_core::search::geweke::{Yardstick, geweke};
use flex_core::search::reruns::{OutcomeRates, trials};
use flex_core::tail::gpd::Gpd;
use flex_core::tail::{Domain, Side};
use hostile::hostile;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_261_118),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Samples in the shapes that they have, and in shapes that nobody should have.
fn samples() -> impl Strategy<Value = Vec<f64>> {
    let open = 1e-6..1.0f64;
    prop_oneof![
        vec(-1.0..1.0f64, 0..300),
        vec(open.clone(), 60..300).prop_map(|v| v.into_iter().map(|u| u.powi(-2)).collect()),
        vec(open, 60..300).prop_map(|v| v.into_iter().map(f64::ln).collect()),
        vec(-3..8i32, 0..300).prop_map(|v| v.into_iter().map(f64::from).collect()),
        vec(hostile(), 0..200),
        vec(1e-308..1e308f64, 60..200),
    ]
}

fn side() -> impl Strategy<Value = Side> {
    select(vec![Side::Lower, Side::Upper])
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_decision_is_finite_inside_of_the_domain_and_always_the_same(
        values in samples(),
        side in side(),
        confidence in 0.01..0.999_999f64,
        domain in option::of((-2.0..0.5f64, 0.6..3.0f64)),
        declared in option::of(hostile()),
        rule in select(vec![ThresholdRule::StrongStop, ThresholdRule::ForwardStop]),
    ) {
        let domain = domain.map(|(low, high)| Domain::new(low, high).unwrap());
        let confidence = Confidence::new(confidence).unwrap();
        let question = PublishedQuestion { side, confidence, domain, declared, rule };
        let learn = || Published::learn(&Samples::from_values(&values), &question, PValuesBy::Table);
        let published = learn();
        match &published.decision {
            PublishedDecision::Tail { bound } | PublishedDecision::Empirical { bound } => {
                prop_assert!(bound.is_finite());
                prop_assert!(domain.is_none_or(|domain| domain.contains(*bound)));
            }
            PublishedDecision::Rerun { failure_rate, runs, .. } => {
                prop_assert!((0.0..1.0).contains(failure_rate) && *runs >= 2);
            }
            PublishedDecision::Keep { .. } => prop_assert!(declared.is_some()),
            PublishedDecision::Refuse { reason } => prop_assert!(!reason.is_empty()),
        }
        prop_assert_eq!(format!("{published:?}"), format!("{:?}", learn()));
    }

    #[test]
    fn a_fit_has_p_values_or_a_reason(values in samples(), side in side(), k in 0..300usize) {
        match fit_at(&Samples::from_values(&values), side, k, PValuesBy::Table) {
            Ok(fit) => {
                prop_assert_eq!(fit.exceedances, k);
                let p = [fit.p_values.anderson_darling, fit.p_values.cramer_von_mises];
                prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", p);
                let ratio = fit.against_exponential();
                prop_assert!((0.0..=1.0).contains(&ratio.p_value), "{:?}", ratio);
            }
            Err(why) => prop_assert!(!why.to_string().is_empty()),
        }
    }

    #[test]
    fn distances_and_transforms_are_never_nan(
        values in samples(),
        scale in 1e-300..1e300f64,
        shape in -3.0..3.0f64,
    ) {
        if let Some(distance) = FitDistance::of(&values, Gpd::new(scale, shape).unwrap()) {
            prop_assert!(!distance.anderson_darling.is_nan() && !distance.cramer_von_mises.is_nan());
        }
        if let Ok(transform) = BoxCox::maximum_likelihood(&values) {
            prop_assert!(transform.lambda.is_finite());
            let images: Vec<f64> = values.iter().map(|x| transform.forward(*x)).collect();
            prop_assert!(images.iter().all(|y| !y.is_nan()));
        }
        for yardstick in [Yardstick::StandardErrors, Yardstick::PlainVariances] {
            prop_assert!(geweke(&values, yardstick).is_none_or(|z| !z.is_nan()));
        }
    }

    #[test]
    fn a_rate_is_a_probability(values in samples(), side in side(), bound in hostile()) {
        if let Ok(rate) = TailRate::at(&Samples::from_values(&values), side, bound) {
            let in_order = 0.0 < rate.estimate && rate.estimate <= rate.upper_limit;
            prop_assert!(in_order && rate.upper_limit <= 1.0, "{:?}", rate);
        }
    }

    #[test]
    fn watching_ends(values in vec(hostile(), 1..60), lower in option::of(hostile()), upper in option::of(hostile())) {
        let rule = StopRule { most: 120, ..StopRule::default() };
        let mut watch = ConvergenceWatch::new(rule);
        let limits = Limits { lower, upper };
        let watched = loop {
            if let WatchStep::Done(watched) = watch.step() {
                break watched;
            }
            for index in watch.wanted().collect::<Vec<u32>>() {
                let value = values[index as usize % values.len()];
                let hits = vec![("x".into(), limits, value)];
                watch.push(&WatchedRun { index, failed: value > 0.0, hits }).unwrap();
            }
        };
        prop_assert!((30..=120).contains(&watched.runs));
    }

    #[test]
    fn the_arithmetic_of_reruns_is_never_nan(a in hostile(), b in hostile(), n in any::<u64>()) {
        if let Ok(runs) = trials(a, b) {
            prop_assert!(runs > 0 || b == 0.0);
        }
        if let Ok(outcomes) = OutcomeRates::new(a, b) {
            prop_assert!((0.0..=1.0).contains(&outcomes.unveiled(n)));
            let expected = outcomes.expected_runs(n);
            prop_assert!((0.0..=n as f64 * (1.0 + 1e-9)).contains(&expected), "{expected}");
        }
    }
}
