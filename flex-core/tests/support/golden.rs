//! The golden data: samples with the numbers that R and scipy computed from them.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// One data set with the fits that others made of it.
pub struct Golden {
    pub name: String,
    pub ascending: Vec<f64>,
    pub fits: Value,
}

pub fn golden() -> Vec<Golden> {
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
pub fn for_each_threshold(mut check: impl FnMut(&str, &Golden, &[f64], &Value)) {
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

pub fn assert_close(label: &str, what: &str, got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance,
        "{label}: {what} is {got}, the reference says {want}"
    );
}
