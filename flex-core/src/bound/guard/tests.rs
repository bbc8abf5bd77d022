use super::*;

/// The table of docs/design/bound.md, "The guard": one site, effort 0.3, half of 1 − C.
#[test]
fn choices_are_those_of_the_design() {
    let table = [
        (30, 0.99, 6, 5, 0.60),
        (30, 0.999, 11, 5, 0.58),
        (30, 0.9999, 12, 4, 0.50),
        (30, 0.99999, 11, 2, 0.29),
        (100, 0.99, 5, 21, 0.67),
        (100, 0.999, 9, 21, 0.66),
        (100, 0.9999, 12, 20, 0.64),
        (100, 0.99999, 12, 15, 0.52),
        (300, 0.99, 5, 66, 0.68),
        (300, 0.999, 8, 65, 0.67),
        (300, 0.9999, 11, 65, 0.67),
        (300, 0.99999, 12, 55, 0.60),
        (1000, 0.99, 5, 222, 0.69),
        (1000, 0.999, 7, 220, 0.68),
        (1000, 0.9999, 10, 220, 0.67),
        (1000, 0.99999, 12, 204, 0.64),
    ];
    for (runs, confidence, hits, rank, power) in table {
        let plan = GuardPlan::choose(runs, (1.0 - confidence) / 2.0, 0.3).unwrap();
        assert_eq!(
            (plan.hits.get(), plan.rank),
            (hits, rank),
            "n {runs}, C {confidence}, {plan:?}"
        );
        assert!(
            (plan.power[1] - power).abs() <= 0.0051,
            "{runs} {confidence} {plan:?}"
        );
        assert!(plan.extra_runs <= 0.3);
    }
}

#[test]
fn stopping_early_never_changes_the_choice() {
    for runs in [5, 10, 17, 30, 50, 73, 100, 200, 300, 700, 1000, 3000] {
        for budget in [0.2, 0.05, 5e-3, 5e-4, 2e-4, 5e-5, 1e-5, 2.5e-6, 1e-8] {
            for effort in [2.0, 0.3, 0.15, 0.06, 0.015, 0.003] {
                let affordable = affordable_ranks(runs, effort);
                let all: Vec<(Hits, usize, f64)> = Hits::descending()
                    .filter_map(|hits| {
                        let limit = affordable[hits.index()]?;
                        let rank = rank_within(runs, level(hits, budget), limit)?;
                        let power = BeyondLaw::new(runs, rank).power(hits, 2.0);
                        Some((hits, rank, power))
                    })
                    .collect();
                let best = all.iter().map(|c| c.2).fold(0.0, f64::max);
                let expected = all
                    .iter()
                    .filter(|c| c.2 >= best - NEARLY_BEST)
                    .reduce(|a, b| if b.1 >= a.1 { b } else { a })
                    .map(|c| (c.0, c.1));
                let got = GuardPlan::choose(runs, budget, effort)
                    .ok()
                    .map(|plan| (plan.hits, plan.rank));
                assert_eq!(got, expected, "n {runs}, budget {budget}, effort {effort}");
            }
        }
    }
}

#[test]
fn power_is_the_integral_over_the_law_of_q() {
    for (runs, rank, hits) in [(30, 0, 3), (30, 5, 6), (100, 20, 12), (1000, 222, 5)] {
        let hits = Hits::new(hits).unwrap();
        for shift in POWER_SHIFTS {
            let (a, b) = ((rank + 1) as f64, (runs - rank) as f64);
            let steps = 400_000;
            let (mut sum, mut mass) = (0.0, 0.0);
            for i in 0..steps {
                let q = (i as f64 + 0.5) / steps as f64;
                let density = ((a - 1.0) * q.ln() + (b - 1.0) * (-q).ln_1p()).exp();
                mass += density;
                sum += density * regression_rate(hits, normal_sf(normal_isf(q) - shift));
            }
            let got = BeyondLaw::new(runs, rank).power(hits, shift);
            assert!(
                (got - sum / mass).abs() < 2e-4,
                "{runs} {rank} {shift}: {got} {}",
                sum / mass
            );
        }
    }
}

#[test]
fn too_few_runs_say_how_many_would_do() {
    let Err(NoGuard::TooFewRuns { needed, .. }) = GuardPlan::choose(3, 5e-5, 0.3) else {
        panic!("three runs cannot carry a guard");
    };
    assert!(GuardPlan::choose(needed, 5e-5, 0.3).is_ok());
    assert!(GuardPlan::choose(needed - 1, 5e-5, 0.3).is_err());
    assert_eq!(
        GuardPlan::choose(100, 5e-5, 0.0),
        Err(NoGuard::NoEffort),
        "effort 0 means ceiling only"
    );
    let Err(none) = GuardPlan::choose(100, 1e-13, 1e-12) else {
        panic!("so little effort affords no guard");
    };
    assert!(none.to_string().contains("over a billion"), "{none}");
}

#[test]
fn numbers_that_are_no_rate_or_effort_are_refused() {
    for budget in [0.0, -1.0, 1.0, 2.0, f64::NAN, f64::INFINITY] {
        assert_eq!(GuardPlan::choose(100, budget, 0.3), Err(NoGuard::NoBudget));
    }
    for effort in [0.0, -1.0, f64::NAN] {
        assert_eq!(GuardPlan::choose(100, 0.01, effort), Err(NoGuard::NoEffort));
    }
    assert!(GuardPlan::choose(100, 5e-324, f64::INFINITY).is_err());
}

#[test]
fn ranks_that_the_effort_affords_agree_with_a_plain_search() {
    for runs in [0, 1, 2, 7, 50, 300] {
        for effort in [1e-9, 0.01, 0.3, 3.0, 100.0] {
            let ranks = affordable_ranks(runs, effort);
            for hits in Hits::descending() {
                let within = |rank: &usize| {
                    mean_extra_runs(hits, (rank + 1) as f64, (runs - rank) as f64) <= effort
                };
                let plain = (0..runs).take_while(within).last();
                assert_eq!(ranks[hits.index()], plain, "{runs} {effort} {hits}");
            }
        }
    }
}
