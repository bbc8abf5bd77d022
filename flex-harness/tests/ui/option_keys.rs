use flex_harness::prelude::*;

#[stochastic_test(confidance = 0.999, run = 10, seed = 3)]
fn unknown() {}

#[stochastic_test(runs = 10, runs = 20)]
fn twice() {}

#[stochastic_test(overlap)]
fn without_value() {}

#[stochastic_test(runs = 10 max_runs = 20)]
fn without_comma() {}

fn main() {}
