//! proptest, around a run and inside of one: what it draws follows the seed of the run.

use flex_harness::prelude::*;
use frameworks_example::integral;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

/// A configuration whose cases are those of the run.
fn of_this_run() -> ProptestConfig {
    ProptestConfig {
        cases: 20,
        rng_seed: RngSeed::Fixed(flex_harness::rng().seed_u64()),
        // A failing run is repeated by its seed.
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(of_this_run())]

    /// A run has 20 exponents; of their errors, the most extreme count.
    #[stochastic_test(confidence = 0.999)]
    fn the_integral_of_every_power_is_near(exponent in 0.1..5.0_f64) {
        let mut rng = flex_harness::rng();
        let error = integral(&mut rng, 1000, |x| x.powf(exponent)) - 1.0 / (exponent + 1.0);
        assert_tail_bound!(_ < error < _);
    }
}

/// One bound for each kind of case.
#[stochastic_test(confidence = 0.999)]
fn the_integral_is_near_by_size() {
    let sizes = prop_oneof![Just(100_usize), Just(1000)];
    let checked = TestRunner::new(of_this_run()).run(&sizes, |points| {
        let error = integral(&mut flex_harness::rng(), points, f64::sqrt) - 2.0 / 3.0;
        assert_tail_bound!(_ < error < _, case = points);
        Ok(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
}
