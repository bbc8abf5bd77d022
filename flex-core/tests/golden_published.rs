//! The published methods against numbers that R and scipy computed (`tests/golden`).
#![expect(
    clippy::unwrap_used,
    reason = "the golden files are part of the repository"
)]

#[path = "support/golden.rs"]
mod support;

use flex_core::published::boxcox::{BoxCox, NoTransform};
use flex_core::published::gof::FitDistance;
use flex_core::published::gpd_fit::{GpdFit, NoFit};
use flex_core::published::threshold::{forward_stop, strong_stop};
use flex_core::published::{NoThresholdFit, PValuesBy, fit_at};
use flex_core::sample::Samples;
use flex_core::tail::Side;
use flex_core::tail::gpd::Gpd;
use serde_json::Value;
use support::{assert_close, for_each_threshold, golden};

/// The numbers of a JSON array.
fn numbers(array: &Value) -> Vec<f64> {
    let items = array.as_array().unwrap().iter();
    items.map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn distances_are_the_reference() {
    let mut compared = 0;
    for_each_threshold(|label, _, excesses, golden| {
        let reference = &golden["gof_at_threshold_with_reference_mle"];
        if reference.is_null() {
            return;
        }
        let number = |key: &str| golden["reference_mle"][key].as_f64().unwrap();
        let theirs = Gpd::new(number("scale"), number("shape")).unwrap();
        let ours = GpdFit::maximum_likelihood(excesses).unwrap().gpd;
        for gpd in [theirs, ours] {
            let got = FitDistance::of(excesses, gpd).unwrap();
            let want = |key: &str| reference[key].as_f64().unwrap();
            assert_close(label, "A²", got.anderson_darling, want("ad"), 1e-6);
            assert_close(label, "W²", got.cramer_von_mises, want("cvm"), 1e-6);
            compared += 1;
        }
    });
    assert_eq!(compared, 64);
}

#[test]
fn p_values_of_the_table_are_those_of_the_bootstrap() {
    let mut compared = 0;
    for_each_threshold(|label, _, excesses, golden| {
        let reference = &golden["gof_at_threshold_with_reference_mle"];
        if reference.is_null() {
            return;
        }
        let gpd = GpdFit::maximum_likelihood(excesses).unwrap().gpd;
        let distance = FitDistance::of(excesses, gpd).unwrap();
        let got = distance.p_values(gpd.shape(), excesses.len());
        let want = |key: &str| reference[key].as_f64().unwrap();
        let (ad, cvm) = (want("ad_p_boot5000"), want("cvm_p_boot5000"));
        assert_close(label, "p of A²", got.anderson_darling, ad, 0.03);
        assert_close(label, "p of W²", got.cramer_von_mises, cvm, 0.03);
        compared += 1;
    });
    assert_eq!(compared, 32);
}

#[test]
fn stopping_rules_are_the_reference() {
    let mut compared = 0;
    for set in golden() {
        for test in ["seq_ad", "seq_cvm"] {
            let table = &set.fits[test]["table"];
            if table.is_null() {
                continue;
            }
            // The reference lists ascending thresholds and accumulates from the highest downward.
            let mut p_values = numbers(&table["p.values"]);
            p_values.reverse();
            for (rule, key) in [
                (forward_stop(&p_values), "ForwardStop"),
                (strong_stop(&p_values), "StrongStop"),
            ] {
                let want = numbers(&table[key]);
                assert_eq!(rule.len(), want.len());
                for (got, want) in rule.iter().rev().zip(&want) {
                    assert_close(&set.name, key, *got, *want, 1e-9);
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 1172);
}

#[test]
fn box_cox_is_the_reference_or_says_that_signs_are_mixed() {
    let mut compared = 0;
    for set in golden() {
        let reference = &set.fits["boxcox"];
        let transform = BoxCox::maximum_likelihood(&set.ascending);
        match reference["applied_to"].as_str() {
            None => assert_eq!(transform, Err(NoTransform::MixedSigns), "{}", set.name),
            Some(applied_to) => {
                let transform = transform.unwrap();
                assert_eq!(transform.mirrored, applied_to == "-x", "{}", set.name);
                let want = reference["lambda"].as_f64().unwrap();
                assert_close(&set.name, "λ", transform.lambda, want, 1e-3);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 21);
}

#[test]
fn a_fit_at_exactly_k_exceedances_is_the_reference() {
    let mut compared = 0;
    for_each_threshold(|label, set, excesses, golden| {
        let k = excesses.len();
        let samples = Samples::from_values(&set.ascending);
        let fit = fit_at(&samples, Side::Upper, k, PValuesBy::Table);
        let reference = &golden["reference_mle"];
        if reference.is_null() {
            let none = NoThresholdFit::NoFit(NoFit::NoInteriorMaximum);
            assert_eq!(fit, Err(none), "{label}");
            return;
        }
        let fit = fit.unwrap();
        let number = |group: &str, key: &str| golden[group][key].as_f64().unwrap();
        assert_eq!(
            (fit.exceedances, Some(fit.threshold)),
            (k, golden["threshold"].as_f64())
        );
        let scale = number("reference_mle", "scale");
        assert_close(label, "scale", fit.fit.gpd.scale(), scale, 1e-4 * scale);
        let shape = number("reference_mle", "shape");
        assert_close(
            label,
            "shape",
            fit.fit.gpd.shape(),
            shape,
            1e-4 * shape.abs(),
        );
        let ad = number("gof_at_threshold_with_reference_mle", "ad");
        assert_close(label, "A²", fit.distance.anderson_darling, ad, 1e-6);
        let mean = number("exponential", "scale");
        assert_close(label, "mean excess", fit.mean_excess, mean, 1e-9 * mean);
        let ratio = fit.against_exponential();
        let (statistic, p) = (
            number("lrt_exp_vs_gpd", "stat"),
            number("lrt_exp_vs_gpd", "p_value"),
        );
        assert_close(label, "likelihood ratio", ratio.statistic, statistic, 1e-6);
        assert_close(label, "p of the ratio", ratio.p_value, p, 1e-6);
        compared += 1;
    });
    assert_eq!(compared, 32);
}
