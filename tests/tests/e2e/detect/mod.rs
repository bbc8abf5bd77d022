//! `flex-harness detect` on real crates: what it says of each kind of test, and that its replays reproduce it.

mod records;
mod words;

use std::collections::BTreeMap;

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};
use serde_json::Value;

const STOCHASTIC: &str = r#"
use flex_harness::prelude::*;
use detected::normal;
use rand::RngExt;
use std::time::{Duration, Instant};

#[stochastic_test]
fn often(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert_tail_bound!(error < 0.84);
}

#[stochastic_test]
fn steady(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert_tail_bound!(-20.0 < error < 20.0);
}

#[stochastic_test]
fn risky(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert_tail_bound!(error < 4.0);
}

#[stochastic_test]
fn constant() {
    let one = 1.0f64;
    assert_tail_bound!(one < 2.0);
}

#[stochastic_test]
fn broken(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert!(error > 100.0);
}

#[stochastic_test]
#[ignore]
fn ignored(rng: &mut TestRng) {
    assert!(normal(rng, 0.0) < 100.0);
}

#[stochastic_test]
fn aborts(rng: &mut TestRng) {
    if rng.random::<f64>() < 0.2 {
        std::process::abort();
    }
}

#[stochastic_test]
fn uncontrolled() {
    assert_tail_bound!(rand::random::<f64>() < 2.0);
}

#[stochastic_test]
fn timed() {
    let started = Instant::now();
    assert_tail_bound!(started.elapsed() < Duration::from_secs(3600));
}

#[stochastic_test]
fn many(rng: &mut TestRng) {
    let x = 100.0 + normal(rng, 0.0);
    approx::assert_relative_eq!(x, 100.0, max_relative = 0.02);
    approx::assert_abs_diff_eq!(x, 100.0, epsilon = 30.0);
    approx::assert_ulps_eq!(x, 100.0, epsilon = 40.0, max_ulps = 4);
    assert_close!(x, 100.0, rel = 0.5);
    let limit = 200.0;
    assert!(x < limit);
}
"#;

/// Plain tests that depend on the order of a map: one key of eight comes first with probability 1/8 each.
const PLAIN: &str = r#"
fn first() -> u32 {
    let map: std::collections::HashMap<u32, ()> = (0..8).map(|key| (key, ())).collect();
    *map.keys().next().unwrap()
}

#[test]
fn order() {
    let first = first();
    assert!(first < 4, "{first} comes first");
}

#[test]
fn order_aborts() {
    if first() < 2 {
        std::process::abort();
    }
}

#[test]
fn sound() {}

#[test]
#[ignore]
fn ignored_too() {}

#[test]
#[should_panic]
fn should_panic() {
    panic!();
}
"#;

/// A member of the workspace that knows nothing of flex, and has a test with a main function of its own.
const INNER: &str = "[package]\nname = \"inner\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[[test]]\nname = \"own\"\nharness = false\n";

/// The same tests twice: in a program that links flex-harness, and in one that does not.
fn project() -> Project {
    let plain = format!("use flex_harness as _;\n{PLAIN}");
    Project::new(
        "detected",
        "[dependencies.approx]\nversion = \"0.5\"\n\n[features]\ndefault = [\"flex-harness/entropy\"]\nnothing = []\n",
        &[
            ("src/lib.rs", NORMAL),
            ("tests/stochastic.rs", STOCHASTIC),
            ("tests/plain.rs", plain.as_str()),
            ("tests/un-linked.rs", PLAIN),
            ("inner/Cargo.toml", INNER),
            ("inner/src/lib.rs", ""),
            ("inner/tests/sound.rs", "#[test]\nfn sound() {}\n"),
            ("inner/tests/own.rs", "fn main() {}\n"),
        ],
    )
}

/// Runs `cargo flex detect` under a fixed seed, with a record of its own: all projects share a target folder.
fn detect(project: &Project, args: &[&str]) -> Said {
    let fixed = [
        "flex",
        "detect",
        "--seed",
        "fixed",
        "--record",
        "detect.json",
    ];
    project.cargo(&[&fixed, args].concat(), &[])
}

