//! What `cargo test` says about a stochastic test, verdict by verdict.
//!
//! All seeds are fixed. The code under test is broken through variables of the environment, so that one build shows
//! many verdicts.

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project, TestProgram};

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

/// A package of this name, with these tests, built and not calibrated.
fn project(name: &str) -> Project {
    let tests = TESTS.replace("verdicts::", &format!("{name}::"));
    Project::new(
        name,
        "",
        &[("src/lib.rs", NORMAL), ("tests/verdicts.rs", &tests)],
    )
}

const TARGET: &[&str] = &["--test", "verdicts"];

/// Runs a test under a fixed seed.
fn run(program: &TestProgram<'_>, test: &str, env: &[(&str, &str)]) -> Said {
    program.test(test, &[&[("FLEX_SEED", "s1")], env].concat())
}

#[test]
fn an_uncalibrated_test_fails_with_the_command_that_calibrates_it() {
    let project = project("uncalibrated");
    let program = project.program(TARGET);
    let said = run(&program, "learned", &[]);
    said.says(101, &["flex: learned: uncalibrated", "no entry", "error<_"]);
    let command = said.line("calibrate:");
    assert!(
        command.starts_with("FLEX_MODE=calibrate cargo test "),
        "{said}"
    );
    let other = said.line("or:");
    assert!(
        other.starts_with("cargo flex calibrate -p uncalibrated ")
            && other.ends_with(" --exact learned"),
        "{said}"
    );

    let said = run(&program, "learned", &[("FLEX_UNCALIBRATED", "warn")]);
    said.says(0, &["warning: learned: uncalibrated", &command]);
    assert_eq!(project.bounds(), "", "enforcement writes nothing");

    project
        .shell(&command)
        .says(0, &["100 runs in 5 processes", "wrote "]);
    assert_eq!(project.entries("learned").len(), 1);
    assert_eq!(project.entries("warned").len(), 0);
    // One of 10,000 seeds may fail; this one does not.
    run(&program, "learned", &[]).says(0, &["1 passed"]);
}

#[test]
fn an_entry_that_does_not_fit_the_source_is_none() {
    let project = project("misfits");
    project
        .calibrate(&["change", "promise"], &[])
        .says(0, &["6 sites learned"]);
    let source = project.read("tests/verdicts.rs");
    let learned: usize = source.find("fn changes_its_tail").unwrap();
    let (before, after) = source.split_at(learned);
    let after = after
        .replacen("normal(rng, 0.0) < _", "normal(rng, 0.0) > _", 1)
        .replace("100.0..100.0", "100.0..200.0")
        .replace(
            "#[stochastic_test]\nfn promises",
            "#[stochastic_test(tail = light)]\nfn promises",
        )
        .replace("confidence = 0.999)", "confidence = 0.99)")
        .replace("confidence = 0.99995", "confidence = 0.99992");
    project.write("tests/verdicts.rs", &format!("{before}{after}"));
    let program = project.program(TARGET);
    for (test, why) in [
        (
            "changes_its_tail",
            "its tail is lower now and was upper at calibration",
        ),
        (
            "changes_its_domain",
            "its domain is -100..200 now and was -100..100",
        ),
        (
            "promises_a_light_tail",
            "its light tail is promised now and was not promised",
        ),
        (
            "changes_its_confidence",
            "its share of the confidence 0.99 has changed",
        ),
        (
            "changes_the_confidence_of_a_site",
            "its confidence is 0.99992 now and was 0.99995",
        ),
    ] {
        let title = format!("flex: {test}: uncalibrated");
        run(&program, test, &[]).says(101, &[&title, why, "calibrate: FLEX_MODE=calibrate"]);
    }
}

#[test]
fn a_calibrated_test_passes_silently_and_fails_with_reasons() {
    let project = project("verdicts");
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
            "11 of 11 beyond the guard",
            "X this run",
            "100 samples on",
        ],
    );

    // The first run is far beyond the ceiling, which only warns; the rerun is not beyond the guard, which clears it.
    let warned = run(&program, "warned", &[("SHIFT", "1000")]);
    warned.says(0, &["warning: warned: beyond the ceiling"]);
    let warned = run(&program, "warned", &[("SHIFT", "1000"), ("FLEX_LOG", "1")]);
    warned.says(
        0,
        &[
            "flex: warned: cleared (seed s1)",
            "0 of 1 beyond the guard: ",
        ],
    );

    run(&program, "panics_when_rerun", &[("SHIFT", "4")]).says(
        101,
        &["a rerun panicked", "in rerun 1", "replay: FLEX_SEED=s1"],
    );
}

#[test]
fn a_test_that_was_beyond_its_guard_by_chance_passes_without_a_word() {
    let project = project("cleared");
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
    let project = project("plain_failures");
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
            "replay: FLEX_SEED=s1 cargo test -p plain_failures --test verdicts -- --exact declared",
        ],
    );
    let said = run("panics");
    said.says(101, &["x is only ", "replay: FLEX_SEED=s1 "]);
    let again = project.shell(&said.line("replay:"));
    assert_eq!(again.line("x is only"), said.line("x is only"));
    run("returns_an_error").says(101, &["Error: \"the error is ", "replay: FLEX_SEED=s1 "]);
}

