use super::*;

#[test]
fn forward_agrees_with_scipy_and_back_undoes_it() {
    // scipy.special.boxcox(x, λ)
    for (lambda, x, y) in BOXCOX {
        for mirrored in [false, true] {
            let transform = BoxCox {
                lambda,
                mirrored,
                ln_mean: 0.0,
            };
            let sign = transform.sign();
            let got = transform.forward(sign * x);
            assert!(
                (got - sign * y).abs() < 1e-12 * y.abs().max(1.0),
                "{got} {y}"
            );
            let back = transform.back(got);
            assert!((back - sign * x).abs() < 1e-9 * x, "{back} {x}");
        }
    }
}

#[test]
fn order_is_kept_on_both_sides_of_zero() {
    for lambda in [-2.0, -0.3, 0.0, 0.5, 3.0] {
        for mirrored in [false, true] {
            let transform = BoxCox {
                lambda,
                mirrored,
                ln_mean: 0.0,
            };
            let values = [0.1, 0.7, 1.0, 4.0].map(|x| transform.sign() * x);
            let mut images = values.map(|x| transform.forward(x));
            if mirrored {
                images.reverse();
            }
            assert!(images.is_sorted(), "{lambda} {images:?}");
        }
    }
}

#[test]
fn beyond_the_range_of_the_transform_lies_the_end() {
    let of = |lambda| BoxCox {
        lambda,
        mirrored: false,
        ln_mean: 0.0,
    };
    assert_eq!(of(-0.5).back(2.0), f64::INFINITY);
    assert_eq!(of(0.5).back(-2.5), 0.0);
    assert_eq!(of(-0.5).forward(f64::INFINITY), 2.0);
    assert!(of(0.5).forward(-1.0).is_nan());
}

#[test]
fn lambda_does_not_depend_on_the_unit() {
    let values: Vec<f64> = (1..80)
        .map(|i| (f64::from(i) / 80.0).powi(3) + 0.01)
        .collect();
    let lambda = BoxCox::maximum_likelihood(&values).unwrap().lambda;
    for unit in [1e-200, 1e-6, 1e9, 1e200, -1.0, -1e100] {
        let scaled: Vec<f64> = values.iter().map(|x| x * unit).collect();
        let got = BoxCox::maximum_likelihood(&scaled).unwrap();
        assert!(
            (got.lambda - lambda).abs() < 1e-5,
            "{unit}: {got:?} {lambda}"
        );
        assert_eq!(got.mirrored, unit < 0.0);
        let there = got.forward(0.5 * unit);
        let here = BoxCox::maximum_likelihood(&values).unwrap().forward(0.5);
        assert!(
            (there - here.copysign(here * unit)).abs() < 1e-4,
            "{unit}: {there} {here}"
        );
        assert!((got.back(there) / (0.5 * unit) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_narrow_sample_far_from_zero_has_a_lambda_far_out() {
    let values: Vec<f64> = (0..50)
        .map(|i| 100.0 + (f64::from(i) / 10.0).exp())
        .collect();
    let transform = BoxCox::maximum_likelihood(&values).unwrap();
    assert!(transform.lambda < -2.0, "{transform:?}");
}

#[test]
fn what_cannot_be_transformed_is_said() {
    let fit = BoxCox::maximum_likelihood;
    assert_eq!(fit(&[1.0, -1.0]), Err(NoTransform::MixedSigns));
    assert_eq!(fit(&[1.0, 0.0]), Err(NoTransform::MixedSigns));
    assert_eq!(fit(&[0.0, 1.0]), Err(NoTransform::MixedSigns));
    assert_eq!(fit(&[2.0; 9]), Err(NoTransform::Constant));
    assert_eq!(fit(&[]), Err(NoTransform::Constant));
    assert_eq!(fit(&[1.0, f64::NAN]), Err(NoTransform::NotFinite));
}

const BOXCOX: [(f64, f64, f64); 8] = [
    (-2.0, 0.5, -1.5),
    (-2.0, 3.0, 0.4444444444444445),
    (-0.1, 0.001, -9.952623149688796),
    (1e-09, 7.0, 1.9459101509485965),
    (0.0, 7.0, 1.9459101490553132),
    (0.5, 1000000.0, 1997.9999999999995),
    (1.0, 0.25, -0.75),
    (3.0, 1.5, 0.7916666666666666),
];
