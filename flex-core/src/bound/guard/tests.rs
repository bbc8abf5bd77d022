use super::*;
use crate::bound::confidence::Confidence;
use crate::sample::Samples;
use crate::tail::Side;
use crate::tail::Tail;

/// The question of a test with one site, for a rate of 10⁻⁴.
fn question(effort: f64, settling: Settling) -> Question {
    let mut question = Question::new(Tail::Upper, Confidence::DEFAULT);
    (question.share.effort, question.settling) = (effort, settling);
    question
}

/// The guard of some values, for a rate of 10⁻⁴.
fn learn(
    values: &[f64],
    end: Option<f64>,
    change: impl FnOnce(&mut GuardTerms),
) -> Result<Guard, NoGuard> {
    let oriented = Samples::from_values(values).orient(Side::Upper);
    let ties = Ties::new(&oriented.values);
    let mut terms = question(0.3, Settling::Replay).guard_terms();
    change(&mut terms);
    Guard::learn(&oriented, &ties, &terms, end)
}

fn ascending(n: u32) -> Vec<f64> {
    (0..n).map(f64::from).collect()
}

#[test]
fn a_doubt_begins_where_the_effort_allows() {
    let check = |effort: f64, settling: Settling, above: f64| {
        let guard = learn(&ascending(100), None, |terms| {
            (terms.effort, terms.settling) = (effort, settling);
        });
        assert_eq!(guard.unwrap().bound, 99.0 - above, "{effort} {settling:?}");
    };
    check(0.3, Settling::Replay, 29.0);
    check(0.06, Settling::Replay, 5.0);
    check(5.0, Settling::Replay, 99.0);
    check(1e-9, Settling::Replay, 0.0);
    check(0.3, Settling::Reruns, 14.0);
    check(0.06, Settling::Reruns, 2.0);
}

#[test]
fn extra_runs_are_those_of_replays_or_of_races() {
    for settling in [Settling::Replay, Settling::Reruns] {
        for effort in [0.06, 0.3, 0.8] {
            let guard = learn(&ascending(100), None, |terms| {
                (terms.effort, terms.settling) = (effort, settling);
            })
            .unwrap();
            // Strays come on top, in one run of a hundred.
            let strays = strays::expected_reruns(guard.strays.as_ref().unwrap(), 100);
            let others = guard.extra_runs - strays;
            assert!(others <= effort + 0.005 && strays < 0.1, "{guard:?}");
        }
    }
}

#[test]
fn ties_leave_one_cut_each_with_what_is_really_beyond() {
    let mut values = vec![0.0; 70];
    values.extend([1.0; 25]);
    values.extend([2.0; 5]);
    let guard = learn(&values, None, |_| {}).unwrap();
    let cuts: Vec<(f64, u32)> = guard
        .race
        .cuts()
        .iter()
        .map(|cut| (cut.value, cut.above))
        .collect();
    assert_eq!(cuts, [(0.0, 30), (1.0, 5), (2.0, 0)]);
    assert!(guard.race.scores().is_sorted() && guard.race.scores()[0] < 0);
    assert_eq!(guard.bound, 1.0);
}

#[test]
fn cuts_at_the_end_of_the_domain_are_left_out() {
    let mut values = ascending(60);
    values.extend([100.0; 40]);
    let guard = learn(&values, Some(100.0), |_| {}).unwrap();
    let last = guard.race.cuts()[guard.race.cuts().len() - 1];
    assert_eq!((last.value, last.above), (59.0, 40));
    assert_eq!(guard.bound, 59.0, "beyond it is the end alone");
    let all = vec![100.0; 80];
    assert_eq!(
        learn(&all, Some(100.0), |_| {}),
        Err(NoGuard::Vacuous { end: 100.0 })
    );
}

#[test]
fn what_is_not_finite_lies_beyond_every_cut() {
    let mut values = ascending(97);
    values.extend([f64::NAN, f64::INFINITY, f64::NAN]);
    let guard = learn(&values, None, |_| {}).unwrap();
    let last = guard.race.cuts()[guard.race.cuts().len() - 1];
    assert_eq!(
        (last.value, last.above),
        (95.0, 4),
        "of the largest samples three are no numbers"
    );
    let Err(NoGuard::NotFinite { which, .. }) = learn(&[f64::NAN; 50], None, |_| {}) else {
        panic!("there is no number");
    };
    assert_eq!(which.len(), 50);
}

