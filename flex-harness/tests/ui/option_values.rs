use flex_harness::prelude::*;

#[stochastic_test(confidence = 1.0, runs = 0, effort = -0.5)]
fn out_of_range() {}

#[stochastic_test(confidence = 99.99)]
fn percent() {}

#[stochastic_test(confidence = -0.5)]
fn negative() {}

#[stochastic_test(runs = 100, max_runs = 50)]
fn fewer() {}

#[stochastic_test(max_runs = 0, attempts = 0, timeout = 0)]
fn none() {}

#[stochastic_test(tail = heavy, on_ceiling = ignore, overlap = maybe, replay = never)]
fn words() {}

#[stochastic_test(entropy = chaos)]
fn entropy() {}

#[stochastic_test(effort = -1, async fn() = 3)]
fn nonsense() {}

// All mistakes of one test are reported together.
#[stochastic_test(confidence = 2.0, taiil = light)]
#[should_panic]
async fn everything(n: usize) {}

fn main() {}
