use super::*;
use crate::bound::confidence::DEFAULT_EFFORT;

/// Quantiles of an exponential: a sample without chance.
fn exponential(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| -((i as f64 + 0.5) / n as f64).ln())
        .collect()
}

fn learn(values: &[f64], change: impl FnOnce(&mut Question)) -> LearnedBound {
    let mut question = Question::new(Tail::Upper, Confidence::DEFAULT);
    change(&mut question);
    LearnedBound::learn(&Samples::from_values(values), &question)
}

/// Asserts the strategy, and that the reason says `words` (or that there is none, for "").
fn check(bound: &LearnedBound, strategy: Strategy, words: &str) {
    let reason = bound.reason().unwrap_or_default();
    assert_eq!(bound.strategy(), strategy, "{reason}");
    assert!(reason.contains(words), "{reason}");
    assert_eq!(words.is_empty(), reason.is_empty(), "{reason}");
}

#[test]
fn a_regular_sample_gets_both_tiers() {
    let bound = learn(&exponential(100), |_| {});
    check(&bound, Strategy::Tail, "");
    let side = &bound.sides[0];
    let (guard, ceiling) = (side.guard.clone().unwrap(), side.ceiling.clone().unwrap());
    assert!(guard.bound < ceiling.bound);
    assert!(ceiling.typical < ceiling.bound);
    assert_eq!(ceiling.fit.unwrap().exceedances, 20);
    assert!(guard.extra_runs <= DEFAULT_EFFORT + 0.1 && guard.strays.is_some());
}

#[test]
fn many_samples_need_no_extrapolation() {
    let bound = learn(&exponential(1000), |question| {
        question.share = Share::whole(Confidence::new(0.99).unwrap());
    });
    check(&bound, Strategy::Order, "");
}

#[test]
fn a_second_cluster_is_refused_with_its_runs() {
    let mut values = exponential(97);
    values.extend([60.0, 61.0, 62.0]);
    let bound = learn(&values, |_| {});
    let words = "the 3 largest of 100 values form a second cluster, which is often a bug; look at runs 99, 98 and 97";
    check(&bound, Strategy::Guard, words);
    values.truncate(98);
    let words = "a gap sets the largest of 98 values (run 97) apart, as chance does in a few of a hundred samples, and no \
                 tail can be extrapolated across it";
    check(&learn(&values, |_| {}), Strategy::Guard, words);
}

#[test]
fn values_that_are_not_finite_are_named() {
    let mut values = exponential(100);
    values[7] = f64::NAN;
    values[57] = f64::INFINITY;
    let bound = learn(&values, |_| {});
    check(
        &bound,
        Strategy::Guard,
        "2 of 100 values are NaN or infinite",
    );
    assert!(bound.reason().unwrap().ends_with("look at runs 7 and 57"));
    values[..80].fill(f64::NAN);
    let bound = learn(&values, |_| {});
    check(&bound, Strategy::Refuse, "no finite guard exists");
}

#[test]
fn a_constant_is_guarded_where_it_is() {
    let bound = learn(&[0.25; 100], |_| {});
    check(
        &bound,
        Strategy::Guard,
        "constant in 100 runs (0.25); consider an equality",
    );
    assert_eq!(bound.sides[0].guard.as_ref().unwrap().bound, 0.25);
}

#[test]
fn a_bound_never_leaves_the_domain() {
    let values: Vec<f64> = exponential(100).iter().map(|x| x / 6.0).collect();
    let unit = Domain::new(0.0, 1.0).unwrap();
    let bound = learn(&values, |question| question.domain = Some(unit));
    check(
        &bound,
        Strategy::Guard,
        "a ceiling would lie at the end of the domain (1)",
    );
    let bound = learn(&values, |question| {
        question.domain = Some(unit);
        question.tail = Tail::Both;
    });
    for side in &bound.sides {
        assert!(unit.contains(side.guard.as_ref().unwrap().bound));
    }
}

#[test]
fn samples_outside_of_the_domain_are_a_contradiction() {
    let mut values = exponential(100);
    values[3] = -0.5;
    let bound = learn(&values, |question| {
        question.domain = Some(Domain::new(0.0, f64::INFINITY).unwrap());
    });
    check(
        &bound,
        Strategy::Refuse,
        "1 value lies outside of the declared domain 0..inf, such as -0.5; look at run 3",
    );
}