/// What was said of each assertion, by `target name`.
fn assertions(said: &Said) -> BTreeMap<String, Vec<Value>> {
    let report = said.json();
    let tests = report["tests"].as_array().into_iter().flatten();
    tests
        .map(|test| {
            let text = |key: &str| test[key].as_str().unwrap_or_default();
            let key = format!("{} {}", text("target"), text("name"));
            let assertions = test["assertions"].as_array().into_iter().flatten();
            (key, assertions.cloned().collect())
        })
        .collect()
}

// What has no seed here fails in half of its runs. It is taken for broken if its first 30 runs all fail, which has
// probability 2^-30 < 1e-9; that the values of `uncontrolled` repeat has probability 2^-50. All else is fixed by the seed.
#[test]
#[cfg(target_os = "linux")]
fn every_kind_of_test_gets_its_verdict_and_every_finding_its_replay() {
    let project = project();
    let said = detect(&project, &["--max-runs", "60", "--json"]);
    said.says(
        1,
        &[
            "3 ignored tests are left out",
            "searched detected test:plain order: 60 runs",
        ],
    );
    let found = assertions(&said);
    let verdicts = |test: &str| -> Vec<&str> {
        let assertions = &found[test];
        assertions
            .iter()
            .map(|a| a["verdict"].as_str().unwrap())
            .collect()
    };
    for (test, expected) in [
        ("test:stochastic often", vec!["flaky"]),
        ("test:stochastic steady", vec!["steady"]),
        ("test:stochastic risky", vec!["steady"]),
        ("test:stochastic constant", vec!["constant"]),
        ("test:stochastic broken", vec!["broken"]),
        ("test:stochastic aborts", vec!["flaky"]),
        ("test:stochastic uncontrolled", vec!["uncontrolled"]),
        ("test:stochastic timed", vec!["steady"]),
        (
            "test:stochastic many",
            vec!["flaky", "steady", "constant", "steady", "steady"],
        ),
        ("test:plain order", vec!["flaky"]),
        ("test:plain order_aborts", vec!["flaky"]),
        ("test:plain sound", vec!["constant"]),
        ("test:plain should_panic", vec!["constant"]),
        ("test:un_linked order", vec!["flaky"]),
        ("test:un_linked order_aborts", vec!["flaky"]),
        ("test:un_linked sound", vec!["constant"]),
        ("test:un_linked should_panic", vec!["constant"]),
    ] {
        assert_eq!(verdicts(test), expected, "{test}");
    }
    assert_eq!(found.len(), 17, "{:?}", found.keys());

    let often = &found["test:stochastic often"][0];
    assert_eq!(
        (often["runs"].as_u64(), often["bound"].as_f64()),
        (Some(60), Some(0.84))
    );
    assert_eq!(
        (often["file"].as_str(), often["line"].as_u64()),
        (Some("tests/stochastic.rs"), Some(10))
    );

    let mut replayed = 0;
    for (test, assertions) in &found {
        for assertion in assertions.iter().filter(|a| a["finding"] == true) {
            let replay = &assertion["replay"];
            assert_eq!(
                replay.is_null(),
                test.contains("un_linked"),
                "{test}: {replay}"
            );
            let Some(command) = replay.as_str() else {
                continue;
            };
            let again = project.shell(command);
            assert_eq!(again.code, 101, "{test}: {command}: {again}");
            let why = match test.contains("abort") {
                true => "SIGABRT",
                false => "1 failed",
            };
            again.says(101, &[why]);
            replayed += 1;
        }
    }
    // often, broken, aborts, many, order, order_aborts
    assert_eq!(replayed, 6);
    // A seed under which it passed passes again.
    let seeds = found["test:plain order"][0]["failed_runs"]
        .as_array()
        .unwrap();
    let passed = (0..60)
        .find(|run| !seeds.contains(&Value::from(*run)))
        .unwrap();
    let command = found["test:plain order"][0]["replay"].as_str().unwrap();
    let (_, rest) = command.split_once(' ').unwrap();
    let passing = format!("FLEX_ENTROPY=fixed@detect:{passed} {rest}");
    project.shell(&passing).says(0, &["1 passed"]);
    let mistyped = format!("FLEX_ENTROPY=fixed@{passed} {rest}");
    project
        .shell(&mistyped)
        .says(2, &["error: FLEX_ENTROPY: `fixed@", "is not a seed"]);
}
