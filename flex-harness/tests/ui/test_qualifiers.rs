use flex_harness::prelude::*;

#[stochastic_test]
async fn without_a_runtime(rng: &mut TestRng) {}

#[stochastic_test(runtime = "async-std")]
async fn another_name(rng: &mut TestRng) {}

#[stochastic_test(runtime = block_on, start_paused = true)]
async fn a_clock_of_tokio(rng: &mut TestRng) {}

#[stochastic_test(runtime = "tokio", start_paused = 1)]
async fn paused_how(rng: &mut TestRng) {}

#[stochastic_test(runtime = "tokio")]
fn not_async(rng: &mut TestRng) {}

#[stochastic_test(start_paused = true)]
fn not_async_either(rng: &mut TestRng) {}

#[stochastic_test]
const unsafe extern "C" fn everything<T>(rng: &mut TestRng) {}

#[stochastic_test]
fn with_lifetime<'a>(rng: &'a mut TestRng) {}

fn main() {}
