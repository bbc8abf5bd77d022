//! Claims about all runs together: green and red, decided by as many runs as that takes, and replayed.
//!
//! All seeds are fixed.

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project, TestProgram};

const TESTS: &str = r#"
use claims::{knob, normal};
use flex_harness::laws::Normal;
use flex_harness::prelude::*;

fn between(x: f64) -> f64 {
    x.clamp(0.0, 1.0)
}

#[stochastic_test]
fn mean(rng: &mut TestRng) {
    let error = between(0.1 + knob("SHIFT") + 0.03 * normal(rng, 0.0));
    assert_mean!(error < 0.11, domain = 0.0..=1.0, "seen with a shift of {}", knob("SHIFT"));
}

#[stochastic_test]
fn near(rng: &mut TestRng) {
    let bias = between(0.5 + knob("SHIFT") + 0.03 * normal(rng, 0.0)) - 0.5;
    assert_mean!(bias, within = 0.02, of = 0.0, domain = -0.5..=0.5);
}

#[stochastic_test]
fn rate(rng: &mut TestRng) {
    assert_rate!((0..4).map(|_| normal(rng, 3.0 - 40.0 * knob("SHIFT")) > 0.0) > 0.9, draws = independent);
}

#[stochastic_test]
fn distributed(rng: &mut TestRng) -> Result<(), String> {
    assert_distributed!(normal(rng, 10.0 * knob("SHIFT")), Normal::new(0.0, 1.0)?);
    Ok(())
}

#[stochastic_test]
fn same(rng: &mut TestRng) {
    assert_same_distribution!(normal(rng, 20.0 * knob("SHIFT")), normal(rng, 0.0), margin = 0.2);
}

#[stochastic_test]
fn no_worse(rng: &mut TestRng) {
    let reference = normal(rng, 0.0);
    assert_no_worse!(reference + knob("SHIFT") + 0.05 * normal(rng, 0.0), reference, margin = 0.03);
}

#[stochastic_test]
fn undecided(rng: &mut TestRng) {
    assert_mean!(between(0.1 + 0.03 * normal(rng, 0.0)) < 0.1, domain = 0.0..=1.0, margin = 1e-4, max_runs = 20);
}

#[stochastic_test]
fn undecided_fails(rng: &mut TestRng) {
    assert_mean!(between(0.1 + 0.03 * normal(rng, 0.0)) < 0.1, domain = 0.0..=1.0, max_runs = 20, undecided = fail);
}

#[stochastic_test]
fn outside(rng: &mut TestRng) {
    assert_mean!(normal(rng, 0.0) < 0.1, domain = 0.0..=1.0);
}

#[stochastic_test]
fn without_a_domain(rng: &mut TestRng) {
    assert_mean!(normal(rng, 0.0) < 0.1);
}

#[stochastic_test]
fn shared(rng: &mut TestRng) {
    let one = between(0.5 + 0.1 * normal(rng, 0.0));
    assert_mean!([one; 8] < 0.9, domain = 0.0..=1.0, draws = independent);
}
"#;

const DECIDED: [&str; 6] = ["mean", "near", "rate", "distributed", "same", "no_worse"];

fn project() -> Project {
    Project::new(
        "claims",
        "",
        &[("src/lib.rs", NORMAL), ("tests/verdicts.rs", TESTS)],
    )
}

fn run(program: &TestProgram<'_>, test: &str, env: &[(&str, &str)]) -> Said {
    program.test(test, &[&[("FLEX_SEED", "s1")], env].concat())
}

#[test]
fn claims_are_decided_by_as_many_runs_as_they_need() {
    let project = project();
    let program = project.program(&["--test", "verdicts"]);
    for test in DECIDED {
        let said = run(&program, test, &[("FLEX_LOG", "1")]);
        assert!(
            said.code == 0 && said.all().contains(": fine after "),
            "{test}: {}",
            said.all()
        );
        let json = run(&program, test, &[("FLEX_LOG", "json")]);
        assert!(json.all().contains(r#""outcome":"fine""#), "{}", json.all());
    }
    for test in DECIDED {
        let red = run(&program, test, &[("SHIFT", "0.05")]);
        let words = red.all();
        assert!(
            red.code != 0 && words.contains(": regression"),
            "{test}: {words}"
        );
        for part in [
            "    claim ",
            "    runs ",
            " : 1 against it; ",
            "replay: FLEX_SEED=s1 cargo test",
        ] {
            assert!(words.contains(part), "{test}: {part}: {words}");
        }
        // The last line says how long it took.
        let verdict = |words: &str| words.split("test result").next().unwrap().to_owned();
        let again = run(&program, test, &[("SHIFT", "0.05")]).all();
        assert_eq!(verdict(&again), verdict(&words));
    }
    let words = run(&program, "mean", &[("SHIFT", "0.05")]).all();
    for part in [
        "mean(error<0.11)",
        "message  seen with a shift of 0.05",
        "claim    the mean is below 0.11",
        "1 decides, which happens by chance",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn what_is_not_decided_says_so() {
    let project = project();
    let program = project.program(&["--test", "verdicts"]);
    let check = |test: &str, is_green: bool, expected: &str| {
        let said = run(&program, test, &[]);
        let words = said.all();
        assert!(
            (said.code == 0) == is_green && words.contains(expected),
            "{test}: {words}"
        );
    };
    check("undecided", true, "undecided after 20 runs; the mean is 0.");
    check(
        "undecided_fails",
        false,
        "it fails because of `undecided = fail`",
    );
    check("outside", false, "lies outside of the domain");
    check("without_a_domain", false, "state the range");
    check("shared", false, "share a seed");
}