#[test]
fn too_few_runs_say_how_many_would_do() {
    let Err(none @ NoGuard::TooFewRuns { needed, .. }) = learn(&ascending(5), None, |_| {}) else {
        panic!("five runs cannot carry a guard");
    };
    assert!(learn(&ascending(needed as u32), None, |_| {}).is_ok());
    assert!(learn(&ascending(needed as u32 - 1), None, |_| {}).is_err());
    assert!(none.to_string().contains("5 runs are too few"), "{none}");
    assert!(matches!(
        learn(&[], None, |_| {}),
        Err(NoGuard::TooFewRuns { runs: 0, .. })
    ));
}

#[test]
fn numbers_that_are_no_rate_or_effort_are_refused() {
    for rate in [0.0, -1.0, 1.0, f64::NAN] {
        let none = learn(&ascending(100), None, |terms| terms.race = rate);
        assert_eq!(none, Err(NoGuard::NoBudget));
        let none = learn(&ascending(100), None, |terms| terms.strays = rate);
        assert_eq!(none, Err(NoGuard::NoBudget));
    }
    for effort in [0.0, -1.0, f64::NAN] {
        let none = learn(&ascending(100), None, |terms| terms.effort = effort);
        assert_eq!(none, Err(NoGuard::NoEffort));
    }
    assert!(learn(&ascending(100), None, |terms| terms.race = 5e-324).is_ok());
}

#[test]
fn plans_catch_what_the_design_says() {
    // docs/design/bound.md, "What a guard catches": one site, C = 0.9999, effort 0.3; normal values.
    let table = [
        (30, Settling::Replay, [0.46, 0.93, 0.99]),
        (100, Settling::Replay, [0.65, 0.93, 0.99]),
        (300, Settling::Replay, [0.66, 0.93, 0.99]),
        (1000, Settling::Replay, [0.66, 0.93, 0.99]),
        (30, Settling::Reruns, [0.07, 0.82, 0.98]),
        (100, Settling::Reruns, [0.22, 0.81, 0.97]),
        (300, Settling::Reruns, [0.24, 0.81, 0.97]),
        (1000, Settling::Reruns, [0.25, 0.81, 0.97]),
    ];
    for (n, settling, expected) in table {
        let plan = GuardPlan::choose(n, &question(0.3, settling)).unwrap();
        for (got, expected) in plan.power[1..].iter().zip(expected) {
            assert!(
                (got - expected).abs() <= 0.0051,
                "{n} {settling:?} {plan:?}"
            );
        }
        assert!(plan.extra_runs <= 0.3, "{plan:?}");
    }
}

#[test]
fn equal_values_have_a_guard_that_another_value_breaks() {
    for n in [10, 30, 100, 225, 1800, 20_000] {
        for settling in [Settling::Replay, Settling::Reruns] {
            let guard = learn(&vec![3.0; n], None, |terms| terms.settling = settling).unwrap();
            let scores = guard.race.scores();
            assert_eq!((guard.bound, scores.len()), (3.0, 2));
            let enough = guard.race.fail() / scores[1];
            let few = if n < 100 { 30 } else { 12 };
            assert!(scores[0] < 0 && enough < few, "{n} {settling:?} {guard:?}");
        }
    }
}

#[test]
fn values_that_are_not_finite_are_beyond_all_or_below_all() {
    let guard = |first: f64, some: usize| {
        let mut values = ascending(100);
        values[..some].fill(first);
        learn(&values, None, |_| ())
    };
    // The guard would be the 30th from above: a value that is beyond everything, or below. The cut next to it is finite.
    assert_eq!(guard(f64::NAN, 60).unwrap().bound, 89.0);
    assert_eq!(guard(f64::INFINITY, 60).unwrap().bound, 89.0);
    assert_eq!(guard(f64::NEG_INFINITY, 90).unwrap().bound, 91.0);
    assert!(matches!(
        guard(f64::NAN, 90),
        Err(NoGuard::NotFinite { runs: 100, .. })
    ));
}
