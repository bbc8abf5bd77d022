//! What `cargo test` says about a stochastic test, verdict by verdict.
//!
//! All seeds are fixed. The code under test is broken through variables of the environment, so that one build shows
//! many verdicts.

mod entries;

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project, TestProgram};
use serde_json::Value;

const TESTS: &str = r#"
use flex_harness::prelude::*;
use verdicts::{knob, normal};

#[stochastic_test]
fn learned(rng: &mut TestRng) {
    let error = normal(rng, knob("SHIFT"));
    if knob("SKIP") == 0.0 {
        assert_tail_bound!(error < _, "the shift is {}", knob("SHIFT"));
    }
}

#[stochastic_test(on_ceiling = warn)]
fn warned(rng: &mut TestRng) {
    let error = normal(rng, 0.0) + if once() { knob("SHIFT") } else { 0.0 };
    assert_tail_bound!(error < _);
}

/// Whether this is the first call in the process.
fn once() -> bool {
    use std::sync::atomic::{AtomicBool, Ordering};
    static CALLED: AtomicBool = AtomicBool::new(false);
    !CALLED.swap(true, Ordering::SeqCst)
}

#[stochastic_test]
fn declared(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < -50.0, "too large by {}", 50);
    assert_tail_bound!(60.0 < x);
    let limit = 70.0;
    assert_tail_bound!(limit < x, name = "computed");
    assert_close!([x, 1.0], [x], abs = 0.5);
    assert_close!([x, f64::NAN], [x, 1.0], abs = 0.5, name = "nan");
    assert_close!(x, x + 1.0, abs = 0.5, name = "close");
    eprintln!("the run went on");
}

#[stochastic_test]
fn panics(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert!(x > 100.0, "x is only {x}");
}

#[stochastic_test]
fn returns_an_error(rng: &mut TestRng) -> Result<(), String> {
    let x = normal(rng, 0.0);
    Err(format!("the error is {x}"))
}

#[stochastic_test]
fn panics_when_rerun(rng: &mut TestRng) {
    let first = once();
    let x = normal(rng, knob("SHIFT"));
    assert_tail_bound!(x < _);
    assert!(first || knob("SHIFT") == 0.0, "a rerun panicked");
}


#[stochastic_test]
fn changes_its_tail(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x");
}

#[stochastic_test]
fn changes_its_domain(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x", domain = -100.0..100.0);
}

#[stochastic_test]
fn promises_a_light_tail(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x");
}

#[stochastic_test(confidence = 0.999)]
fn changes_its_confidence(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x");
}

#[stochastic_test]
fn changes_the_confidence_of_a_site(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x", confidence = 0.99995);
    assert_tail_bound!(normal(rng, 0.0) < _, name = "y");
}
"#;

/// The package, not calibrated.
fn project() -> Project {
    Project::new(
        "verdicts",
        "",
        &[("src/lib.rs", NORMAL), ("tests/verdicts.rs", TESTS)],
    )
}

const TARGET: &[&str] = &["--test", "verdicts"];

/// Runs a test under a fixed seed.
fn run(program: &TestProgram<'_>, test: &str, env: &[(&str, &str)]) -> Said {
    program.test(test, &[&[("FLEX_SEED", "s1")], env].concat())
}

/// The verdict that a program reads.
fn told(said: &Said) -> Value {
    let line = said.err.lines().find(|line| line.starts_with('{'));
    serde_json::from_str(line.expect("a line of JSON")).expect("it is JSON")
}

