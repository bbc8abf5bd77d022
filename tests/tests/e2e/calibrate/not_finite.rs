//! Values that are NaN, infinite or far from all others: a finding with the runs that show it, and never green for that.
//! All seeds are fixed.

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use not_finite::normal;
use rand::RngExt;

#[stochastic_test]
fn nan(rng: &mut TestRng) {
    let x = if rng.random_bool(0.01) { f64::NAN } else { normal(rng, 0.0) };
    assert_tail_bound!(x < _, name = "x");
}

#[stochastic_test]
fn infinite(rng: &mut TestRng) {
    let x = if rng.random_bool(0.08) { f64::INFINITY } else { normal(rng, 0.0) };
    assert_tail_bound!(x < _, name = "x");
}

#[stochastic_test]
fn far(rng: &mut TestRng) {
    let shift = if rng.random_bool(0.04) { 50.0 } else { 0.0 };
    let x = normal(rng, shift);
    assert_tail_bound!(x < _, name = "x");
}

#[stochastic_test]
fn constant(rng: &mut TestRng) {
    let x = if rng.random_bool(0.01) { f64::NAN } else { 0.0 };
    assert_tail_bound!(x <= _, name = "x");
}

#[stochastic_test(on_ceiling = warn)]
fn warned(rng: &mut TestRng) {
    let x = if rng.random_bool(0.01) { -f64::INFINITY } else { normal(rng, 0.0) };
    assert_tail_bound!(x > _, name = "x");
}
"#;

fn project() -> Project {
    let files = [("src/lib.rs", NORMAL), ("tests/tests.rs", TESTS)];
    Project::new("not_finite", "", &files)
}

fn calibrate(project: &Project, seed: &str, args: &[&str]) -> Said {
    let seeded = ["flex", "calibrate", "--seed", seed];
    project.cargo(&[&seeded, args].concat(), &[])
}

/// The commands that repeat runs.
fn replays(said: &Said) -> Vec<String> {
    let lines = said.out.lines().map(str::trim);
    let replays = lines.filter_map(|line| line.strip_prefix("replay: "));
    replays.map(str::to_owned).collect()
}

/// Runs commands as they were printed, each of which shows a value that is so.
fn check(project: &Project, replays: &[String], is_so: impl Fn(f64) -> bool) {
    for replay in replays {
        let said = project.shell(replay);
        let value: f64 = said.line("x: ").parse().expect("a number is shown");
        assert!(is_so(value), "{replay}: {said}");
    }
}

#[test]
fn one_nan_in_a_hundred_runs_is_a_finding_whose_run_shows_it() {
    let project = project();
    let calibrate = |seed, args: &[&str]| calibrate(&project, seed, args);
    let program = project.program(&["--test", "tests"]);
    for (test, words, is_so) in [
        (
            "nan",
            "refused: 1 of 100 values is NaN or infinite, which is often a bug; look at run",
            f64::is_nan as fn(f64) -> bool,
        ),
        ("infinite", "values are NaN or infinite", f64::is_infinite),
        ("far", "values form a second cluster", |value| value > 40.0),
    ] {
        let said = calibrate("one", &["--exact", test]);
        said.says(1, &[words, "1 site looks like a bug"]);
        let replays = replays(&said);
        assert!(
            !replays.is_empty() && (test != "nan" || replays.len() == 1),
            "{said}"
        );
        check(&project, &replays, is_so);
        // Nothing was learned, so that the test is red, whatever this run shows.
        program
            .test(test, &[("FLEX_SEED", "a")])
            .says(101, &["refused at calibration"]);
    }
}

#[test]
fn bounds_of_runs_without_one_let_no_nan_pass() {
    let project = project();
    let calibrate = |seed, args: &[&str]| calibrate(&project, seed, args);
    let program = project.program(&["--test", "tests"]);
    calibrate("two", &["constant", "warned"]).says(0, &["2 sites learned"]);
    for (test, seed, value) in [("constant", "f90", "NaN"), ("warned", "f110", "-inf")] {
        program.test(test, &[("FLEX_SEED", "a")]).says(0, &[]);
        let red = program.test(test, &[("FLEX_SEED", seed)]);
        let value = format!("{value}, which no bound lets pass");
        red.says(
            101,
            &[
                &format!("{test}: NaN or infinite"),
                &value,
                "replay: FLEX_SEED=f",
            ],
        );
    }
    // A check that sees some names the runs, with the commands that repeat them.
    let said = calibrate("one", &["--check", "--full", "constant"]);
    said.says(
        1,
        &["no bound could be learned any more", "NaN or infinite"],
    );
    let replays = replays(&said);
    assert!(!replays.is_empty(), "{said}");
    check(&project, &replays, f64::is_nan);
}
