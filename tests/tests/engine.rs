//! flex on itself: stochastic tests of the engine. Calibrated with `cargo flex calibrate -p flex-tests`.

use flex_core::bound::confidence::Confidence;
use flex_core::bound::{LearnedBound, Question};
use flex_core::sample::Samples;
use flex_core::tail::Tail;
use flex_harness::prelude::*;
use rand_distr::{Distribution, Exp1, StandardNormal};

/// What is learned from so many values of a distribution.
fn learn(rng: &mut TestRng, runs: usize, distribution: impl Distribution<f64>) -> LearnedBound {
    let values: Vec<f64> = distribution.sample_iter(rng).take(runs).collect();
    let confidence = Confidence::new(0.999).unwrap_or(Confidence::DEFAULT);
    LearnedBound::learn(
        &Samples::from_values(&values),
        &Question::new(Tail::Upper, confidence),
    )
}

/// How many times as far as the true quantile the ceiling of normal values lies. Too loose catches nothing, too tight
/// breaks the promise; `cargo xtask truth` measures both at length, and this notices at once when either moves.
#[stochastic_test]
fn the_ceiling_of_normal_values_stays_where_it_was(rng: &mut TestRng) {
    // scipy.stats.norm.isf(0.0005)
    let truth = 3.290526731491926;
    let bound = learn(rng, 300, StandardNormal);
    let ceiling = bound.sides[0].ceiling.as_ref().map(|ceiling| ceiling.bound);
    assert_tail_bound!(_ < ceiling.unwrap_or(f64::NAN) / truth < _, name = "tightness");
}

#[stochastic_test]
fn the_guard_of_exponential_values_stays_where_it_was(rng: &mut TestRng) {
    for runs in [30, 100] {
        let bound = learn(rng, runs, Exp1);
        let guard = bound.sides[0].guard.as_ref().map(|guard| guard.bound);
        // The probability that a value is beyond it.
        let beyond = (-guard.unwrap_or(f64::NAN)).exp();
        assert_tail_bound!(_ < beyond < _, case = runs, domain = 0.0..=1.0);
    }
}
