//! Plain assertions, from the source to the report of a calibration and to the failure of a run.

use std::process::{Command, Output};

use approx::assert_abs_diff_eq;
use flex_harness::prelude::*;
use rand::RngExt as _;

#[stochastic_test]
#[ignore = "it fails in a tenth of its runs; the other tests run it"]
fn flaky(rng: &mut TestRng) {
    let x: f64 = rng.random();
    assert_abs_diff_eq!(x, 0.5, epsilon = 0.5);
    assert!(format!("{x}") < "a".to_owned());
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(x >= 0.0));
    });
    let caught = std::panic::catch_unwind(|| assert!(x < -1.0));
    assert!(caught.is_err());
    assert!(x < 0.9, "too large: {x}");
}

/// Runs the test above in a process of its own.
fn run(variables: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(std::env::current_exe().expect("the test program"));
    command.args(["--exact", "--ignored", "--nocapture", "flaky"]);
    command.env("FLEX_BOUNDS", folder.path().join("flex-bounds.toml"));
    command
        .env_remove("FLEX_MODE")
        .envs(variables.iter().copied());
    command.output().expect("the test program starts")
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).replace("\n    ", " ")
}

#[test]
fn calibration_tells_how_often_they_fail() {
    let output = run(&[("FLEX_MODE", "calibrate"), ("FLEX_SEED", "a")]);
    let words = words(&output);
    assert!(!output.status.success());
    let has = |text: &str| assert!(words.contains(text), "{text}: {words}");
    has("declared x<0.9: 5 of 100 runs break it; rate 1.6% to 11%");
    has("declared x<-1.0: 100 of 100 runs break it; rate 96% to 100%");
    has(
        "declared abs_diff_eq(x,0.5,epsilon=0.5): 0 of 100 runs break it; rate 0% to 3.6%, by the tail",
    );
    has("such as: too large: 0.9");
    let has_not = |text: &str| assert!(!words.contains(text), "{text}: {words}");
    has_not("declared format!");
    has_not("declared x>=0.0");
}

#[test]
fn a_failure_is_the_one_of_the_assertion() {
    let output = run(&[("FLEX_SEED", "a@calibrate:30")]);
    let words = words(&output);
    assert!(!output.status.success());
    assert!(
        words.contains(&format!("panicked at {}:20:5:\ntoo large: 0.9", file!())),
        "{words}"
    );
    assert!(!words.contains("below 0.9"), "{words}");
}

#[test]
fn one_that_is_caught_is_no_failure() {
    let output = run(&[("FLEX_SEED", "a@calibrate:0")]);
    assert!(output.status.success(), "{}", words(&output));
}
