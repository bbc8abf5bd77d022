//! Claims about all runs, about whatever holds numbers, and with every option.

#![deny(warnings)]

use flex_harness::laws::{Normal, Poisson};
use flex_harness::prelude::*;
use flex_harness::{Law, discrete};

const BOUND: f64 = 0.5;

struct Triangle;

impl Law for Triangle {
    fn cdf(&self, x: f64) -> f64 {
        x.clamp(0.0, 1.0).powi(2)
    }
}

fn generic<T: Measured + Copy, const N: usize>(values: &[T; N]) {
    for value in values {
        assert_mean!(value.measured() < BOUND, domain = 0.0..=1.0, case = N);
    }
}

#[stochastic_test(max_runs = 100)]
fn everything(rng: &mut TestRng) -> Result<(), Box<dyn std::error::Error>> {
    let values = vec![rng.seed_u64() as f64, 1.0];
    let (n, small) = (values.len() as u32, values[0] < 1.0);
    assert_mean!(values < BOUND, domain = ..=1.0);
    assert_mean!(
        values[0] < BOUND * 2.0,
        domain = 0.0..=1.0,
        margin = 0.1,
        max_runs = n
    );
    assert_mean!(
        0.5 >= values.iter().copied().sum::<f64>(),
        domain = 0..=1,
        undecided = fail
    );
    assert_mean!(
        values.iter().map(|x| x * x) <= BOUND,
        domain = 0.0..,
        draws = independent,
        name = "squares"
    );
    assert_mean!([1u8, 2], within = 1.0, of = 1, domain = 0.0..=9.0);
    assert_mean!(n as f64 - 1.0 > BOUND, domain = 0.0..=9.0, "with {n}");
    assert_rate!(small > 0.9, margin = 0.03, confidence = 0.99999);
    assert_rate!(values.iter().map(|x| *x < 0.5) < BOUND, draws = "cluster");
    assert_rate!((small && n > 1) >= 0.5, name = format!("rate of {n}"));
    assert_distributed!(values, Normal::new(0.0, 1.0)?);
    assert_distributed!(n, Poisson::new(3.0)?, margin = 0.2);
    assert_distributed!(values[0], Triangle);
    assert_distributed!(values[0], |x: f64| x.clamp(0.0, 1.0), name = "uniform");
    assert_distributed!(n, &discrete(|k| (k / 6.0).clamp(0.0, 1.0)), name = "die");
    assert_same_distribution!(values.iter(), (0..n).map(f64::from));
    assert_no_worse!(values[0], values[1], margin = 0.01, better = higher);
    assert_no_worse!(values, [1.0, 2.0], case = n);
    generic(&[1.0, 2.0]);
    println!("{values:?}");
    Ok(())
}

#[cfg(all(feature = "statrs", feature = "rand_distr"))]
#[stochastic_test]
fn laws_of_other_crates(rng: &mut TestRng) -> Result<(), Box<dyn std::error::Error>> {
    let (x, n) = (rng.seed_u64() as f64, rng.seed_u64());
    let law = statrs::distribution::Gamma::new(2.0, 1.0)?;
    assert_distributed!(x, law);
    assert_distributed!(x, &law, name = "by reference");
    assert_distributed!(n, statrs::distribution::Binomial::new(0.3, 20)?);
    assert_distributed!(x, statrs::distribution::DiscreteUniform::new(1, 6)?);
    assert_distributed!(
        [x, x],
        rand_distr::Normal::new(0.0, 1.0)?,
        draws = independent
    );
    assert_distributed!(x, rand_distr::Exp1);
    Ok(())
}
