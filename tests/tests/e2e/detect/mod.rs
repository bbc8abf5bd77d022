//! `flex-harness detect` on real crates: what it says of each kind of test, and that its replays reproduce it.

use std::collections::BTreeMap;

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};
use serde_json::Value;

const STOCHASTIC: &str = r#"
use flex_harness::prelude::*;
use CRATE::normal;
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
const INNER: &str = "[package]\nname = \"inner-CRATE\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[[test]]\nname = \"own\"\nharness = false\n";

/// The same tests twice: in a program that links flex-harness, and in one that does not.
fn project(name: &str) -> Project {
    let stochastic = STOCHASTIC.replace("CRATE", name);
    let plain = format!("use flex_harness as _;\n{PLAIN}");
    let inner = INNER.replace("CRATE", name);
    Project::new(
        name,
        "[dependencies.approx]\nversion = \"0.5\"\n\n[features]\ndefault = [\"flex-harness/entropy\"]\nnothing = []\n",
        &[
            ("src/lib.rs", NORMAL),
            ("tests/stochastic.rs", stochastic.as_str()),
            ("tests/plain.rs", plain.as_str()),
            ("tests/un-linked.rs", PLAIN),
            ("inner/Cargo.toml", inner.as_str()),
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
    let project = project("detected");
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

#[test]
fn people_get_words_and_only_what_they_ask_for() {
    let project = project("asked");
    let stochastic = ["--test", "stochastic"];
    let with = |args: &[&str]| detect(&project, &[&stochastic, args].concat());
    let said = with(&["often", "--fast"]);
    said.says(
        1,
        &[
            "flaky: tests/stochastic.rs:10: error<0.84",
            "  replay  FLEX_SEED=fixed@detect:",
            "1 flaky of 1 assertion in 1 test, 30 runs",
            "1 test searched; wrote",
        ],
    );
    assert!(!said.out.contains("searched"), "{said}");
    let quiet = with(&["steady", "--max-runs", "50"]);
    quiet.says(0, &["nothing found in 1 assertion in 1 test, 50 runs"]);
    assert!(!quiet.out.contains("steady:"), "{quiet}");
    with(&["steady", "--max-runs", "50", "--verbose"])
        .says(0, &["steady: tests/stochastic.rs:16: -20.0<error<20.0"]);
    // The rule of convergence ends it: 228 runs without a failure are enough for the rate to catch.
    with(&["risky"]).says(0, &["nothing found in 1 assertion in 1 test, 230 runs"]);
    with(&["risky", "--probability", "1e-9"])
        .says(1, &["risky: tests/stochastic.rs:22: error<4.0", "replay"]);
    with(&["risky", "--catch", "0.05", "--step", "5"]).says(0, &["in 1 test, 100 runs"]);
    with(&["constant", "--tail", "1e-4"]).says(0, &["in 1 test, 30 runs"]);
    with(&["ignored", "--include-ignored", "--max-runs", "30"]).says(0, &["in 1 test, 30 runs"]);
    with(&[
        "constant",
        "--exact",
        "--max-runs",
        "30",
        "--features",
        "nothing",
    ])
    .says(0, &["in 1 test, 30 runs"]);
    let with_feature = with(&["often", "--fast", "--features", "nothing", "--release"]);
    let replay = with_feature.line("replay");
    assert!(
        replay.contains("cargo test --features nothing -p asked --release --test stochastic"),
        "{replay}"
    );

    with(&["nonsense"]).says(
        2,
        &[
            "error: none of 10 tests has a path with `nonsense`",
            "hint: check the filter",
        ],
    );
    with(&["ignored"]).says(
        2,
        &["error: 1 test is ignored", "hint: add --include-ignored"],
    );
    with(&["often", "nonsense", "--fast"]).says(1, &["warning: `nonsense` names no test"]);
    with(&["--runs", "60", "--max-runs", "50"]).says(
        2,
        &["error: 60 runs to begin with are more than 50 at most"],
    );
    with(&["--catch", "1.5"]).says(2, &["a probability lies between 0 and 1"]);
    with(&["--geweke", "other"]).says(2, &["paper"]);
    with(&["-k", "a"]).says(2, &["--pytest"]);
    let single = ["flex", "detect", "--seed", "a@detect:3"];
    project
        .cargo(&single, &[])
        .says(2, &["error: a search has a base seed, not a single run"]);
    project.write("tests/stochastic.rs", "not rust");
    with(&[]).says(3, &["error: the tests do not build"]);
}

#[test]
fn records_of_several_searches_go_together() {
    let project = project("recorded");
    let names = || -> Vec<String> {
        let record: Value = serde_json::from_str(&project.read("detect.json")).unwrap();
        assert_eq!(record["version"], 1);
        let tests = record["tests"].as_array().unwrap().iter();
        tests
            .map(|test| {
                format!(
                    "{} {}",
                    test["seeds"].as_str().unwrap(),
                    test["name"].as_str().unwrap()
                )
            })
            .collect()
    };
    let with = |args: &[&str]| {
        detect(
            &project,
            &[&["--test", "stochastic", "--max-runs", "30"], args].concat(),
        )
    };
    with(&["often", "steady"]).says(1, &[]);
    assert_eq!(names(), ["fixed@detect often", "fixed@detect steady"]);
    let other = [
        "flex",
        "detect",
        "--seed",
        "other",
        "--record",
        "detect.json",
        "--max-runs",
        "30",
    ];
    project
        .cargo(
            &[&other[..], &["often", "--test", "stochastic"]].concat(),
            &[],
        )
        .says(1, &[]);
    assert_eq!(names(), ["other@detect often", "fixed@detect steady"]);
    // A test that is gone is forgotten.
    project.replace("tests/stochastic.rs", "fn steady(", "fn firm(");
    with(&["firm"]).says(0, &[]);
    assert_eq!(names(), ["fixed@detect firm", "other@detect often"]);

    // Files are relative to the workspace, and what is no test of ours or libtest's is never started.
    let inner = ["-p", "inner-recorded", "--max-runs", "30"];
    let said = detect(&project, &inner);
    said.says(
        0,
        &[
            "note: inner-recorded test:own has a harness of its own; its tests are left out",
            "1 test searched",
        ],
    );
    let record: Value = serde_json::from_str(&project.read("detect.json")).unwrap();
    let files: Vec<&Value> = record["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| &test["file"])
        .collect();
    assert_eq!(
        files,
        [
            "inner/tests/sound.rs",
            "tests/stochastic.rs",
            "tests/stochastic.rs"
        ]
    );
    assert_eq!(
        record["root"].as_str(),
        project
            .path("")
            .to_str()
            .map(|path| path.trim_end_matches('/'))
    );

    // Roles, forms and literals are those of the source.
    with(&["many"]).says(1, &[]);
    let record: Value = serde_json::from_str(&project.read("detect.json")).unwrap();
    let tests = record["tests"].as_array().unwrap();
    let many = tests.iter().find(|test| test["name"] == "many").unwrap();
    let sites: Vec<String> = many["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|site| {
            let series = &site["series"][0];
            format!(
                "{} {} {}",
                site["form"], series["role"], series["knob"]["given"]
            )
            .replace('"', "")
        })
        .collect();
    assert_eq!(
        sites,
        [
            "assert_relative_eq! relative source",
            "assert_abs_diff_eq! absolute source",
            "assert_ulps_eq! ulps source",
            "assert_close! relative source",
            "assert! upper null",
        ]
    );

    for (text, why) in [
        ("{\"version\": 1, ", "not a record of flex"),
        ("{\"version\": 9}", "newer than this flex"),
        (
            &project.read("detect.json").replace("cargo\"", "pytest\""),
            "another harness",
        ),
    ] {
        project.write("detect.json", text);
        with(&["firm"]).says(
            2,
            &[
                "detect.json: ",
                why,
                "hint: delete the file, or name another one with --record",
            ],
        );
        assert_eq!(project.read("detect.json"), text);
    }
}
