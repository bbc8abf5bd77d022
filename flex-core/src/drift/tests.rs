use super::*;

/// Quantiles of so many samples of a function of a uniform number.
fn kept(values: &[f64]) -> [f64; QUANTILES.len()] {
    let samples = Samples::from_values(values);
    QUANTILES.map(|p| samples.quantile(p).unwrap())
}

/// So many samples, all of them finite.
fn all(n: u32) -> (u32, u32) {
    (n, n)
}

/// The quantiles of an exponential, from a given place on.
fn exponential(n: usize, shift: f64) -> Vec<f64> {
    (0..n)
        .map(|i| shift - ((i as f64 + 0.5) / n as f64).ln())
        .collect()
}

#[test]
fn the_same_distribution_has_not_moved() {
    for (n, m) in [(100, 100), (100, 1000), (3000, 30)] {
        let new = Samples::from_values(&exponential(m, 0.0));
        let drift = Drift::between(&kept(&exponential(n, 0.0)), all(n as u32), &new).unwrap();
        assert_eq!(drift.p_value, 1.0, "{n} {m}");
    }
}

#[test]
fn a_shift_is_seen_on_either_side() {
    let old = kept(&exponential(300, 0.0));
    for shift in [1.0, -1.0] {
        let new = Samples::from_values(&exponential(300, shift));
        let drift = Drift::between(&old, all(300), &new).unwrap();
        assert!(drift.is_significant(500), "{drift:?}");
    }
}

#[test]
fn ties_and_rounding_are_no_drift() {
    // Thirds are cut to four digits; every value is a tie.
    let thirds: Vec<f64> = (0..300).map(|i| f64::from(i % 3) / 3.0).collect();
    let rounded = kept(&thirds).map(|q| (q * 1e4).floor() / 1e4);
    let drift = Drift::between(&rounded, all(300), &Samples::from_values(&thirds)).unwrap();
    assert_eq!(drift.p_value, 1.0);
    let constant = Samples::from_values(&[2.0; 100]);
    let drift = Drift::between(&[2.0; 17], all(100), &constant).unwrap();
    assert_eq!(drift.p_value, 1.0);
    let moved = Samples::from_values(&[2.1; 100]);
    let drift = Drift::between(&[2.0; 17], all(100), &moved).unwrap();
    assert!(drift.p_value < 1e-20);
}

#[test]
fn the_level_is_kept_whatever_the_distribution() {
    use rand::{RngExt, SeedableRng};
    const ROUNDS: usize = 20_000;
    // Fixed seeds. Each distribution is a function of a uniform number; the last two are full of ties.
    let distributions: [fn(f64) -> f64; 4] = [
        |u| u,
        |u| u.powi(-2),
        |u| (5.0 * u).floor(),
        |u| f64::from(u < 0.3),
    ];
    for (seed, shape) in (0..).zip(distributions) {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut draw =
            |n: usize| -> Vec<f64> { (0..n).map(|_| shape(1.0 - rng.random::<f64>())).collect() };
        let mut surprises = 0;
        for _ in 0..ROUNDS {
            let (old, new) = (kept(&draw(20)), Samples::from_values(&draw(30)));
            let drift = Drift::between(&old, all(20), &new).unwrap();
            surprises += usize::from(drift.p_value < 0.01);
        }
        assert!(surprises <= ROUNDS / 100, "{seed}: {surprises}");
    }
}

#[test]
fn without_samples_nothing_is_said() {
    assert_eq!(
        Drift::between(&[0.0; 17], all(0), &Samples::from_values(&[1.0])),
        None
    );
    assert_eq!(
        Drift::between(&[0.0; 17], all(9), &Samples::from_values(&[])),
        None
    );
}

#[test]
fn values_that_are_not_finite_are_no_drift_if_they_were_there_before() {
    use rand::{RngExt, SeedableRng};
    // A tenth of the values is NaN. Fixed seed; the level of a hundredth is kept with much to spare.
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let mut draw = |n: usize| -> Vec<f64> {
        let values = (0..n).map(|_| (rng.random::<f64>(), rng.random::<f64>()));
        values
            .map(|(u, x)| if u < 0.1 { f64::NAN } else { x })
            .collect()
    };
    let (mut surprises, mut missed) = (0, 0);
    for _ in 0..1000 {
        let old = Samples::from_values(&draw(300));
        let quantiles = QUANTILES.map(|p| old.quantile(p).unwrap());
        let finite = old.finite().len() as u32;
        let new = Samples::from_values(&draw(300));
        let drift = Drift::between(&quantiles, (finite, 300), &new).unwrap();
        surprises += usize::from(drift.p_value < 0.01);
        // The same new samples, where there was no NaN before, are drift.
        let drift = Drift::between(&quantiles, all(300), &new).unwrap();
        missed += usize::from(drift.p_value >= 0.01);
    }
    assert!(surprises <= 10, "{surprises}");
    assert!(missed <= 10, "{missed}");
}

#[test]
fn values_that_are_not_finite_are_beyond_all() {
    let old = kept(&exponential(100, 0.0));
    let new = Samples::from_values(&[f64::NAN; 100]);
    let drift = Drift::between(&old, all(100), &new).unwrap();
    assert!(drift.p_value < 1e-20, "{drift:?}");
}
