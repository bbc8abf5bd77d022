//! `flex-harness detect` on real crates: what it says of each kind of test, and that its replays reproduce it.

mod detected;
mod records;
mod seen;
mod strange;
mod words;

use std::collections::BTreeMap;

use flex_tests::Said;
use flex_tests::project::Project;
use serde_json::Value;

use detected::project;

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
