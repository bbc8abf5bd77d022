//! rayon: code that divides its seeds before it divides its work shows the same on any number of threads.

use flex_harness::prelude::*;
use frameworks_example::parallel_integral;
use rayon::prelude::*;

#[stochastic_test(confidence = 0.999)]
fn the_parallel_integral_is_near(rng: &mut TestRng) {
    let error = parallel_integral(rng, 10_000, f64::sqrt) - 2.0 / 3.0;
    assert_tail_bound!(_ < error < _);
}

#[test]
fn one_thread_and_four_show_the_same() {
    use rand::SeedableRng;
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        pool.expect("threads can be had")
            .install(|| parallel_integral(&mut rng, 10_000, f64::sqrt))
    };
    assert_eq!(on(1), on(4));
}

/// Assertions on threads of a pool belong to the test that they enter.
#[stochastic_test(confidence = 0.999)]
fn every_part_is_near(rng: &mut TestRng) {
    let scope = flex_harness::scope();
    let parts = (0..8).map(|_| rng.fork()).collect::<Vec<_>>();
    parts.into_par_iter().for_each(|mut rng| {
        scope.enter(|| {
            let error = parallel_integral(&mut rng, 1600, f64::sqrt) - 2.0 / 3.0;
            assert_tail_bound!(_ < error < _);
        });
    });
}
