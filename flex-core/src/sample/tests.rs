use super::*;

#[test]
fn order_of_arrival_leaves_no_trace() {
    let forward = Samples::new([(0, 3.0), (1, 1.0), (2, f64::NAN), (3, 1.0)]);
    let backward = Samples::new([(3, 1.0), (2, f64::NAN), (1, 1.0), (0, 3.0)]);
    assert_eq!(forward, backward);
    assert_eq!(forward.extreme_runs(Side::Upper, 2), [0, 3]);
}

#[test]
fn what_is_not_finite_is_kept_apart_and_counted_as_beyond() {
    let samples = Samples::from_values(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, 2.0]);
    assert_eq!(samples.len(), 5);
    assert_eq!(samples.count_beyond(Side::Upper, 1.0), 3);
    assert_eq!(samples.count_beyond(Side::Lower, 2.0), 3);
    let upper = samples.orient(Side::Upper);
    assert_eq!(upper.unbounded, [0, 1]);
    assert_eq!(upper.nth_largest(1), Err(&[0, 1][..]));
    assert_eq!(upper.nth_largest(2), Ok(2.0));
    assert_eq!(upper.nth_largest(4), Err(&[2][..]), "the smallest is -inf");
}

#[test]
fn a_nan_among_the_hits_of_a_run_is_not_forgotten() {
    let mut extremes = Extremes::new(1.0);
    extremes.push(f64::NAN);
    extremes.push(2.0);
    assert!(extremes.least.is_nan() && extremes.greatest.is_nan());
}

#[test]
fn quantiles_agree_with_numpy() {
    // numpy.quantile([1, 2, 4, 8], [0, 0.1, 0.5, 0.9, 1])
    let samples = Samples::from_values(&[8.0, 1.0, 4.0, 2.0]);
    for (probability, expected) in [(0.0, 1.0), (0.1, 1.3), (0.5, 3.0), (0.9, 6.8), (1.0, 8.0)] {
        let got = samples.quantile(probability).unwrap();
        assert!((got - expected).abs() < 1e-12, "{probability}: {got}");
    }
    assert_eq!(Samples::default().quantile(0.5), None);
}

#[test]
fn noise_at_an_end_of_the_domain_is_let_pass_and_one_wild_value_hides_nothing() {
    let outside = |values: &[f64], domain: &str| {
        let found = Samples::from_values(values).outside(domain.parse().unwrap());
        found.map(|outside| outside.runs)
    };
    assert_eq!(outside(&[-1e-17, 0.2, 1.0 + 1e-15], "0..1"), None);
    assert_eq!(outside(&[-1e-3, 0.2, 1.0], "0..1"), Some(vec![0]));
    assert_eq!(
        outside(
            &[-100.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1e12],
            "0.."
        ),
        Some(vec![0])
    );
    assert_eq!(outside(&[f64::NEG_INFINITY, 1.0], "0.."), Some(vec![0]));
    assert_eq!(outside(&[f64::NAN, 1.0], "0.."), None);
}

#[test]
fn a_constant_is_recognised_across_the_signs_of_zero() {
    assert!(Samples::from_values(&[0.0, -0.0]).is_constant());
    assert!(!Samples::from_values(&[0.0, f64::NAN]).is_constant());
    assert!(!Samples::from_values(&[]).is_constant());
}
