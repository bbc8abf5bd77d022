use super::*;

fn budget() -> SuiteBudget {
    "1 in 10,000 runs".parse().unwrap()
}

fn rates(stated: f64, others: &[f64], sites: &[Option<f64>]) -> Result<Vec<f64>, Overspent> {
    let asking = Asking {
        stated,
        others,
        expected: 0,
        sites,
    };
    let given = budget().allot(&asking)?.sites;
    Ok(given.iter().map(|c| c.false_alarm_rate()).collect())
}

fn check(rates: &[f64], expected: &[f64]) {
    assert_eq!(rates.len(), expected.len());
    for (rate, expected) in rates.iter().zip(expected) {
        assert!((rate / expected - 1.0).abs() < 1e-6, "{rates:?}");
    }
}

#[test]
fn a_budget_is_read_as_people_write_it() {
    assert_eq!(budget().rate(), 1e-4);
    assert_eq!(budget().to_string(), "1 in 10000 runs");
    assert_eq!(
        "3 in 1_000 runs".parse::<SuiteBudget>().unwrap().rate(),
        3e-3
    );
    for wrong in [
        "",
        "1 in 10000",
        "one in ten runs",
        "0 in 10 runs",
        "2 in 1 runs",
        "1/10000",
        "1 in -5 runs",
    ] {
        assert!(wrong.parse::<SuiteBudget>().is_err(), "{wrong}");
    }
}

#[test]
fn a_new_site_gets_half_of_an_even_share_of_the_next_power_of_two() {
    // A/(2 · next power of two ≥ number of sites)
    check(&rates(0.0, &[], &[None]).unwrap(), &[5e-5]);
    check(&rates(0.0, &[], &[None; 5]).unwrap(), &[1e-4 / 16.0; 5]);
    check(&rates(0.0, &[1e-6; 4], &[None]).unwrap(), &[1e-4 / 16.0]);
}

#[test]
fn what_a_site_has_it_keeps_while_all_is_paid_for() {
    let kept = 1.0 - 0.99997;
    let given = rates(0.0, &[2e-5], &[Some(kept), None]).unwrap();
    assert_eq!(given[0], kept, "to the last digit");
    check(&given[1..], &[1e-4 / 8.0]);
}

#[test]
fn the_richest_give_up_first() {
    let known = [Some(5e-5), Some(2e-5), Some(3e-5), Some(1e-6), None];
    let given = rates(0.0, &[], &known).unwrap();
    let new = 1e-4 / 16.0;
    check(&given, &[new, 2e-5, 3e-5, 1e-6, new]);
}

#[test]
fn sites_that_come_one_by_one_never_spend_more_than_there_is() {
    let mut known: Vec<Option<f64>> = Vec::new();
    let mut moved = 0;
    for _ in 0..300 {
        known.push(None);
        let given = rates(0.0, &[], &known).unwrap();
        assert!(given.iter().sum::<f64>() <= 1e-4 * (1.0 + 1e-6));
        let is_moved = |(old, new): (&Option<f64>, &f64)| old.is_some_and(|old| old != *new);
        moved += known
            .iter()
            .zip(&given)
            .filter(|pair| is_moved(*pair))
            .count();
        known = given.into_iter().map(Some).collect();
    }
    // Each site gives up a few times in the life of a suite, not with every newcomer: that would be 44,850 moves.
    assert!(moved < 3 * 300, "{moved}");
}

#[test]
fn what_others_hold_cannot_be_given_away() {
    let error = rates(0.0, &[9.9e-5], &[None]).unwrap_err();
    assert!(error.to_string().contains("1 in 10000 runs"), "{error}");
    let error = rates(2e-4, &[], &[None]).unwrap_err().to_string();
    assert!(
        error.contains("other sites 0.00e0; let them state"),
        "{error}"
    );
    assert!(rates(1e-4, &[], &[None]).is_err());
}
