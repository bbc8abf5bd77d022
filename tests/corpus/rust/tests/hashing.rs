//! A flaky test of the plainest kind: nothing in it is annotated, and nothing in it takes a seed.

use std::collections::HashMap;

/// The order of a `HashMap` is not that of its insertions.
#[test]
fn first_of_a_map() {
    let ages = HashMap::from([("ada", 36), ("alan", 41), ("grace", 85), ("kurt", 71)]);
    let (name, _) = ages.iter().next().expect("there are four");
    assert_ne!(*name, "kurt");
}
