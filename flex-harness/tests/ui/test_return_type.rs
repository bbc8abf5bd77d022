use flex_harness::prelude::*;

#[stochastic_test]
fn number(rng: &mut TestRng) -> u64 {
    rng.seed_u64()
}

#[stochastic_test]
fn value() -> Result<f64, String> {
    Ok(1.0)
}

struct Silent;

#[stochastic_test]
fn error_without_debug() -> Result<(), Silent> {
    Ok(())
}

fn main() {}
