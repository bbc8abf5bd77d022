use flex_harness::prelude::*;

#[stochastic_test(confidence = "high")]
fn text() {}

#[stochastic_test(runs = 1.5)]
fn half_a_run() {}

fn main() {}
