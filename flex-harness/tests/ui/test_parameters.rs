use flex_harness::prelude::*;

#[stochastic_test]
fn not_a_reference(rng: TestRng) {}

#[stochastic_test]
fn shared_reference(rng: &TestRng) {}

#[stochastic_test]
fn number(n: u32) {}

#[stochastic_test]
fn any_generator(rng: &mut impl Iterator) {}

#[stochastic_test]
fn two(rng: &mut TestRng, n: usize) {}

struct Holder;

impl Holder {
    #[stochastic_test]
    fn method(&self, rng: &mut TestRng) {}
}

fn main() {}
