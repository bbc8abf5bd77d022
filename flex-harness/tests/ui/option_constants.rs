use flex_harness::prelude::*;

const CONFIDENCE: f64 = 1.5;
const RUNS: u32 = 10;

#[stochastic_test(confidence = CONFIDENCE)]
fn confidence() {}

#[stochastic_test(runs = RUNS - 10)]
fn runs() {}

#[stochastic_test(runs = 10 * RUNS, max_runs = 50)]
fn fewer() {}

#[stochastic_test(effort = -CONFIDENCE)]
fn effort() {}

fn main() {}