#[test]
fn a_changed_test_is_stale() {
    let project = project("stale");
    project
        .calibrate(&["learned"], &[])
        .says(0, &["1 site learned"]);
    let change = |from, to| project.replace("tests/verdicts.rs", from, to);
    // Comments and white space change nothing.
    change(
        "fn learned(rng: &mut TestRng) {",
        "fn learned(rng: &mut TestRng)\n{ // new",
    );
    let fail = ("FLEX_STALE", "fail");
    run(&project.program(TARGET), "learned", &[fail]).says(0, &[]);
    change(
        "let error = normal(rng, knob(\"SHIFT\"));",
        "let error = normal(rng, 0.0 + knob(\"SHIFT\"));",
    );
    let program = project.program(TARGET);
    let said = run(&program, "learned", &[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let note = "note: the test changed since calibration";
    run(&program, "learned", &[("SHIFT", "100")]).says(101, &["beyond the ceiling", note]);
    run(&program, "learned", &[fail]).says(101, &["flex: learned: stale", "calibrate: FLEX_MODE="]);
    run(&program, "learned", &[fail, ("SHIFT", "100")]).says(101, &["stale", "beyond the ceiling"]);
}

#[test]
fn entries_may_be_refused_or_unenforced() {
    let project = project("by_hand");
    project
        .calibrate(&["learned"], &[])
        .says(0, &["1 site learned"]);
    let program = project.program(TARGET);
    let learned = |env: &[(&str, &str)]| run(&program, "learned", env);
    project.replace(
        "flex-bounds.toml",
        "reached =",
        "accept = \"unenforced\"\nreached =",
    );
    for env in [("SHIFT", "1000"), ("SKIP", "1")] {
        learned(&[env]).says(0, &["1 passed"]);
    }
    let refused: String = project
        .bounds()
        .lines()
        .filter(|line| {
            !["accept", "ceiling", "guard", "fit"]
                .iter()
                .any(|key| line.starts_with(key))
        })
        .map(|line| match line.starts_with("strategy") {
            true => "strategy = \"refuse\"\nreason = \"two modes\"\n".to_owned(),
            false => format!("{line}\n"),
        })
        .collect();
    project.write("flex-bounds.toml", &refused);
    learned(&[]).says(
        101,
        &[
            "flex: learned: refused at calibration",
            "refused  two modes",
        ],
    );
}

#[test]
fn one_run_of_a_calibration_can_be_replayed() {
    let project = project("one_run");
    project.calibrate(&["learned", "--runs", "1", "--max-runs", "1"], &[]);
    let program = project.program(TARGET);
    let said = run(&program, "learned", &[("FLEX_SEED", "fixed@calibrate:0")]);
    said.says(
        0,
        &["flex: learned: run 0 of phase calibrate under seed fixed"],
    );
    // Of a single run, every quantile is its value, which is not rounded since nothing varies.
    let value = said.line("error<_: ");
    let quantiles = format!("quantiles = [{}]", vec![value.as_str(); 17].join(", "));
    let entry = &project.entries("learned")[0];
    assert!(entry.contains(&quantiles), "{value}: {entry}");
    let other = run(&program, "learned", &[("FLEX_SEED", "fixed@calibrate:1")]);
    assert_ne!(other.line("error<_: "), said.line("error<_: "));
}

#[test]
fn settings_that_cannot_be_understood_are_errors() {
    let project = project("wrong_settings");
    let program = project.program(TARGET);
    for (name, value, why) in [
        ("FLEX_SEED", "fixed@calibrate", "`calibrate` names no run"),
        ("FLEX_SEED", "fixed@learn:1", "`learn` is not a phase"),
        (
            "FLEX_MODE",
            "learn",
            "FLEX_MODE=learn is not one of enforce, calibrate",
        ),
        ("FLEX_MODE", "record", "use FLEX_MODE=calibrate"),
        (
            "FLEX_RUNS",
            "0",
            "FLEX_RUNS=0 is not a whole number of at least 1",
        ),
        (
            "FLEX_STALE",
            "yes",
            "FLEX_STALE=yes is not one of fail, warn",
        ),
        (
            "FLEX_UNCALIBRATED",
            "no",
            "FLEX_UNCALIBRATED=no is not one of fail, warn",
        ),
    ] {
        run(&program, "learned", &[(name, value)]).says(101, &["error: FLEX_", why]);
    }
    run(&program, "learned", &[("FLEX_MODE", "off")]).says(0, &["1 passed"]);
    let elsewhere = ("FLEX_BOUNDS", "no/such/folder/bounds.toml");
    run(&program, "learned", &[elsewhere]).says(101, &["uncalibrated"]);
}
