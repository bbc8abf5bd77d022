//! Means and rates that are held where they were: learned, reviewed, green while nothing moves and red when it does. All
//! seeds are fixed.

use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use held::{knob, normal};

#[stochastic_test]
fn mean(rng: &mut TestRng) {
    let error = 0.1 + knob("SHIFT") + 0.03 * normal(rng, 0.0);
    assert_mean!(error < _);
}

#[stochastic_test]
fn both(rng: &mut TestRng) {
    let bias = (knob("SHIFT") + 0.03 * normal(rng, 0.0)).clamp(-0.2, 0.2);
    assert_mean!(_ < bias < _, domain = -0.2..=0.2);
}

#[stochastic_test]
fn rate(rng: &mut TestRng) {
    let solved = normal(rng, 1.5 - 40.0 * knob("SHIFT")) > 0.0;
    assert_rate!(solved > _, margin = 0.08);
}

#[stochastic_test]
fn beside(rng: &mut TestRng) {
    let error = 0.1 + knob("SHIFT") + 0.03 * normal(rng, 0.0);
    assert_tail_bound!(error < _);
    assert_mean!(error < _, name = "the mean");
    assert_rate!((error < 0.5) > 0.9);
}
"#;

const NAMES: [&str; 4] = ["mean", "both", "rate", "beside"];

fn project() -> Project {
    let files = [("src/lib.rs", NORMAL), ("tests/tests.rs", TESTS)];
    Project::new("held", "", &files)
}

#[test]
fn a_mean_is_held_where_it_was() {
    let project = project();
    let program = project.program(&["--test", "tests"]);
    let run = |test: &str, env: &[(&str, &str)]| {
        program.test(test, &[&[("FLEX_SEED", "s1")], env].concat())
    };
    let words = [
        "uncalibrated",
        "it has no entry",
        "or: cargo flex calibrate",
    ];
    run("mean", &[]).says(101, &words);

    let calibrate = |seed: &str, args: &[&str], shift: &str| {
        project.calibrate(args, &[("FLEX_SEED", seed), ("SHIFT", shift)])
    };
    let said = calibrate("a", &[], "0").says(0, &["5 sites learned"]).all();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "claim mean(error<_): 0.",
        "runs to a decision: about",
        "wrongly broken once in 10,000 tests, wrongly fine once in 100",
        "assumed: nothing of the mean lies outside of",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let entry = &project.entries("mean")[0];
    for line in [
        "tail = \"upper\"",
        "strategy = \"mean\"",
        "bound = 0.1",
        "limits = [",
    ] {
        assert!(entry.contains(line), "{entry}");
    }
    assert!(project.entries("both")[0].contains("lower = { strategy = \"mean\", bound = "));
    assert!(project.entries("rate")[0].contains("strategy = \"rate\""));
    // Nothing changed: two runs of each are replayed, and the file stays.
    let before = project.bounds();
    calibrate("b", &[], "0").says(0, &["4 tests are unchanged"]);
    calibrate("b", &["--check"], "0").says(0, &[]);
    assert_eq!(project.bounds(), before);

    for test in NAMES {
        run(test, &[("FLEX_LOG", "1")]).says(0, &[": fine after "]);
        let red = run(test, &[("SHIFT", "0.03")]).says(101, &[]).all();
        let verdict = |words: &str| words.split("test result").next().unwrap().to_owned();
        let again = run(test, &[("SHIFT", "0.03")]).all();
        assert_eq!(verdict(&again), verdict(&red));
        for part in [": regression", "replay: FLEX_SEED=s1 cargo test"] {
            assert!(red.contains(part), "{test}: {red}");
        }
    }
    // An improvement is none of `<`'s business, and of `_ < x < _` it is.
    run("mean", &[("SHIFT", "-0.03")]).says(0, &[]);
    run("both", &[("SHIFT", "-0.03")]).says(101, &[": regression"]);
    run("mean", &[("SHIFT", "0.03")]).says(
        101,
        &[
            "claim    the mean is at most 0.1",
            "it was 0.0",
            "assumed  nothing of the mean lies outside of",
            "mean     0.1",
            "evidence ▁",
            " : 1 against it; ",
        ],
    );
}

#[test]
fn a_mean_that_moved_waits_for_somebody_to_look() {
    let project = project();
    let only = |seed: &str, args: &[&str], shift: &str| {
        let args = [&["--exact", "mean"], args].concat();
        project.calibrate(&args, &[("FLEX_SEED", seed), ("SHIFT", shift)])
    };
    only("a", &[], "0").says(0, &["1 site learned"]);
    let before = project.bounds();
    let moved = ["the distribution moved", "and the bound would loosen"];
    only("b", &["--check"], "0.03").says(1, &moved);
    only("b", &[], "0.03").says(1, &moved);
    assert_eq!(project.bounds(), before);
    project
        .cargo(&["flex", "review"], &[])
        .says(1, &["mean(error<_)", "bound 0.1"]);
    project
        .cargo(&["flex", "review", "accept", "--all"], &[])
        .says(0, &["1 bound accepted"]);
    assert!(project.entries("mean")[0].contains("bound = 0.13"));
    // Back again is better than what was accepted: nobody has to look.
    only("c", &[], "0").says(0, &["was  "]);
    assert!(project.entries("mean")[0].contains("bound = 0.10"));
    // What asks for something else is not calibrated.
    project.replace(
        "tests/tests.rs",
        "assert_mean!(error < _);",
        "assert_mean!(error > _, name = \"mean(error<_)\");",
    );
    let program = project.program(&["--test", "tests"]);
    program
        .test("mean", &[])
        .says(101, &["its tail is lower now and was upper at calibration"]);
    // And of what is gone, nothing is left.
    project.replace(
        "tests/tests.rs",
        "assert_mean!(error > _, name = \"mean(error<_)\");",
        "assert!(error < 9.0);",
    );
    project.calibrate(&["--prune"], &[("FLEX_SEED", "d")]);
    assert!(project.entries("mean").is_empty());
}

#[test]
fn what_is_held_spends_the_budget_of_a_suite() {
    let files = [
        ("src/lib.rs", NORMAL),
        ("tests/tests.rs", TESTS),
        ("flex.toml", "false-alarms = \"1 in 1000 runs\"\n"),
    ];
    let project = Project::new("held_in_a_suite", "", &files);
    project.replace("tests/tests.rs", "use held::", "use held_in_a_suite::");
    project.replace("tests/tests.rs", "> 0.9);", "> 0.9, confidence = 0.9999);");
    let calibrate = |args: &[&str]| project.calibrate(args, &[("FLEX_SEED", "a")]);
    calibrate(&[]).says(0, &["5 sites learned"]);
    // Five sites get 1/8 of a half each of what is left, and the claim what it states.
    let share = "confidence = 0.99994";
    assert_eq!(
        project.bounds().matches(share).count(),
        5,
        "{}",
        project.bounds()
    );
    calibrate(&["--check"]).says(0, &[]);
    let program = project.program(&["--test", "tests"]);
    for test in NAMES {
        program.test(test, &[("FLEX_SEED", "s1")]).says(0, &[]);
        let red = [("FLEX_SEED", "s1"), ("SHIFT", "0.03")];
        program.test(test, &red).says(101, &[": regression"]);
    }
}
