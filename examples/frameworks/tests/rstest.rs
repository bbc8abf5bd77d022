//! rstest: `#[test_attr(…)]` says what makes a test of each case, and a fixture gives the random numbers.

use flex_harness::prelude::*;
use frameworks_example::integral;
use rstest::{fixture, rstest};

#[fixture]
fn rng() -> TestRng {
    flex_harness::rng()
}

/// One test for each case, each with a bound of its own.
#[rstest]
#[case::few(100)]
#[case::many(10_000)]
#[test_attr(stochastic_test(confidence = 0.999))]
fn the_integral_is_near(mut rng: TestRng, #[case] points: usize) {
    let error = integral(&mut rng, points, f64::sqrt) - 2.0 / 3.0;
    assert_tail_bound!(_ < error < _);
}
