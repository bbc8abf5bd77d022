//! `assert_time!`: a ratio of times is learned, declared and enforced. What slows the code down here does so twentyfold:
//! nothing rests on how quick the machine is.

use flex_tests::project::{NORMAL, Project};

const LIB: &str = "
pub fn reference(numbers: &[u64]) -> u64 {
    (0u64..40).map(|round| numbers.iter().fold(round, |sum, n| sum.rotate_left(3) ^ n)).fold(0, u64::wrapping_add)
}

pub fn new(numbers: &[u64]) -> u64 {
    let times = if knob(\"SLOWER\") > 0.0 { 20 } else { 1 };
    (0..times).map(|_| reference(numbers)).fold(0, u64::wrapping_add)
}
";

const TESTS: &str = "
use flex_harness::prelude::*;
use timed_code::{new, reference};

#[stochastic_test(runs = 30)]
fn new_is_as_quick(rng: &mut TestRng) {
    let numbers: Vec<u64> = (0..200).map(|_| rng.seed_u64()).collect();
    assert_time!(new(&numbers) / reference(&numbers) < _);
    assert_time!(new(&numbers) / reference(&numbers) < 10.0, name = \"declared\");
}
";

#[test]
fn ratios_of_times_are_learned_and_enforced() {
    let lib = format!("{NORMAL}{LIB}");
    let project = Project::new(
        "timed-code",
        "",
        &[("src/lib.rs", &lib), ("tests/a.rs", TESTS)],
    );
    let said = project.calibrate(&[], &[]);
    said.says(0, &["time(new(&numbers)/re"]);
    assert!(
        !said.out.contains("measures time"),
        "a ratio is of no machine: {said}"
    );
    let entry = &project.entries("new_is_as_quick")[0];
    assert!(
        entry.contains("site = \"time(new(&numbers)/reference(&numbers)<_)\""),
        "{entry}"
    );
    assert!(entry.contains("tail = \"upper\""), "{entry}");

    let program = project.program(&["--test", "a"]);
    let red = program.test("new_is_as_quick", &[("SLOWER", "1")]);
    red.says(
        101,
        &["time(new(&numbers)/reference(&numbers)<_)", "declared"],
    );
}
