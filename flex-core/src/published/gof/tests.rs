use super::*;

/// Numbers in [0, 1) from a fixed seed.
fn chance() -> impl FnMut() -> f64 {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn a_perfect_sample_is_as_near_as_can_be() {
    let excesses: Vec<f64> = (1..=40)
        .map(|i| -((f64::from(i) - 0.5) / 40.0).ln())
        .collect();
    let distance = FitDistance::of(&excesses, Gpd::new(1.0, 0.0).unwrap()).unwrap();
    assert!((distance.cramer_von_mises - 1.0 / 480.0).abs() < 1e-12);
    assert!(distance.anderson_darling < 0.05, "{distance:?}");
    let p_values = distance.p_values(0.0, 40);
    assert_eq!(
        (p_values.anderson_darling, p_values.cramer_von_mises),
        (1.0, 1.0)
    );
}

#[test]
fn what_cannot_be_is_infinitely_far() {
    let gpd = Gpd::new(1.0, -0.5).unwrap();
    let distance = FitDistance::of(&[0.5, 2.5], gpd).unwrap();
    assert_eq!(distance.anderson_darling, f64::INFINITY);
    assert_eq!(distance.p_values(-0.5, 2).anderson_darling, 0.0);
    assert_eq!(
        FitDistance::of(&[0.0, 1.0], gpd).unwrap().anderson_darling,
        f64::INFINITY
    );
    assert_eq!(FitDistance::of(&[], gpd), None);
    assert_eq!(FitDistance::of(&[1.0, f64::NAN], gpd), None);
}

#[test]
fn p_values_fall_from_one_to_zero_at_every_shape_and_size() {
    for table in [&ANDERSON_DARLING, &CRAMER_VON_MISES] {
        for shape in [f64::NEG_INFINITY, -2.0, -0.85, -0.33, 0.0, 0.77, 5.0] {
            for size in [0, 2, 50, 77, 1000, usize::MAX] {
                let at = |statistic: f64| look_up(table, statistic, shape, size);
                assert_eq!((at(0.0), at(f64::INFINITY)), (1.0, 0.0), "{shape} {size}");
                let p: Vec<f64> = (0..400).map(|i| at(0.01 * f64::from(i))).collect();
                assert!(p.is_sorted_by(|a, b| a >= b), "{shape} {size}");
                assert!(at(3.0) < 2e-3, "{shape} {size}: {}", at(3.0));
            }
        }
        assert!(look_up(table, f64::NAN, 0.0, 50).is_nan());
    }
}

#[test]
fn the_bootstrap_agrees_with_the_table() {
    let mut uniform = chance();
    for shape in [-0.3, 0.0, 0.4] {
        let excesses: Vec<f64> = (0..60)
            .map(|_| growth(-uniform().max(1e-9).ln(), shape))
            .collect();
        let fit = GpdFit::maximum_likelihood(&excesses).unwrap();
        let table = FitDistance::of(&excesses, fit.gpd)
            .unwrap()
            .p_values(fit.gpd.shape(), 60);
        let drawn = bootstrap(&excesses, 2000, &mut uniform).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 0.04;
        assert!(
            near(drawn.anderson_darling, table.anderson_darling),
            "{drawn:?} {table:?}"
        );
        assert!(
            near(drawn.cramer_von_mises, table.cramer_von_mises),
            "{drawn:?} {table:?}"
        );
    }
}

#[test]
fn a_bootstrap_that_says_nothing_is_refused() {
    let heavy: Vec<f64> = (1..60).map(|i| 60.0 / f64::from(i)).collect();
    let few = bootstrap(&heavy, 10, &mut chance()).unwrap_err();
    assert!(few.to_string().contains("more replicates"), "{few}");
    let none = bootstrap(&[1.0], 1000, &mut chance());
    assert_eq!(none, Err(NoBootstrap::NoFit(NoFit::TooFew)));
    // A source that repeats itself gives replicates without a fit.
    let stuck = bootstrap(&heavy, 500, &mut || 0.5);
    assert_eq!(
        stuck,
        Err(NoBootstrap::TooFewFits {
            replicates: 500,
            fitted: 0
        })
    );
}
