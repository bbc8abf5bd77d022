use flex_harness::prelude::*;

#[stochastic_test]
#[should_panic]
fn panics() {}

#[stochastic_test]
#[should_panic(expected = "a message")]
fn panics_with_message() {}

#[stochastic_test]
#[cfg_attr(all(), should_panic)]
fn panics_sometimes() {}

#[stochastic_test]
#[test]
fn test_beside_it() {}

#[stochastic_test]
#[stochastic_test]
fn twice() {}

fn main() {}
