//! `detect --shard` and `--from`.

use std::fs;

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};
use serde_json::Value;

use super::{CONTROLLED, file_of, without_times};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use rand::RngExt;
use sharded_search::{knob, normal};

#[stochastic_test]
fn flaky(rng: &mut TestRng) {
    let x = normal(rng, knob("SHIFT"));
    assert_tail_bound!(x < 1.5);
}

#[stochastic_test]
fn healthy(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < 30.0);
}

#[stochastic_test]
fn still() {
    let x = 3.5;
    assert_tail_bound!(x < 4.0);
}

#[stochastic_test]
fn ends_its_process(rng: &mut TestRng) {
    if rng.random::<f64>() < 0.1 {
        std::process::abort();
    }
}

#[test]
fn plain_and_flaky() {
    // How many runs are made again depends on whether a run takes 10 ms.
    std::thread::sleep(std::time::Duration::from_millis(20));
    let x = rand::random::<f64>();
    assert!(x < 0.8, "{x} is too much");
}

#[test]
fn plain_and_fixed() {
    assert_eq!(1 + 1, 2);
}
"#;

/// Few runs do: what is compared is the same in any number.
fn detect(project: &Project, args: &[&str]) -> Said {
    project.cargo(
        &[&["flex", "detect", "--max-runs", "60"], args].concat(),
        &[],
    )
}

/// What a search writes into this file.
fn record(project: &Project, file: &str, args: &[&str]) -> (Said, Value) {
    let said = detect(project, &[&["--record", file], args].concat());
    let record = fs::read_to_string(project.path(file)).expect("a record was written");
    let record = serde_json::from_str(&record).expect("it is JSON");
    (said, without_times(record))
}

#[test]
fn shards_of_which_one_is_cut_and_one_is_lost_find_what_one_machine_finds() {
    let files = [("src/lib.rs", NORMAL), ("tests/tests.rs", TESTS)];
    let project = Project::new("sharded-search", CONTROLLED, &files);
    for folder in ["parts", "other"] {
        let _ = fs::remove_dir_all(project.path(folder));
    }
    let (said, one_machine) = record(&project, "one.json", &["--seed", "s"]);
    said.says(1, &["flaky", "plain_and_flaky", "6 tests searched"]);
    let shard = |number: &str, folder: &str, args: &[&str]| {
        let making = ["--shard", number, "--out", folder];
        detect(&project, &[&making, args].concat())
    };
    for number in ["1/4", "2/4"] {
        let made = shard(number, "parts", &["--seed", "s"]);
        made.says(
            0,
            &[
                &format!("shard {number}: "),
                "of 2 tests, seed s; wrote parts/",
            ],
        );
    }
    shard("3/4", "parts", &["--seed", "s"]).says(0, &["of 1 test, seed s"]);
    // The first was killed in the middle of a record, and the fourth never began.
    let cut = file_of(&project, "parts", "1-of-4");
    let bytes = fs::read(&cut).unwrap();
    fs::write(&cut, &bytes[..bytes.len() / 3]).unwrap();
    let missing = detect(&project, &["--from", "parts", "--record", "none.json"]);
    missing.says(
        5,
        &[
            "missing: shard 4/4; to make it:",
            "flex detect --max-runs 60 --shard 4/4 --out parts --seed s",
            "not whole: shard 1/4",
            "nothing was written but parts/plan.json",
            "--from again",
        ],
    );
    assert!(!project.path("none.json").exists());
    // The first goes on where it was cut, and a plan names what the fourth did not make.
    shard("1/4", "parts", &["--seed", "s"]).says(0, &["of 2 tests"]);
    let missing = detect(&project, &["--from", "parts"]);
    missing.says(5, &["more runs: all of 1 test of which no shard holds any"]);
    for number in ["1/2", "2/2"] {
        let made = shard(number, "parts", &["--plan", "parts/plan.json"]);
        made.says(0, &["seed s"]);
    }
    let (said, together) = record(&project, "together.json", &["--from", "parts"]);
    said.says(1, &["6 tests searched"]);
    assert_eq!(together, one_machine);
    // What shards of another command hold is no search, and calibrations are none of searches.
    let calibrate = |args: &[&str]| project.cargo(&[&["flex", "calibrate"], args].concat(), &[]);
    calibrate(&["--from", "parts"]).says(2, &["the command `detect`", "`calibrate`"]);
    let making = [
        "--shard", "1/1", "--out", "other", "--seed", "s", "--runs", "20", "still",
    ];
    calibrate(&making).says(0, &[]);
    detect(&project, &["--from", "other"]).says(2, &["the command `calibrate`", "`detect`"]);
    let both = detect(&project, &["--from", "parts", "--from", "other"]);
    both.says(2, &["shards of different commands"]);
}
