//! `flex.toml`: what a project asks of its tests. All seeds are fixed.

mod suite;

use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use configured::{knob, normal};

#[stochastic_test]
fn first(rng: &mut TestRng) {
    let x = normal(rng, knob("SHIFT"));
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn second(rng: &mut TestRng) {
    let (x, y) = (normal(rng, 0.0), normal(rng, 0.0));
    assert_tail_bound!(x < _);
    assert_tail_bound!(_ < y < _);
}

#[stochastic_test(confidence = 0.99999, runs = 40)]
fn own(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
}
"#;

fn project(config: &str) -> Project {
    let files = [
        ("src/lib.rs", NORMAL),
        ("tests/tests.rs", TESTS),
        ("flex.toml", config),
    ];
    Project::new("configured", "", &files)
}

/// Calibrates under a fixed seed.
fn calibrate(
    project: &Project,
    seed: &str,
    args: &[&str],
    env: &[(&str, &str)],
) -> flex_tests::Said {
    let env = [env, &[("FLEX_SEED", seed)]].concat();
    project.cargo(&[&["flex", "calibrate"], args].concat(), &env)
}

/// The values of a key in the bounds file, with the test before each.
fn values<'b>(bounds: &'b str, key: &str) -> Vec<(&'b str, &'b str)> {
    let mut test = "";
    let mut found = Vec::new();
    for line in bounds.lines() {
        let Some((name, value)) = line.split_once(" = ") else {
            continue;
        };
        if name == "test" {
            test = value.trim_matches('"');
        }
        if name == key {
            found.push((test, value));
        }
    }
    found
}

#[test]
fn a_project_asks_for_what_its_tests_do_not_say() {
    let config = r#"
confidence = 0.999
runs = 60

[[test]]
path = "sec*"
runs = 80
tail = "light"
"#;
    let project = project(config);
    calibrate(&project, "a", &[], &[]).says(0, &["4 sites learned"]);
    let bounds = project.bounds();
    let samples = values(&bounds, "samples");
    assert_eq!(
        samples,
        [
            ("first", "60"),
            ("own", "40"),
            ("second", "80"),
            ("second", "80")
        ]
    );
    let confidence = values(&bounds, "confidence");
    let expected = [
        ("first", "0.999"),
        ("own", "0.99999"),
        ("second", "0.9995"),
        ("second", "0.9995"),
    ];
    assert_eq!(confidence, expected);
    assert_eq!(values(&bounds, "light"), [("second", "true"); 2]);
    let program = project.program(&["--test", "tests"]);
    for test in ["first", "second", "own"] {
        program.test(test, &[("FLEX_SEED", "b")]).says(0, &[]);
    }
    // What is asked for now is not what was learned.
    project.replace("flex.toml", "0.999\n", "0.99\n");
    program
        .test("first", &[])
        .says(101, &["uncalibrated", "confidence 0.99 has changed"]);
    program.test("own", &[("FLEX_SEED", "b")]).says(0, &[]);
    project.replace("flex.toml", "\"light\"", "\"any\"");
    project.replace("flex.toml", "0.99\n", "0.999\n");
    program
        .test("second", &[])
        .says(101, &["uncalibrated", "light"]);
}

#[test]
fn what_cannot_be_understood_stops_everything_and_names_its_line() {
    let project = project("\nconfidense = 0.99\n");
    let words = ["flex.toml:2: unknown key `confidense`; did you mean `confidence`?"];
    calibrate(&project, "a", &[], &[]).says(2, &words);
    project
        .cargo(&["test", "--test", "tests"], &[])
        .says(101, &words);
    assert_eq!(project.bounds(), "");
    let manifest = project.read("Cargo.toml");
    project.write("flex.toml", "runs = 50\n");
    project.write(
        "Cargo.toml",
        &format!("{manifest}\n[package.metadata.flex]\nruns = 30\n"),
    );
    calibrate(&project, "a", &[], &[]).says(2, &["keep one of them"]);
    std::fs::remove_file(project.path("flex.toml")).unwrap();
    calibrate(&project, "a", &["first"], &[]).says(0, &[]);
    assert_eq!(values(&project.bounds(), "samples"), [("first", "30")]);
    // A rule that names no test is probably mistyped.
    project.write("Cargo.toml", &manifest);
    project.write(
        "flex.toml",
        "[[test]]\npath = \"tests::first\"\nruns = 30\n",
    );
    let said = calibrate(&project, "a", &[], &[]);
    said.says(0, &["flex.toml:1: `tests::first` names no stochastic test"]);
}

