//! A workspace with tests of every kind.

use flex_tests::project::{NORMAL, Project};

const STOCHASTIC: &str = r#"
use flex_harness::prelude::*;
use detected::normal;
use rand::RngExt;
use std::time::{Duration, Instant};

#[stochastic_test]
fn often(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert_tail_bound!(error < 0.84);
}

#[stochastic_test]
fn steady(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert_tail_bound!(-20.0 < error < 20.0);
}

#[stochastic_test]
fn risky(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert_tail_bound!(error < 4.0);
}

#[stochastic_test]
fn constant() {
    let one = 1.0f64;
    assert_tail_bound!(one < 2.0);
}

#[stochastic_test]
fn broken(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert!(error > 100.0);
}

#[stochastic_test]
#[ignore]
fn ignored(rng: &mut TestRng) {
    assert!(normal(rng, 0.0) < 100.0);
}

#[stochastic_test]
fn aborts(rng: &mut TestRng) {
    if rng.random::<f64>() < 0.2 {
        std::process::abort();
    }
}

#[stochastic_test]
fn uncontrolled() {
    assert_tail_bound!(rand::random::<f64>() < 2.0);
}

#[stochastic_test]
fn timed() {
    let started = Instant::now();
    assert_tail_bound!(started.elapsed() < Duration::from_secs(3600));
}

#[stochastic_test]
fn many(rng: &mut TestRng) {
    let x = 100.0 + normal(rng, 0.0);
    approx::assert_relative_eq!(x, 100.0, max_relative = 0.02);
    approx::assert_abs_diff_eq!(x, 100.0, epsilon = 30.0);
    approx::assert_ulps_eq!(x, 100.0, epsilon = 40.0, max_ulps = 4);
    assert_close!(x, 100.0, rel = 0.5);
    let limit = 200.0;
    assert!(x < limit);
}
"#;

/// Plain tests that depend on the order of a map: one key of eight comes first with probability 1/8 each.
const PLAIN: &str = r#"
fn first() -> u32 {
    let map: std::collections::HashMap<u32, ()> = (0..8).map(|key| (key, ())).collect();
    *map.keys().next().unwrap()
}

#[test]
fn order() {
    let first = first();
    assert!(first < 4, "{first} comes first");
}

#[test]
fn order_aborts() {
    if first() < 2 {
        std::process::abort();
    }
}

#[test]
fn sound() {}

#[test]
#[ignore]
fn ignored_too() {}

#[test]
#[should_panic]
fn should_panic() {
    panic!();
}
"#;

/// A member of the workspace that knows nothing of flex, and has a test with a main function of its own.
const INNER: &str = "[package]\nname = \"inner\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[[test]]\nname = \"own\"\nharness = false\n";

/// The same tests twice: in a program that links flex-harness, and in one that does not.
pub fn project() -> Project {
    let plain = format!("use flex_harness as _;\n{PLAIN}");
    Project::new(
        "detected",
        "[dependencies.approx]\nversion = \"0.5\"\n\n[features]\ndefault = [\"flex-harness/entropy\"]\nnothing = []\n",
        &[
            ("src/lib.rs", NORMAL),
            ("tests/stochastic.rs", STOCHASTIC),
            ("tests/plain.rs", plain.as_str()),
            ("tests/un-linked.rs", PLAIN),
            ("inner/Cargo.toml", INNER),
            ("inner/src/lib.rs", ""),
            ("inner/tests/sound.rs", "#[test]\nfn sound() {}\n"),
            ("inner/tests/own.rs", "fn main() {}\n"),
        ],
    )
}
