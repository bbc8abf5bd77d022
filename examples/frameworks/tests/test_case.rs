//! test-case: the attribute goes below the cases.
//!
//! test-case writes a `#[test]` of its own, so `cargo test` runs each case twice, to the same verdict.

use flex_harness::prelude::*;
use frameworks_example::integral;
use test_case::test_case;

#[test_case(100; "few")]
#[test_case(10_000; "many")]
#[stochastic_test(confidence = 0.999)]
fn the_integral_is_near(points: usize) {
    let error = integral(&mut flex_harness::rng(), points, f64::sqrt) - 2.0 / 3.0;
    assert_tail_bound!(_ < error < _);
}
