//! `attempts = 8`: a test passes if one of its runs does not fail by itself, and `fix` writes it.
//!
//! All seeds are fixed.

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project, TestProgram};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use attempts::{knob, normal};

#[stochastic_test]
fn once(rng: &mut TestRng) {
    // A normal value of mean 20 is below this in 30 % of all runs.
    assert_tail_bound!(normal(rng, 20.0) > 19.476);
}

#[stochastic_test(attempts = 8)]
fn bound(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 20.0) > 19.476);
}

#[stochastic_test(attempts = 8)]
fn panic(rng: &mut TestRng) {
    assert!(normal(rng, 20.0) > 19.476);
}

#[stochastic_test(attempts = 8)]
fn error(rng: &mut TestRng) -> Result<(), String> {
    if normal(rng, 20.0) > 19.476 { Ok(()) } else { Err("too small".to_owned()) }
}

#[stochastic_test(attempts = 8)]
fn never(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) > 50.0, "far too small");
}

#[stochastic_test(attempts = 8)]
fn hopeless(rng: &mut TestRng) {
    assert!(normal(rng, 0.0) > 50.0, "the words of the failure");
}

#[stochastic_test(attempts = 8)]
fn learned(rng: &mut TestRng) {
    let error = normal(rng, knob("SHIFT"));
    // Half of the runs fail before the learned site is reached, when the knob is set.
    assert!(knob("FAILING") == 0.0 || normal(rng, 0.0) > 0.0);
    assert_tail_bound!(error < _);
}
"#;

fn project() -> Project {
    Project::new(
        "attempts",
        "",
        &[("src/lib.rs", NORMAL), ("tests/verdicts.rs", TESTS)],
    )
}

/// Runs a test under the fixed seeds 0 to 39, and counts the failures.
fn failures(program: &TestProgram<'_>, test: &str) -> usize {
    let seeds = (0..40).map(|seed| format!("s{seed}"));
    let fails = |seed: &String| program.test(test, &[("FLEX_SEED", seed)]).code != 0;
    seeds.filter(fails).count()
}

#[test]
fn one_run_that_does_not_fail_is_enough() {
    let project = project();
    let program = project.program(&["--test", "verdicts"]);
    let once = failures(&program, "once");
    assert!((4..=20).contains(&once), "{once} of 40");
    for test in ["bound", "panic", "error"] {
        assert_eq!(failures(&program, test), 0, "{test}");
    }

    let run = |test: &str, env: &[(&str, &str)]| -> Said {
        program.test(test, &[&[("FLEX_SEED", "s1")], env].concat())
    };
    let all_failed = "note: 8 of 8 attempts failed by themselves";
    let replay = "replay: FLEX_SEED=s1 cargo test";
    run("never", &[]).says(
        101,
        &[
            "a declared bound is broken",
            "far too small",
            all_failed,
            replay,
        ],
    );
    let said = run("hopeless", &[]);
    said.says(101, &["the words of the failure", all_failed, replay]);
    assert_eq!(said.out.matches("the words of the failure").count(), 8);
    // Without bounds, and for one run of many, there is one attempt.
    for env in [("FLEX_MODE", "off"), ("FLEX_SEED", "s1@enforce:3")] {
        let said = run("hopeless", &[env]);
        assert_eq!(said.out.matches("the words of the failure").count(), 1);
        assert!(!said.out.contains("attempts failed"), "{said}");
    }
}

#[test]
fn learned_bounds_are_judged_on_the_first_run_that_does_not_fail() {
    let project = project();
    project
        .calibrate(&["--test", "verdicts", "learned"], &[])
        .says(0, &["1 site learned"]);
    let program = project.program(&["--test", "verdicts"]);
    let run = |seed: &str, shift: &str| {
        let env = [("FLEX_SEED", seed), ("FAILING", "1"), ("SHIFT", shift)];
        program.test("learned", &env)
    };
    for seed in ["s0", "s1", "s2", "s3", "s4"] {
        run(seed, "0").says(0, &[]);
        // The reruns that confirm it fail in every second run too, and have attempts of their own.
        run(seed, "8").says(101, &["regression", "behaviour changed"]);
    }
    // Calibration sees every failure.
    project
        .calibrate(
            &["--full", "--test", "verdicts", "learned"],
            &[("FAILING", "1")],
        )
        .says(1, &["failed by themselves"]);
}

#[test]
fn fix_writes_attempts_and_the_test_passes() {
    let project = project();
    project.replace(
        "tests/verdicts.rs",
        "#[stochastic_test(attempts = 8)]\nfn panic",
        "#[stochastic_test(runs = 100)]\nfn panic",
    );
    let flex = |args: &[&str]| project.cargo(&[&["flex"], args].concat(), &[]);
    flex(&["detect", "--seed", "fixed", "--test", "verdicts", "once"]).says(1, &["flaky"]);
    let rerun = |test| flex(&["fix", "--choose", "rerun", "--apply", "--allow-dirty", test]);
    rerun("once").says(0, &["once passes: FLEX_SEED=fixed cargo test"]);
    flex(&["detect", "--seed", "fixed", "--test", "verdicts", "panic"]).says(1, &["flaky"]);
    rerun("panic").says(0, &["panic passes: FLEX_SEED=fixed cargo test"]);
    let changed = project.read("tests/verdicts.rs");
    let attempts = |before: &str| {
        let rest = changed.split(before).nth(1);
        let rest = rest.unwrap_or_else(|| panic!("no `{before}` in {changed}"));
        let number = rest.split(')').next().unwrap_or_default();
        number.parse::<u32>().expect("a number")
    };
    // 0.3^8 < 1e-4 < 0.3^7, and the rate may be higher than it was seen to be.
    assert!((8..16).contains(&attempts("#[stochastic_test(attempts = ")));
    assert!((8..16).contains(&attempts("#[stochastic_test(runs = 100, attempts = ")));
    let program = project.program(&["--test", "verdicts"]);
    assert_eq!(failures(&program, "once"), 0);
    assert_eq!(failures(&program, "panic"), 0);
    // The true rate is still seen.
    flex(&["detect", "--seed", "again", "--test", "verdicts", "once"]).says(1, &["flaky"]);
}
