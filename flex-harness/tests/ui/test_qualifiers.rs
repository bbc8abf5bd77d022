use flex_harness::prelude::*;

#[stochastic_test]
async fn asynchronous(rng: &mut TestRng) {}

#[stochastic_test]
const unsafe extern "C" fn everything<T>(rng: &mut TestRng) {}

#[stochastic_test]
fn with_lifetime<'a>(rng: &'a mut TestRng) {}

fn main() {}
