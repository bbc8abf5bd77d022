//! Flaky tests of the kinds that the papers on FLEX and FLASH name. `tests/tests/corpus.rs` says what flex must say.

use approx::assert_abs_diff_eq;
use corpus::*;
use flex_harness::prelude::*;

/// FLEX's own example: a sampler on a mixture with two modes, judged by a KS statistic.
#[stochastic_test]
fn ks_of_a_sampler_on_two_modes(rng: &mut TestRng) {
    let sample = metropolis(rng, 1.5, 2.5, 150);
    let ks = ks_statistic(&sample, |x| mixture_cdf(x, 1.5));
    assert!(ks < 0.1, "the sampler is off: {ks}");
}

/// Accuracy above a guess.
#[stochastic_test]
fn accuracy_of_a_perceptron(rng: &mut TestRng) {
    let accuracy = perceptron_accuracy(rng, 300);
    assert!(accuracy > 0.92); // seen on the author's machine
}

/// Counts: whole numbers, few of them.
#[stochastic_test]
fn few_collisions(rng: &mut TestRng) {
    const MOST: usize = 14;
    let collisions = collisions(rng, 100, 500);
    assert!(collisions <= MOST);
}

/// A p-value above next to nothing, of values that are not independent.
#[stochastic_test]
fn p_value_of_a_sampler(rng: &mut TestRng) {
    let sample = metropolis(rng, 2.5, 1.0, 400);
    let ks = ks_statistic(&sample, |x| mixture_cdf(x, 2.5));
    assert!(ks_p_value(ks, sample.len()) > 1e-6);
}

/// A heavy tail: the slowest of many jobs.
#[stochastic_test]
fn slowest_of_many_jobs(rng: &mut TestRng) {
    assert_tail_bound!(slowest_job(rng, 50) < 4.0);
}

/// An optimiser that sometimes ends in the wrong valley.
#[stochastic_test]
fn optimiser_finds_the_minimum(rng: &mut TestRng) {
    assert!(descend(rng) < 0.3);
}

/// A tolerance that somebody guessed.
#[stochastic_test]
fn mean_is_close_to_zero(rng: &mut TestRng) {
    let mean = (0..400).map(|_| normal(rng)).sum::<f64>() / 400.0;
    assert_abs_diff_eq!(mean, 0.0, epsilon = 0.1);
}
