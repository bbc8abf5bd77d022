//! How wrong may the counter be? Calibrated with `cargo flex calibrate -p sketch-example`, enforced by `cargo test`.

use flex_harness::prelude::*;
use sketch_example::DistinctCounter;

/// (count − truth) / truth, after so many different items.
fn relative_error(seed: u64, items: u64) -> f64 {
    let mut counter = DistinctCounter::new(seed);
    for item in 0..items {
        counter.insert(item);
    }
    (counter.count() - items as f64) / items as f64
}

#[stochastic_test(confidence = 0.9999)]
fn the_error_is_small(rng: &mut TestRng) {
    let error = relative_error(rng.seed_u64(), 20_000).abs();
    assert_tail_bound!(error < _, domain = 0.0..);
    assert_tail_bound!(error < 0.25);
}

#[stochastic_test]
fn small_and_large_sets_are_counted_as_well(rng: &mut TestRng) {
    for items in [5_000, 30_000] {
        let error = relative_error(rng.seed_u64(), items);
        assert_tail_bound!(_ < error < _, case = items);
    }
}

#[stochastic_test]
fn seeing_an_item_again_changes_nothing(rng: &mut TestRng) {
    let mut counter = DistinctCounter::new(rng.seed_u64());
    let mut counts = [0.0; 2];
    for count in &mut counts {
        for item in 0..10_000 {
            counter.insert(item);
        }
        *count = counter.count();
    }
    assert_eq!(counts[0], counts[1]);
    assert_close!(counts[1], 10_000.0, rel = _);
}
