//! Runs that are expensive or leave this machine: those that tell nothing are not counted.
//!
//! All seeds are fixed.

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project, TestProgram};

const TESTS: &str = r#"
use expensive::{knob, normal};
use flex_harness::prelude::*;

/// Asks a service that is down in one run of six, and always if `DOWN` says so.
fn solves(rng: &mut TestRng) -> bool {
    let solves = normal(rng, 2.0) > 0.0;
    if normal(rng, 1.0 - knob("DOWN")) < 0.0 {
        inconclusive!("no route to {}", "host");
    }
    solves
}

#[stochastic_test]
fn rate(rng: &mut TestRng) {
    assert_rate!(solves(rng) > 0.8, margin = 0.1);
}

#[stochastic_test]
fn thread(rng: &mut TestRng) {
    let (scope, mut rng) = (flex_harness::scope(), rng.fork());
    let solved = std::thread::spawn(move || scope.enter(|| solves(&mut rng))).join();
    assert_rate!(solved.unwrap() > 0.8, margin = 0.1);
}

#[stochastic_test]
fn learned(rng: &mut TestRng) {
    let _ = solves(rng);
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x");
}

#[test]
fn plain() {
    inconclusive!("outside");
}
"#;

fn project() -> Project {
    Project::new(
        "expensive",
        "",
        &[("src/lib.rs", NORMAL), ("tests/runs.rs", TESTS)],
    )
}

fn run(program: &TestProgram<'_>, test: &str, env: &[(&str, &str)]) -> Said {
    program.test(test, &[&[("FLEX_SEED", "s1")], env].concat())
}

fn in_one_line(said: &Said) -> String {
    let words = said.all();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn runs_that_tell_nothing_are_not_counted() {
    let project = project();
    let program = project.program(&["--test", "runs"]);
    let noted = " runs were inconclusive and do not count: no route to host (";
    for test in ["rate", "thread"] {
        let said = run(&program, test, &[("FLEX_LOG", "1")]);
        let words = said.all();
        assert!(said.code == 0 && words.contains(noted), "{words}");
        assert!(words.contains(": fine after "), "{words}");
        // They do not count, and are not silent: whatever the mode, nothing is decided by none.
        for mode in ["enforce", "off"] {
            let said = run(&program, test, &[("DOWN", "9"), ("FLEX_MODE", mode)]);
            let words = said.all();
            assert!(said.code != 0, "{words}");
            assert!(words.contains(": could not be decided"), "{words}");
            assert!(words.contains("10 of 10 runs were"), "{words}");
        }
    }
    let said = run(&program, "plain", &[]);
    assert!(said.code != 0 && said.all().contains("inconclusive: outside"));
    let said = run(
        &program,
        "rate",
        &[("DOWN", "9"), ("FLEX_SEED", "s1@enforce:4")],
    );
    let words = said.all();
    assert!(
        words.contains("error: the run is inconclusive: no route to host"),
        "{words}"
    );
}

#[test]
fn bounds_are_learned_from_the_other_runs() {
    let project = project();
    let said = project.calibrate(&["learned"], &[]);
    let words = in_one_line(&said);
    assert!(said.code == 0, "{words}");
    assert!(words.contains(" inconclusive: "), "{words}");
    assert!(words.contains("no route to host ("), "{words}");
    let program = project.program(&["--test", "runs"]);
    let said = run(&program, "learned", &[]);
    assert!(said.code == 0, "{}", said.all());
    let said = project.cargo(&["flex", "detect", "--seed", "s1", "learned"], &[]);
    let words = in_one_line(&said);
    assert!(
        said.code == 0 && words.contains("runs were inconclusive and do not count"),
        "{words}"
    );
}