#[test]
fn values_at_the_end_of_the_domain_leave_nothing_to_guard() {
    let mut values = vec![1.0; 75];
    values.extend((0..25).map(|i| 0.01 * f64::from(i)));
    let bound = learn(&values, |question| {
        question.domain = Some(Domain::new(0.0, 1.0).unwrap());
    });
    check(
        &bound,
        Strategy::Refuse,
        "so many values are at the end of the domain (1)",
    );
}

#[test]
fn a_light_tail_is_tighter_by_the_promise() {
    let ceiling = |light| {
        let bound = learn(&exponential(100), |question| question.light = light);
        bound.sides[0].ceiling.clone().unwrap().bound
    };
    assert!(ceiling(true) < 0.5 * ceiling(false));
}

#[test]
fn the_predictive_ceiling_is_tighter_than_the_assured_one() {
    let ceiling = |promise| {
        let bound = learn(&exponential(1000), |question| question.promise = promise);
        bound.sides[0].ceiling.clone().unwrap().bound
    };
    assert!(ceiling(Promise::Expected) < ceiling(Promise::Assured));
}

#[test]
fn without_effort_the_ceiling_has_the_whole_budget() {
    let bound = learn(&exponential(100), |question| question.share.effort = 0.0);
    check(&bound, Strategy::Tail, "");
    assert_eq!(bound.sides[0].guard, Err(NoGuard::NoEffort));
    let both = learn(&exponential(100), |_| {});
    let ceiling = |b: &LearnedBound| b.sides[0].ceiling.clone().unwrap().bound;
    assert!(ceiling(&bound) < ceiling(&both));
}

#[test]
fn the_guard_is_never_beyond_the_ceiling() {
    // The bounds file refuses such an entry: beyond the ceiling nothing is in doubt.
    for confidence in [0.5, 0.8, 0.99, 0.999] {
        for effort in [1e-6, 0.002, 0.3, 5.0] {
            for n in [20, 100, 3000] {
                let confidence = Confidence::new(confidence).unwrap();
                let share = Share { confidence, effort };
                let bound = learn(&exponential(n), |question| question.share = share);
                if let (Ok(guard), Ok(ceiling)) = (&bound.sides[0].guard, &bound.sides[0].ceiling) {
                    assert!(guard.bound <= ceiling.bound, "{confidence} {effort} {n}");
                }
            }
        }
    }
}

#[test]
fn values_too_far_apart_for_a_difference_have_no_ceiling() {
    let mut values = exponential(100);
    values[..2].copy_from_slice(&[f64::MAX, f64::MIN]);
    let bound = learn(&values, |_| {});
    check(&bound, Strategy::Guard, "not be a finite number");
}

#[test]
fn noise_at_the_end_of_the_domain_is_no_contradiction_and_no_bound() {
    let mut values: Vec<f64> = exponential(100).iter().map(|x| x / 50.0).collect();
    values[..75].fill(-1e-17);
    let bound = learn(&values, |question| {
        question.domain = Some(Domain::new(0.0, 1.0).unwrap());
        question.tail = Tail::Lower;
    });
    check(
        &bound,
        Strategy::Refuse,
        "so many values are at the end of the domain (0)",
    );
}

#[test]
fn too_few_samples_say_how_many_are_needed() {
    for n in [0, 1, 2, 5] {
        let bound = learn(&exponential(n), |_| {});
        check(&bound, Strategy::Refuse, "too few for a guard; it needs ");
    }
}

#[test]
fn counts_get_a_ceiling_that_is_a_count() {
    let values: Vec<f64> = exponential(100).iter().map(|x| (3.0 * x).floor()).collect();
    let bound = learn(&values, |_| {});
    check(&bound, Strategy::Tail, "");
    let ceiling = bound.sides[0].ceiling.clone().unwrap().bound;
    assert_eq!(ceiling, ceiling.floor());
    assert_eq!(bound.sides[0].lattice_step, Some(1.0));
}