#[test]
fn a_calibrated_test_passes_silently_and_fails_with_reasons() {
    let project = project();
    let calibrated = ["learned", "warned", "panics_when_rerun"];
    project
        .calibrate(&calibrated, &[])
        .says(0, &["3 sites learned"]);
    let program = project.program(TARGET);
    let learned = |env: &[(&str, &str)]| run(&program, "learned", env);

    let said = learned(&[]);
    said.says(0, &["1 passed"]);
    assert_eq!(said.err, "");
    learned(&[("FLEX_LOG", "1")]).says(0, &["flex: learned: pass (seed s1)", "error<_: "]);

    learned(&[("SKIP", "1")]).says(101, &["flex: learned: not reached", "replay: FLEX_SEED=s1"]);

    let ceiling = learned(&[("SHIFT", "1000")]);
    ceiling.says(
        101,
        &[
            "flex: learned: beyond the ceiling",
            "message  the shift is 1000",
            "rarity",
            "guard ",
        ],
    );
    assert!(
        !ceiling.all().contains("reruns"),
        "it fails at once: {ceiling}"
    );

    let regression = learned(&[("SHIFT", "4")]);
    regression.says(
        101,
        &[
            "flex: learned: regression",
            "run 0 of the calibration gave 1.1740951, now 5.174095131771126:",
            "behaviour changed",
            "6 of 8 beyond the farthest of all samples",
            "walk     ▂▁▃▄▅▆▇▇█",
            "rarity   beyond all 100 samples",
            "X this run",
            "100 samples on",
        ],
    );

    // The same value, for programs.
    let said = learned(&[("SHIFT", "4"), ("FLEX_LOG", "json")]);
    let told = told(&said);
    assert_eq!(
        (&told["verdict"], &told["test"]),
        (&"fail".into(), &"learned".into())
    );
    let problem = &told["problems"][0];
    assert_eq!(
        (&problem["cause"], &problem["site"]),
        (&"regression".into(), &"error<_".into())
    );
    assert_eq!(problem["reruns"].as_array().map(Vec::len), Some(8));
    assert_eq!(problem["replayed"]["run"], 0);
    assert!(problem["value"].as_f64() > problem["bound"].as_f64());
    assert!(
        told["replay"]
            .as_str()
            .is_some_and(|replay| replay.starts_with("FLEX_SEED=s1"))
    );
    let passed = learned(&[("FLEX_LOG", "json")]);
    passed.says(
        0,
        &[r#"{"verdict":"pass","package":"verdicts","target":"test:verdicts","test":"learned""#],
    );

    // The first run is far beyond the ceiling, which only warns; a replay and reruns show nothing strange, which clears it.
    let warned = run(&program, "warned", &[("SHIFT", "1000")]);
    warned.says(0, &["warning: warned: beyond the ceiling"]);
    let warned = run(&program, "warned", &[("SHIFT", "1000"), ("FLEX_LOG", "1")]);
    warned.says(
        0,
        &[
            "flex: warned: cleared (seed s1)",
            "0 of 8 beyond the farthest of all samples: ",
            "of the calibration gives what it gave then: behaviour unchanged",
        ],
    );

    run(&program, "panics_when_rerun", &[("SHIFT", "4")]).says(
        101,
        &["a rerun panicked", "in rerun 1", "replay: FLEX_SEED=s1"],
    );
}

#[test]
fn a_test_that_was_beyond_its_guard_by_chance_passes_without_a_word() {
    let project = project();
    project
        .calibrate(&["learned"], &[])
        .says(0, &["1 site learned"]);
    let program = project.program(TARGET);
    let mut cleared = 0;
    for seed in 0..40 {
        let seed = format!("s{seed}");
        let said = program.test("learned", &[("FLEX_SEED", &seed), ("FLEX_LOG", "1")]);
        said.says(0, &["1 passed"]);
        if said.err.contains("learned: cleared") {
            cleared += 1;
            let said = program.test("learned", &[("FLEX_SEED", &seed)]);
            assert_eq!((said.code, said.err.as_str()), (0, ""));
        }
    }
    // About a fifth of the runs of unchanged code are rerun.
    assert!((1..20).contains(&cleared), "{cleared}");
}

#[test]
fn what_no_bound_decides_fails_with_all_that_is_wrong() {
    let project = project();
    let program = project.program(TARGET);
    let run = |test| run(&program, test, &[]);
    run("declared").says(
        101,
        &[
            "the run went on",
            "flex: declared: a declared bound is broken, values cannot be compared",
            "x<-50.0   (tests/verdicts.rs:",
            "message  too large by 50",
            "not below -50",
            "not above 60",
            "computed   (tests/verdicts.rs:",
            "lengths differ: got 2, want 1",
            "element 1: got NaN, want 1",
            "value    1, not below 0.5",
            "replay: FLEX_SEED=s1 cargo test -p verdicts --test verdicts -- --exact declared",
        ],
    );
    let said = run("panics");
    said.says(101, &["x is only ", "replay: FLEX_SEED=s1 "]);
    let again = project.shell(&said.line("replay:"));
    assert_eq!(again.line("x is only"), said.line("x is only"));
    run("returns_an_error").says(101, &["Error: \"the error is ", "replay: FLEX_SEED=s1 "]);
    // A program that reads verdicts reads of these, too.
    for test in ["panics", "returns_an_error"] {
        let said = self::run(&program, test, &[("FLEX_LOG", "json")]);
        let told = told(&said);
        assert_eq!(
            ["verdict", "test", "seed"].map(|key| &told[key]),
            ["error", test, "s1"]
        );
        assert_eq!(told["replay"], said.line("replay:"));
    }
}
