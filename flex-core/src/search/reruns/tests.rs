use super::*;

#[test]
fn what_takes_forever_is_said() {
    assert_eq!(trials(1e-30, 0.99), Err(NoTrials::TooMany));
    assert_eq!(trials(5e-324, 0.5), Err(NoTrials::TooMany));
}

#[test]
fn trials_are_rounded_up() {
    for (failure, confidence, expected) in [
        (0.01, 0.99, 459),
        (0.02, 0.99, 228),
        (0.01, 0.95, 299),
        (0.1, 0.99, 44),
        (0.5, 0.99, 7),
        (0.9, 0.99, 2),
        (0.5, 0.75, 2),
        (0.999, 0.5, 1),
        (1.0, 0.99, 1),
        (1.0, 1.0, 1),
        (0.0, 0.0, 0),
        (1e-9, 0.99, 4_605_170_184),
        (1e-9, 0.95, 2_995_732_273),
    ] {
        assert_eq!(
            trials(failure, confidence),
            Ok(expected),
            "{failure} {confidence}"
        );
    }
}

#[test]
fn trials_suffice_and_one_fewer_would_not() {
    for failure in [0.001, 0.013, 0.2, 0.7] {
        for confidence in [0.5, 0.9, 0.99, 0.9999] {
            let n = trials(failure, confidence).unwrap() as i32;
            let missed = |n: i32| f64::powi(1.0 - failure, n);
            assert!(missed(n) <= (1.0 - confidence) * (1.0 + 1e-9));
            assert!(missed(n - 1) > 1.0 - confidence);
        }
    }
}

#[test]
fn what_no_number_of_runs_can_do_is_said() {
    assert_eq!(trials(0.0, 0.99), Err(NoTrials::NeverHappens));
    assert_eq!(trials(0.5, 1.0), Err(NoTrials::Certainty));
    assert_eq!(trials(1.5, 0.9), Err(NoTrials::NotAProbability(1.5)));
    assert!(trials(f64::NAN, 0.9).is_err());
    assert!(OutcomeRates::new(0.6, 0.6).is_err());
}

#[test]
fn reruns_hide_a_failure_rate() {
    assert_eq!(runs_until_pass(0.01, 0.9999), Ok(2));
    assert_eq!(runs_until_pass(0.5, 0.9999), Ok(14));
    assert_eq!(runs_until_pass(0.0, 0.9999), Ok(1));
    assert_eq!(runs_until_pass(1.0, 0.9999), Err(NoTrials::NeverHappens));
}

#[test]
fn the_table_has_a_row_for_each_failure_rate() {
    let table = trials_table(&[0.01, 0.1], &[0.9, 0.95, 0.99]);
    assert_eq!(table[0], [Ok(230), Ok(299), Ok(459)]);
    assert_eq!(table[1], [Ok(22), Ok(29), Ok(44)]);
}

/// Every sequence of n outcomes, with its probability.
fn sequences(outcomes: OutcomeRates, n: u32) -> Vec<(Vec<u8>, f64)> {
    let single = [
        outcomes.pass,
        outcomes.fail,
        1.0 - outcomes.pass - outcomes.fail,
    ];
    (0..3u32.pow(n))
        .map(|mut code| {
            let mut chance = 1.0;
            let mut sequence = Vec::new();
            for _ in 0..n {
                let outcome = (code % 3) as u8;
                code /= 3;
                chance *= single[usize::from(outcome)];
                sequence.push(outcome);
            }
            (sequence, chance)
        })
        .collect()
}

#[test]
fn formulas_agree_with_counting_all_sequences() {
    for (pass, fail) in [
        (0.7, 0.2),
        (0.98, 0.02),
        (0.0, 0.5),
        (0.3, 0.0),
        (1.0, 0.0),
        (0.0, 1.0),
        (0.0, 0.0),
    ] {
        let outcomes = OutcomeRates::new(pass, fail).unwrap();
        for n in 0..7 {
            let (mut unveiled, mut expected, mut reruns) = (0.0, 0.0, 0.0);
            for (sequence, chance) in sequences(outcomes, n) {
                let first = |wanted| sequence.iter().position(|o| *o == wanted);
                let disagreement = first(0).zip(first(1)).map(|(a, b)| a.max(b) + 1);
                unveiled += if disagreement.is_some() { chance } else { 0.0 };
                expected += chance * disagreement.unwrap_or(n as usize) as f64;
                reruns += chance * first(0).map_or(n as usize, |at| at + 1) as f64;
            }
            let n = u64::from(n);
            assert!(
                (outcomes.unveiled(n) - unveiled).abs() < 1e-12,
                "{outcomes:?} {n}"
            );
            assert!(
                (outcomes.expected_runs(n) - expected).abs() < 1e-12,
                "{outcomes:?} {n}"
            );
            let got = outcomes.expected_reruns_after_failure(n);
            assert!((got - reruns).abs() < 1e-12, "{outcomes:?} {n}");
        }
    }
}

#[test]
fn a_broken_test_costs_every_rerun() {
    let broken = OutcomeRates::new(0.0, 1.0).unwrap();
    assert_eq!(broken.unveiled(20), 0.0);
    assert_eq!(broken.expected_runs(20), 20.0);
    let published: f64 = (1..=20)
        .map(|x| x as f64 * (broken.unveiled(x) - broken.unveiled(x - 1)))
        .sum();
    assert_eq!(published, 0.0, "without the case that every rerun fails");
}

#[test]
fn a_campaign_adds_up() {
    let test = |pass, seconds| CampaignTest {
        outcomes: OutcomeRates::new(pass, 1.0 - pass).unwrap(),
        seconds,
    };
    let cost = campaign(&[test(1.0, 2.0), test(0.5, 1.0)], 10);
    let flaky = 1.0 + 2.0 * (1.0 - 0.5f64.powi(9));
    assert!((cost.runs - (10.0 + flaky)).abs() < 1e-12, "{cost:?}");
    assert!((cost.seconds - (20.0 + flaky)).abs() < 1e-12, "{cost:?}");
}

#[test]
fn several_passes_are_counted_as_the_binomial_distribution_has_them() {
    // scipy.stats.binom.cdf(m - 1, n, 1 - f)
    for (failure, passes, runs, expected) in [
        (0.3, 2, 5, 0.03078),
        (0.1, 3, 4, 0.0523),
        (0.02, 2, 3, 0.001184),
        (0.5, 1, 10, 0.0009765625),
        (0.25, 4, 40, 2.2656559695888683e-19),
    ] {
        let found = passes_too_seldom(failure, passes, runs);
        assert!((found / expected - 1.0).abs() < 1e-12, "{failure} {found}");
    }
    assert_eq!(passes_too_seldom(0.3, 3, 2), 1.0);
    assert_eq!(passes_too_seldom(0.0, 3, 3), 0.0);
    assert_eq!(passes_too_seldom(1.0, 3, 9), 1.0);
    // The least n, by the same function of scipy.
    for (failure, passes, confidence, expected) in [
        (0.3, 2, 0.9999, 11),
        (0.1, 3, 0.99, 5),
        (0.5, 5, 0.999, 24),
        (0.3, 1, 0.9999, 8),
    ] {
        assert_eq!(runs_until_passes(failure, passes, confidence), Ok(expected));
    }
    assert!(runs_until_passes(1.0, 2, 0.99).is_err());
    assert_eq!(runs_until_passes(0.0, 2, 0.99), Ok(2));
}