#[test]
fn kinds_of_machines_have_bounds_of_their_own() {
    let here = format!(
        "[[variant]]\nname = \"here\"\nos = \"{}\"\n",
        std::env::consts::OS
    );
    let elsewhere = here.replace(std::env::consts::OS, "plan9");
    let project = project(&elsewhere);
    let learn = |env: &[(&str, &str)]| {
        calibrate(&project, "a", &["first"], env).says(0, &["1 site learned"]);
    };
    learn(&[]);
    assert_eq!(values(&project.bounds(), "variant"), []);
    project.write("flex.toml", &here);
    learn(&[("SHIFT", "9")]);
    assert_eq!(
        values(&project.bounds(), "variant"),
        [("first", "\"here\"")]
    );
    // The environment knows better.
    learn(&[("FLEX_VARIANT", "gpu"), ("SHIFT", "-9")]);
    let program = project.program(&["--test", "tests"]);
    let judge = |shift, variant, code| {
        let env = [
            ("SHIFT", shift),
            ("FLEX_VARIANT", variant),
            ("FLEX_SEED", "a"),
        ];
        program.test("first", &env).says(code, &[]);
    };
    judge("9", "", 0);
    judge("-9", "gpu", 0);
    judge("9", "gpu", 101);
    // A kind of machine without bounds of its own has those without a kind.
    judge("0", "unknown", 0);
    judge("9", "unknown", 101);
}

#[test]
fn a_test_in_quarantine_runs_and_cannot_fail_until_it_ends() {
    let until = |day: &str| {
        format!(
            "[[test]]\npath = \"first\"\nquarantine = {{ until = \"{day}\", issue = \"#12\" }}\n"
        )
    };
    let project = project(&until("9999-12-31"));
    calibrate(&project, "a", &["first"], &[]).says(0, &["1 site learned"]);
    let program = project.program(&["--test", "tests"]);
    let broken = |seed: &str| program.test("first", &[("SHIFT", "9"), ("FLEX_SEED", seed)]);
    let words = "first: quarantined until 9999-12-31 (#12), so that this failure does not count";
    broken("1").says(0, &[words, "1 passed", "replay:"]);
    // What it showed is written down as the failure that it is.
    let history = project.path("quarantined.jsonl");
    let kept = [
        ("SHIFT", "9"),
        ("FLEX_SEED", "1"),
        ("FLEX_HISTORY", history.to_str().unwrap()),
    ];
    program.test("first", &kept).says(0, &[words]);
    assert!(
        project
            .read("quarantined.jsonl")
            .contains(r#""verdict":"fail""#)
    );
    let nextest = |code: i32, words: &[&str]| {
        let args = [
            "nextest",
            "run",
            "--test",
            "tests",
            "--success-output",
            "immediate",
            "-E",
            "test(=first)",
        ];
        if project.cargo(&["nextest", "--version"], &[]).code == 0 {
            project
                .cargo(&args, &[("SHIFT", "9"), ("FLEX_SEED", "1")])
                .says(code, words);
        } else {
            println!("SKIPPED: cargo-nextest is not installed, so nothing was tested under it");
        }
    };
    nextest(0, &[words, "1 passed"]);
    let budget = |words: &str| {
        project.cargo(&["flex", "budget"], &[]).says(0, &[words]);
    };
    budget("in quarantine: first, until 9999-12-31 (#12)");
    project.write("flex.toml", &until("2020-01-31"));
    let words = "first: the quarantine ended on 2020-01-31 (#12): failures count again";
    broken("1").says(101, &[words, "1 failed"]);
    nextest(100, &[words, "1 failed"]);
    budget("in quarantine: first, ended 2020-01-31 (#12)");
    project.write("flex.toml", "[[test]]\npath = \"first\"\nquarantine = {}\n");
    broken("1").says(101, &["flex.toml:3", "a quarantine has an end"]);
}
