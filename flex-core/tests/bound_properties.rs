//! The default bound, for whatever samples may come.
//!
//! Every test draws its cases from a fixed seed and stores no failures, so that the suite gives the same verdict each
//! time.
#![expect(
    clippy::unwrap_used,
    reason = "an input that cannot be made is a mistake in this file"
)]

#[path = "support/hostile.rs"]
mod hostile;

use flex_core::bound::ceiling::Promise;
use flex_core::bound::confidence::{Confidence, Share};
use flex_core::bound::{LearnedBound, Question, SideBound};
use flex_core::published::gpd_fit::GpdFit;
use flex_core::sample::Samples;
use flex_core::tail::{Domain, Side, Tail};
use hostile::hostile;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_261_117),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Multiples of 2⁻²⁰ up to about 2¹⁰, in the shapes that samples have: continuous, heavy, few values, two clusters.
fn samples() -> impl Strategy<Value = Vec<f64>> {
    let unit = 2f64.powi(-20);
    let snap = move |x: f64| (x / unit).round() * unit;
    let open = 1e-6..1.0f64;
    prop_oneof![
        vec(-1.0..1.0f64, 0..300).prop_map(move |v| v.into_iter().map(snap).collect()),
        vec(open.clone(), 0..300)
            .prop_map(move |v| v.into_iter().map(|u| snap(u.powf(-0.5))).collect()),
        vec(open, 20..300).prop_map(move |v| v.into_iter().map(|u| snap(-u.ln())).collect()),
        vec(-3..8i32, 0..300).prop_map(|v| v.into_iter().map(f64::from).collect()),
        (vec(0.0..1.0f64, 20..200), vec(50.0..51.0f64, 0..6)).prop_map(move |(a, b)| a
            .into_iter()
            .chain(b)
            .map(snap)
            .collect()),
    ]
}

fn question() -> impl Strategy<Value = Question> {
    (
        select(vec![Tail::Upper, Tail::Lower, Tail::Both]),
        select(vec![0.01, 0.5, 0.9, 0.99, 0.9999, 1.0 - 1e-9]),
        select(vec![0.0, 1e-3, 0.015, 0.3, 3.0]),
        option::of((hostile(), hostile())),
        any::<bool>(),
        select(vec![Promise::Assured, Promise::Expected]),
    )
        .prop_map(
            |(tail, confidence, effort, ends, light, promise)| Question {
                share: Share {
                    confidence: Confidence::new(confidence).unwrap(),
                    effort,
                },
                domain: ends.and_then(|(a, b)| Domain::new(a.min(b), a.max(b)).ok()),
                light,
                promise,
                ..Question::new(tail, Confidence::DEFAULT)
            },
        )
}

fn learn(values: &[f64], question: &Question) -> LearnedBound {
    LearnedBound::learn(&Samples::from_values(values), question)
}

fn upper(confidence: f64) -> Question {
    Question::new(Tail::Upper, Confidence::new(confidence).unwrap())
}

