//! What a second calibration must not paper over: sites that runs begin to miss, values that move while the test changes,
//! and what cannot be known before the budget of a suite is shared out. All seeds are fixed.

use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use rand::RngExt;
use recalibrated::{knob, normal};

#[stochastic_test]
fn missed(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    if rng.random::<f64>() >= knob("MISSES") {
        assert_tail_bound!(x < _);
    }
}

#[stochastic_test]
fn grown(rng: &mut TestRng) {
    let x = normal(rng, knob("SHIFT"));
    assert_tail_bound!(x < _);
    if knob("SITES") > 1.0 {
        assert_tail_bound!(x > _);
    }
}

#[stochastic_test]
fn spoilt(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(if knob("SPOILT") > 0.0 { f64::NAN } else { x } < _, name = "x");
}

#[stochastic_test]
fn averaged(rng: &mut TestRng) {
    let repetitions = 20;
    let sum: f64 = (0..repetitions).map(|_| normal(rng, 0.0)).sum();
    assert_tail_bound!(sum / f64::from(repetitions) < _, name = "mean");
}

#[stochastic_test(max_runs = 40)]
fn short(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
}
"#;

const CASES: &str = r#"
use flex_harness::prelude::*;
use rand::RngExt;
use unforeseen::normal;

#[stochastic_test]
fn one_case_in_each_run(rng: &mut TestRng) {
    let case = rng.random_range(0..6);
    let x = normal(rng, f64::from(case));
    assert_tail_bound!(x < _, case = case);
}
"#;

fn project(name: &str, tests: &str, config: &str) -> Project {
    let files = [
        ("src/lib.rs", NORMAL),
        ("tests/tests.rs", tests),
        ("flex.toml", config),
    ];
    Project::new(name, "", &files)
}

#[test]
fn a_site_that_runs_begin_to_miss_is_no_site_that_all_reach() {
    let project = project("recalibrated", TESTS, "");
    let calibrate = |seed: &str, args: &[&str], misses: &str| {
        let args = [&["missed"], args].concat();
        project.calibrate(&args, &[("FLEX_SEED", seed), ("MISSES", misses)])
    };
    let reached = || project.entries("missed")[0].contains("reached = \"always\"");
    calibrate("a", &[], "0").says(0, &["1 site learned"]);
    assert!(reached());
    // Half of the runs: five misses in a row are no news, and would fail once in 32.
    let words = "runs do not reach it any more, and all did before";
    calibrate("b", &["--check"], "0.5").says(1, &[words]);
    calibrate("c", &[], "0.5").says(1, &[words, "review"]);
    assert!(reached(), "nobody has looked yet");
    project
        .cargo(&["flex", "review"], &[])
        .says(1, &["reached     always before, sometimes now"]);
    project
        .cargo(&["flex", "review", "accept", "--all"], &[])
        .says(0, &["1 bound accepted"]);
    assert!(!reached());
    calibrate("d", &["--check"], "0.5").says(0, &[]);
    // A few: that may be chance, and the numbers stay; but it is known now that runs may miss it.
    project.forget();
    calibrate("a", &[], "0").says(0, &["1 site learned"]);
    let guard = |entry: &str| {
        entry
            .lines()
            .find(|l| l.starts_with("guard"))
            .map(str::to_owned)
    };
    let before = guard(&project.entries("missed")[0]);
    calibrate("e", &["--full"], "0.03").says(0, &["1 kept"]);
    assert_eq!(guard(&project.entries("missed")[0]), before);
    assert!(!reached());
}

#[test]
fn values_that_move_while_the_test_grows_wait_for_a_review() {
    let project = project("recalibrated", TESTS, "");
    let calibrate = |seed: &str, sites: &str, shift: &str| {
        let env = [("FLEX_SEED", seed), ("SITES", sites), ("SHIFT", shift)];
        project.calibrate(&["grown"], &env)
    };
    calibrate("a", "1", "0").says(0, &["1 site learned"]);
    let words = "the distribution moved";
    calibrate("b", "2", "2").says(1, &[words, "review"]);
    assert!(project.entries("grown")[0].contains("confidence = 0.9999\n"));
    // With two sites each has half of the confidence; that alone is no reason to ask.
    project.forget();
    calibrate("a", "1", "0").says(0, &["1 site learned"]);
    calibrate("c", "2", "0").says(0, &["2 sites learned"]);
    assert!(project.entries("grown")[0].contains("confidence = 0.99995\n"));
}

#[test]
fn a_test_that_was_changed_is_learned_anew() {
    let project = project("recalibrated", TESTS, "");
    let calibrate = |seed: &str| project.calibrate(&["averaged"], &[("FLEX_SEED", seed)]);
    let guard = || -> f64 {
        let entry = &project.entries("averaged")[0];
        let mut lines = entry.lines();
        let guard = lines.find_map(|line| line.strip_prefix("guard = "));
        guard.unwrap().parse().unwrap()
    };
    calibrate("a").says(0, &["1 site learned"]);
    let before = guard();
    // Four times as many halve the standard deviation, and the bound that was far enough is too far now.
    project.replace("tests/tests.rs", "repetitions = 20", "repetitions = 80");
    calibrate("b").says(0, &["1 site learned", "was"]);
    assert!(guard() < 0.8 * before, "{} after {before}", guard());
    project
        .calibrate(&["averaged", "--check"], &[])
        .says(0, &[]);
}

#[test]
fn a_bound_that_cannot_be_learned_any_more_waits_and_is_not_counted_as_learned() {
    let project = project("recalibrated", TESTS, "");
    let calibrate = |spoilt: &str| {
        let env = [("FLEX_SEED", "a"), ("SPOILT", spoilt)];
        project.calibrate(&["spoilt"], &env)
    };
    calibrate("0").says(0, &["1 site learned, 0 refused"]);
    calibrate("1").says(1, &["0 sites learned, 1 refused", "1 new bound waits"]);
}

#[test]
fn the_command_line_says_how_many_runs() {
    let project = project(
        "recalibrated",
        TESTS,
        "[[test]]\npath = \"grown\"\nmax-runs = 30\n",
    );
    let env = [("FLEX_SEED", "a")];
    let said = project.calibrate(&["--runs", "50", "short", "grown"], &env);
    said.says(0, &["2 sites learned"]);
    for test in ["short", "grown"] {
        let entry = &project.entries(test)[0];
        assert!(entry.contains("samples = 50\n"), "{entry}");
    }
}

#[test]
fn cases_that_nobody_could_foresee_stay_within_the_budget_of_a_suite() {
    let project = project("unforeseen", CASES, "false-alarms = \"1 in 1000 runs\"\n");
    let env = [("FLEX_SEED", "a")];
    project.calibrate(&[], &env).says(0, &["6 sites learned"]);
    project
        .cargo(&["flex", "budget"], &[])
        .says(0, &["6 sites", "budget: 1 in 1000 runs"]);
    project
        .calibrate(&["--check"], &[("FLEX_SEED", "b")])
        .says(0, &[]);
}
