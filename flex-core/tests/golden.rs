//! Tail fits against numbers that R and scipy computed (`tests/golden`).
#![expect(
    clippy::unwrap_used,
    reason = "the golden files are part of the repository"
)]

#[path = "support/golden.rs"]
mod support;

use flex_core::published::gpd_fit::{GpdFit, NoFit};
use support::{assert_close, for_each_threshold};

#[test]
fn maximum_likelihood_is_the_reference_or_says_that_none_exists() {
    let (mut fitted, mut without) = (0, 0);
    for_each_threshold(|label, _, excesses, golden| {
        let fit = GpdFit::maximum_likelihood(excesses);
        let reference = &golden["reference_mle"];
        if reference.is_null() {
            assert_eq!(fit, Err(NoFit::NoInteriorMaximum), "{label}");
            without += 1;
            return;
        }
        let number = |key: &str| reference[key].as_f64().unwrap();
        let fit = fit.unwrap_or_else(|why| panic!("{label}: {why}"));
        let (scale, shape, loglik) = (number("scale"), number("shape"), number("loglik"));
        assert_close(
            label,
            "log-likelihood",
            fit.log_likelihood,
            loglik,
            1e-6 * loglik.abs(),
        );
        assert_close(label, "scale", fit.gpd.scale(), scale, 1e-4 * scale);
        assert_close(
            label,
            "shape",
            fit.gpd.shape(),
            shape,
            1e-4 * shape.abs().min(1.0),
        );
        fitted += 1;
    });
    assert_eq!((fitted, without), (32, 4));
}

#[test]
fn quantiles_are_the_reference() {
    let mut compared = 0;
    for_each_threshold(|label, set, excesses, golden| {
        let Some(reference) = golden["quantiles_reference"].as_object() else {
            return;
        };
        let fit = GpdFit::maximum_likelihood(excesses).unwrap();
        let u = golden["threshold"].as_f64().unwrap();
        let rate = excesses.len() as f64 / set.ascending.len() as f64;
        for (probability, want) in reference {
            let beyond = 1.0 - probability.parse::<f64>().unwrap();
            let got = u + fit.gpd.quantile_above(beyond / rate);
            let want = want.as_f64().unwrap();
            assert_close(label, probability, got, want, 1e-4 * want.abs());
            compared += 1;
        }
    });
    assert_eq!(compared, 96);
}
