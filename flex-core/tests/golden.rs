//! Tail fits against numbers that R and scipy computed (`tests/golden`).
#![expect(
    clippy::unwrap_used,
    reason = "the golden files are part of the repository"
)]

use std::fs;
use std::path::PathBuf;

use flex_core::gpd_fit::{GpdFit, NoFit};
use serde_json::Value;

/// One data set with the fits that others made of it.
struct Golden {
    name: String,
    ascending: Vec<f64>,
    fits: Value,
}

fn golden() -> Vec<Golden> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut sets: Vec<Golden> = fs::read_dir(folder.join("fits"))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let fits = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            let csv = fs::read_to_string(folder.join(format!("samples/{name}.csv"))).unwrap();
            let mut ascending: Vec<f64> = csv
                .lines()
                .skip(1)
                .map(|line| line.parse().unwrap())
                .collect();
            ascending.sort_by(f64::total_cmp);
            Golden {
                name,
                ascending,
                fits,
            }
        })
        .collect();
    sets.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(sets.len(), 27);
    sets
}

/// Calls `check` for every threshold of every set, with a label, the excesses and the golden numbers.
fn for_each_threshold(mut check: impl FnMut(&str, &Golden, &[f64], &Value)) {
    for set in golden() {
        for threshold in set.fits["thresholds"].as_array().unwrap() {
            let k = threshold["k"].as_u64().unwrap() as usize;
            let u = set.ascending[set.ascending.len() - 1 - k];
            assert_eq!(u, threshold["threshold"].as_f64().unwrap());
            let excesses: Vec<f64> = set.ascending[set.ascending.len() - k..]
                .iter()
                .map(|x| x - u)
                .collect();
            check(&format!("{} k={k}", set.name), &set, &excesses, threshold);
        }
    }
}

fn assert_close(label: &str, what: &str, got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance,
        "{label}: {what} is {got}, the reference says {want}"
    );
}

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
