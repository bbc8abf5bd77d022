//! tokio: a runtime for each run, whose clock jumps to the next timer.

use flex_harness::prelude::*;
use frameworks_example::retry;
use rand::RngExt;
use tokio::time::Instant;

/// A service answers every second time, on average.
#[stochastic_test(confidence = 0.999, runtime = "tokio", start_paused = true)]
async fn retries_wait_for_seconds_at_most(rng: &mut TestRng) {
    let mut service = rng.fork();
    let began = Instant::now();
    let attempts = retry(rng, || service.random_bool(0.5)).await;
    assert_tail_bound!(attempts < _, domain = 1.0..=f64::INFINITY);
    assert_tail_bound!(began.elapsed().as_secs_f64() < _, name = "waiting");
}

/// Tasks run on the thread of the test, so their assertions belong to it.
#[stochastic_test(confidence = 0.999, runtime = "tokio", start_paused = true)]
async fn clients_beside_each_other_wait_no_longer(rng: &mut TestRng) {
    let clients = (0..4).map(|_| {
        let (mut rng, mut service) = (rng.fork(), rng.fork());
        tokio::spawn(async move {
            let began = Instant::now();
            retry(&mut rng, || service.random_bool(0.5)).await;
            assert_tail_bound!(began.elapsed().as_secs_f64() < _, name = "waiting");
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap_or_else(|error| panic!("{error}"));
    }
}