/// Guard and ceiling as numbers.
fn numbers(side: &SideBound) -> (Option<f64>, Option<f64>) {
    let guard = side.guard.as_ref().ok().map(|guard| guard.bound);
    let ceiling = side.ceiling.as_ref().ok().map(|ceiling| ceiling.bound);
    (guard, ceiling)
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn the_order_of_the_samples_does_not_matter(
        (values, shuffled) in samples().prop_flat_map(|values| {
            let pairs: Vec<(u32, f64)> = (0..).zip(values).collect();
            (Just(pairs.clone()), Just(pairs).prop_shuffle())
        }),
        question in question(),
    ) {
        let bound = |pairs: Vec<(u32, f64)>| LearnedBound::learn(&Samples::new(pairs), &question);
        // Debug prints every field, so that NaN equals NaN.
        prop_assert_eq!(format!("{:?}", bound(values)), format!("{:?}", bound(shuffled)));
    }

    #[test]
    fn the_lower_tail_mirrors_the_upper(values in samples(), confidence in select(vec![0.99, 0.9999])) {
        let mirrored: Vec<f64> = values.iter().map(|x| -x).collect();
        let above = learn(&values, &upper(confidence));
        let below = learn(&mirrored, &Question { tail: Tail::Lower, ..upper(confidence) });
        let (guard, ceiling) = numbers(&above.sides[0]);
        let expected = (guard.map(|b| -b), ceiling.map(|b| -b));
        prop_assert_eq!(numbers(&below.sides[0]), expected);
        prop_assert_eq!(below.strategy(), above.strategy());
    }

    /// More confidence never means a tighter ceiling; none at all is the loosest. The guard is not part of this: with
    /// more hits asked for, it may come closer and still cry wolf less often.
    #[test]
    fn the_ceiling_is_monotone_in_the_confidence(
        values in samples(),
        light in any::<bool>(),
        promise in select(vec![Promise::Assured, Promise::Expected]),
        tail in select(vec![Tail::Upper, Tail::Lower]),
        domain in select(vec![None, Domain::new(-2.0, 60.0).ok(), Domain::new(-1e4, 1e4).ok()]),
    ) {
        let mut last = f64::NEG_INFINITY;
        for confidence in [0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999, 0.99999] {
            let question = Question { light, promise, tail, domain, ..upper(confidence) };
            let learned = learn(&values, &question);
            let (_, ceiling) = numbers(&learned.sides[0]);
            let ceiling = ceiling.map_or(f64::INFINITY, |bound| learned.sides[0].side.orient(bound));
            prop_assert!(ceiling >= last, "{confidence}: {ceiling} < {last}");
            last = ceiling;
        }
    }

    #[test]
    fn a_shift_moves_the_bound_along(values in samples(), steps in -(1i64 << 40)..(1i64 << 40)) {
        let shift = steps as f64 * 2f64.powi(-20);
        let moved: Vec<f64> = values.iter().map(|x| x + shift).collect();
        check_equivariance(&values, &moved, |x| x + shift, 1.0)?;
    }

    #[test]
    fn a_scale_stretches_the_bound_along(values in samples(), factor in select(vec![1e-12, 3e-7, 0.1, 2.0, 7.7, 1e12])) {
        let scaled: Vec<f64> = values.iter().map(|x| x * factor).collect();
        check_equivariance(&values, &scaled, |x| x * factor, factor)?;
    }

    #[test]
    fn no_samples_and_no_question_make_it_panic(values in vec(hostile(), 0..120), question in question()) {
        let bound = learn(&values, &question);
        for side in &bound.sides {
            let (guard, ceiling) = numbers(side);
            for number in [guard, ceiling].into_iter().flatten() {
                prop_assert!(number.is_finite());
                if let Some(domain) = question.domain {
                    prop_assert!(domain.contains(number), "{number} outside of {domain}");
                }
            }
            if let (Some(guard), Some(ceiling)) = (guard, ceiling) {
                prop_assert!(!side.side.is_beyond(guard, ceiling), "{guard} beyond {ceiling}");
            }
            // Whatever is missing has a reason that can be read.
            let missing = guard.is_none() && question.share.effort > 0.0 || ceiling.is_none();
            prop_assert_eq!(missing, side.reason().is_some());
        }
    }

    #[test]
    fn few_or_equal_samples_do_not_make_it_panic(value in hostile(), other in hostile(), n in 0..40usize) {
        for values in [vec![value; n], vec![], vec![value], vec![value, other]] {
            for tail in [Tail::Upper, Tail::Lower, Tail::Both] {
                learn(&values, &Question::new(tail, Confidence::DEFAULT));
            }
        }
    }

    #[test]
    fn a_tail_fit_never_panics(excesses in vec(hostile(), 0..60)) {
        if let Ok(fit) = GpdFit::maximum_likelihood(&excesses) {
            prop_assert!(fit.gpd.scale() > 0.0 && fit.gpd.shape().is_finite());
        }
    }

    #[test]
    fn counting_agrees_with_comparing(values in vec(hostile(), 0..60), bound in -10.0..10.0f64) {
        let samples = Samples::from_values(&values);
        for side in [Side::Upper, Side::Lower] {
            let counted = values.iter().filter(|x| side.is_beyond(**x, bound)).count();
            prop_assert_eq!(samples.count_beyond(side, bound), counted);
        }
    }
}

/// The bounds of `image` are the images of the bounds, within 1e-9 of the spread.
fn check_equivariance(
    values: &[f64],
    image: &[f64],
    map: impl Fn(f64) -> f64,
    factor: f64,
) -> Result<(), TestCaseError> {
    let question = upper(0.9999);
    let (before, after) = (learn(values, &question), learn(image, &question));
    let samples = Samples::from_values(values);
    let spread = match (samples.quantile(0.0), samples.quantile(1.0)) {
        (Some(low), Some(high)) => high - low,
        _ => 0.0,
    };
    prop_assert_eq!(before.strategy(), after.strategy());
    let (guard, ceiling) = numbers(&before.sides[0]);
    let (image_guard, image_ceiling) = numbers(&after.sides[0]);
    for (bound, image) in [(guard, image_guard), (ceiling, image_ceiling)] {
        prop_assert_eq!(bound.is_some(), image.is_some());
        if let (Some(bound), Some(image)) = (bound, image) {
            // The last bits of a shifted bound are those of its own size.
            let allowed = 1e-9 * spread * factor + 4.0 * f64::EPSILON * image.abs();
            prop_assert!(
                (map(bound) - image).abs() <= allowed,
                "{} {image}",
                map(bound)
            );
        }
    }
    Ok(())
}
