//! What a search says to people, and what its options change.

use super::*;

#[test]
fn people_get_words_and_only_what_they_ask_for() {
    let project = project();
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
    // The paper's yardstick changes when values count as converged, not what must be known of the failure rate.
    let paper = with(&["risky", "--geweke", "paper"]);
    let runs = paper.line("nothing found in 1 assertion in 1 test, ");
    let runs = runs
        .rsplit(", ")
        .next()
        .and_then(|words| words.split(' ').next());
    let runs: u32 = runs.and_then(|runs| runs.parse().ok()).unwrap_or(0);
    assert!(runs >= 228, "{paper}");
    with(&["risky", "--probability", "1e-9"])
        .says(1, &["risky: tests/stochastic.rs:22: error<4.0", "replay"]);
    with(&["risky", "--catch", "0.05", "--step", "5"]).says(0, &["in 1 test, 100 runs"]);
    with(&["constant", "--tail", "1e-4", "--full"]).says(0, &["in 1 test, 30 runs"]);
    let is_fixed = "1 test searched; 1 test shown to be fixed, 228 runs saved; wrote";
    with(&["constant"]).says(0, &["in 1 test, 2 runs", is_fixed]);
    with(&["ignored", "--include-ignored", "--max-runs", "30"]).says(0, &["in 1 test, 30 runs"]);
    with(&[
        "steady",
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
        replay.contains("cargo test --features nothing -p detected --release --test stochastic"),
        "{replay}"
    );

    // A seed that is written out makes one run of a test, and is named with its place; one from the run is none.
    project.write(
        "tests/plain.rs",
        "mod helper;\n\n#[test]\nfn seeded() {\n    let rng = helper::rng();\n    assert!(rng > 1);\n}\n\n#[test]\nfn other() {}\n",
    );
    project.write(
        "tests/helper/mod.rs",
        "pub struct StdRng;\nimpl StdRng {\n    fn seed_from_u64(seed: u64) -> u64 {\n        seed\n    }\n}\n\npub fn rng() -> u64 {\n    \
         StdRng::seed_from_u64(42)\n}\n",
    );
    let said = detect(&project, &["--test", "plain", "--max-runs", "30"]);
    said.says(
        0,
        &[
            "note: seeded: tests/helper/mod.rs:9:",
            "StdRng::seed_from_u64(42)",
            "a fixed seed",
        ],
    );
    assert_eq!(said.out.matches("a fixed seed").count(), 1, "{said}");
    // The program does not name flex-harness, so that assertions are not seen. Whoever wants that is not told.
    said.says(0, &["note: other and 1 more: of this plain #[test]"]);
    let asked = detect(
        &project,
        &["--test", "plain", "--max-runs", "30", "--outcomes"],
    );
    assert!(!asked.out.contains("of this plain"), "{asked}");

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
