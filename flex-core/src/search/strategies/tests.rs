use super::*;
use crate::search::convergence::{Assurance, StopRule};

const STEADY: (f64, f64) = (1.0, 0.0);

fn test((pass, fail): (f64, f64), seconds: f64, is_selected: bool, is_fixed: bool) -> StrategyTest {
    let outcomes = |(pass, fail)| OutcomeRates::new(pass, fail).unwrap();
    StrategyTest {
        flaky: 1.0,
        outcomes: outcomes((pass, fail)),
        otherwise: outcomes(STEADY),
        seconds,
        is_selected,
        is_fixed,
    }
}

/// A flaky test of 1 s that is selected, a steady one of 2 s that is not and is fixed, a short one that is fixed.
fn suite() -> [StrategyTest; 3] {
    [
        test((0.5, 0.5), 1.0, true, false),
        test(STEADY, 2.0, false, true),
        test(STEADY, 0.001, false, true),
    ]
}

const TERMS: Terms = Terms {
    tracing: 1.5,
    probing: 1.1,
    short: 0.004,
    give_up: 30,
};

#[test]
fn prices_add_up() {
    let check = |strategy, tests: usize, runs: f64, seconds: f64| {
        let price = price(strategy, &suite(), 10, &TERMS);
        assert_eq!(price.tests, tests, "{strategy:?}");
        assert!((price.runs - runs).abs() < 1e-9, "{strategy:?} {price:?}");
        assert!(
            (price.seconds - seconds).abs() < 1e-9,
            "{strategy:?} {price:?}"
        );
        assert!((price.found - (1.0 - 0.5f64.powi(9))).abs() < 1e-12);
    };
    // Expected runs of a fair coin until both sides are seen, ten at most: 1 + 2 (1 − 2⁻⁹).
    let coin = 1.0 + 2.0 * (1.0 - 0.5f64.powi(9));
    check(
        RerunStrategy::Everything,
        3,
        coin + 20.0,
        coin + 20.0 + 0.01,
    );
    check(
        RerunStrategy::SmallestFirst,
        3,
        coin + 20.0,
        coin + 20.0 + 0.01,
    );
    let traced = 1.5 * 3.001;
    check(
        RerunStrategy::Selected,
        1,
        3.0 + coin - 1.0,
        traced + coin - 1.0,
    );
    check(
        RerunStrategy::Hybrid,
        2,
        3.0 + coin - 1.0 + 9.0,
        traced + coin - 1.0 + 0.009,
    );
    check(RerunStrategy::Probes, 3, coin + 4.0, 1.1 * (coin + 4.002));
}

#[test]
fn what_is_short_comes_first() {
    let mut tests = suite();
    tests.reverse();
    tests[0].seconds = 3.0;
    let (plain, sorted) = (
        price(RerunStrategy::Everything, &tests, 10, &TERMS),
        price(RerunStrategy::SmallestFirst, &tests, 10, &TERMS),
    );
    let half = 0.5 * plain.found;
    assert!((plain.seconds_to(half).unwrap() - plain.seconds).abs() < 1e-9);
    assert!(sorted.seconds_to(half).unwrap() < 3.0);
    assert_eq!(sorted.seconds_to(2.0), None);
    assert!(sorted.seconds_to(plain.found).is_some());
}

#[test]
fn what_may_be_flaky_counts_by_its_probability() {
    let maybe = StrategyTest {
        flaky: 0.25,
        ..test((0.5, 0.5), 1.0, true, false)
    };
    let price = price(RerunStrategy::Everything, &[maybe], 2, &TERMS);
    assert!((price.found - 0.25 * 0.5).abs() < 1e-12);
    assert!((price.runs - 2.0).abs() < 1e-12);
}

#[test]
fn a_broken_test_is_given_up_under_probes() {
    let broken = test((0.0, 1.0), 1.0, true, false);
    let runs = |strategy, runs| price(strategy, &[broken], runs, &TERMS).runs;
    assert_eq!(runs(RerunStrategy::Everything, 170), 170.0);
    assert!((runs(RerunStrategy::Probes, 170) - 30.0).abs() < 1e-9);
    assert!((runs(RerunStrategy::Probes, 20) - 20.0).abs() < 1e-9);
}

#[test]
fn giving_up_agrees_with_counting_all_sequences() {
    let outcomes = OutcomeRates::new(0.3, 0.7).unwrap();
    let (mut found, mut runs) = (0.0, 0.0);
    for code in 0..1u32 << 8 {
        let fails = |run: u32| code >> run & 1 == 1;
        let chance: f64 = (0..8)
            .map(|run| if fails(run) { 0.7 } else { 0.3 })
            .product();
        let disagree = (1..8).find(|run| fails(*run) != fails(0));
        let given_up = (0..3).all(fails);
        let (seen, length) = match disagree {
            _ if given_up => (0.0, 3),
            Some(run) => (1.0, run + 1),
            None => (0.0, 8),
        };
        found += chance * seen;
        runs += chance * f64::from(length);
    }
    let got = giving_up(outcomes, 8, 3);
    assert!(
        (got.0 - found).abs() < 1e-12 && (got.1 - runs).abs() < 1e-12,
        "{got:?} {found} {runs}"
    );
}

#[test]
fn a_search_by_detects_rule_is_priced() {
    let rule = StopRule {
        first: 30,
        step: 10,
        most: 500,
        assurance: Some(Assurance {
            catch: 0.02,
            tail: None,
        }),
        ..StopRule::default()
    };
    let ends = SearchEnds::new(&rule);
    let check = |pass: f64, fail: f64, found: f64, runs: f64, near: f64| {
        let got = ends.of(OutcomeRates::new(pass, fail).unwrap());
        assert!((got.found - found).abs() < near, "{got:?}");
        assert!((got.runs - runs).abs() < 1e3 * near, "{got:?}");
    };
    // 1 − 0.01^(1/n) ≤ 0.02 from 228 on: after 230 runs.
    check(1.0, 0.0, 0.0, 230.0, 1e-9);
    check(0.0, 1.0, 0.0, 30.0, 1e-9);
    // Never rare, and never all alike but for 0.5³⁰.
    check(0.5, 0.5, 1.0, 500.0, 1e-8);
    let price = ends.price(&suite(), &TERMS);
    assert!(
        (price.runs - 504.0).abs() < 1e-4 && (price.found - 1.0).abs() < 1e-8,
        "{price:?}"
    );
    assert!((price.seconds - 1.1 * (500.0 + 4.002)).abs() < 1e-4);
    // Found unless the first 230 runs all pass: at least 0.99 of the time.
    let rare = ends.of(OutcomeRates::new(0.98, 0.02).unwrap());
    let expected = 1.0 - 0.98f64.powi(230);
    assert!((rare.found - expected).abs() < 1e-9, "{rare:?}");
    assert!(rare.runs > 230.0 && rare.runs < 500.0);
}
