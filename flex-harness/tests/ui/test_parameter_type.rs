use flex_harness::prelude::*;

#[stochastic_test]
fn another_type(_rng: &mut u32) {}

fn main() {}
