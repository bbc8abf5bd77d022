//! Probes on a real crate: everything that touches a source of variation is seen, everything else is shown to be fixed.

mod planted;

use std::collections::BTreeMap;

use flex_tests::project::Project;
use planted::{PLANTED, project};
use serde_json::Value;

/// What the record says of each test of a target: how many runs were made, and what they touched.
fn probed(project: &Project, args: &[&str]) -> BTreeMap<String, (usize, Value)> {
    let fixed = [
        "flex",
        "detect",
        "--seed",
        "fixed",
        "--runs=3",
        "--max-runs=3",
        "--record=probes.json",
    ];
    let _ = std::fs::remove_file(project.path("probes.json"));
    let said = project.cargo(&[&fixed, args].concat(), &[]);
    assert!(said.code < 2, "{said}");
    let record: Value =
        serde_json::from_str(&project.read("probes.json")).expect("the record is JSON");
    let tests = record["tests"].as_array().into_iter().flatten();
    tests
        .map(|test| {
            let runs = test["runs"].as_array().map_or(0, Vec::len);
            let name = test["name"].as_str().unwrap_or_default().to_owned();
            (name, (runs, test["probe"].clone()))
        })
        .collect()
}

/// Checks the planted tests of a target.
fn check_planted(found: &BTreeMap<String, (usize, Value)>) {
    for (cause, names) in PLANTED {
        for name in names {
            let (made, probe) = &found[*name];
            let touches = probe
                .as_array()
                .unwrap_or_else(|| panic!("{name}: {probe}"));
            let has_cause = touches.iter().any(|touch| touch["cause"] == cause);
            match cause {
                "" => assert_eq!((touches.len(), *made), (0, 2), "{name}: {probe}"),
                _ => assert!(has_cause && *made == 3, "{name}: {made} runs, {probe}"),
            }
        }
    }
}

/// Whether all that was touched follows the seed.
fn is_seeded(probe: &Value) -> bool {
    let touches = probe.as_array().map_or(&[][..], Vec::as_slice);
    !touches.is_empty() && touches.iter().all(|touch| touch["seeded"] == true)
}

#[test]
fn plain_tests_that_touch_anything_are_seen_and_all_others_are_run_twice() {
    let project = project();
    let found = probed(&project, &["--test=plain"]);
    check_planted(&found);
    assert_eq!(found["panics"].0, 2);
    assert_eq!(
        (found["broken"].0, &found["broken"].1),
        (2, &Value::Array(Vec::new()))
    );
    // It does not come to its end, so nothing is known of it.
    assert_eq!(
        (found["ends_the_process"].0, &found["ends_the_process"].1),
        (3, &Value::Null)
    );
    for (name, expected) in [
        ("hash_map", true),
        ("drawn_by_number", true),
        ("process_number", false),
        ("instant", false),
    ] {
        assert_eq!(is_seeded(&found[name].1), expected, "{name}");
    }
    let lines: Vec<String> = project
        .read("src/lib.rs")
        .lines()
        .map(str::to_owned)
        .collect();
    for (name, line) in [("instant", "Instant::now() < "), ("hosts", "/etc/hosts")] {
        let touch = &found[name].1[0];
        assert_eq!(touch["file"], "src/lib.rs", "{name}: {touch}");
        let at = touch["line"].as_u64().unwrap() as usize;
        assert!(
            lines[at - 1].contains(line),
            "{name}: {touch}: {}",
            lines[at - 1]
        );
    }
    assert_eq!(found["hosts"].1[0]["what"], "file /etc/hosts");
}

#[test]
fn annotated_tests_that_touch_anything_are_seen_and_all_others_are_run_twice() {
    let project = project();
    let found = probed(&project, &["--test=annotated"]);
    check_planted(&found);
    for name in ["seeded", "controlled"] {
        assert!(is_seeded(&found[name].1), "{name}: {:?}", found[name]);
    }
    assert!(!is_seeded(&found["touches_later"].1));
}

#[test]
fn optimised_programs_without_lines_tell_the_same() {
    let project = project();
    let found = probed(&project, &["--release", "--test=plain"]);
    check_planted(&found);
    assert_eq!(found["instant"].1[0].get("file"), None);
    let found = probed(&project, &["--release", "--test=annotated"]);
    check_planted(&found);
}

#[test]
fn a_search_says_what_it_saved_and_finds_the_same() {
    let project = project();
    let names = ["numbers", "text", "broken"];
    let search = [
        "flex",
        "detect",
        "--seed=fixed",
        "--record=saved.json",
        "--test=plain",
        "--exact",
    ];
    let said = project.cargo(&[&search[..], &names].concat(), &[]);
    // 230 runs of each that passes, and 30 of one that always fails.
    said.says(
        1,
        &["3 tests searched; 3 tests shown to be fixed, 484 runs saved; wrote"],
    );
    said.says(1, &["broken"]);
    let full = [&search[..], &["--full", "--max-runs=40", "numbers"]].concat();
    project
        .cargo(&full, &[])
        .says(0, &["in 1 test, 40 runs", "1 test searched; wrote"]);
    // So does a check, which would make 459.
    let check = ["flex", "check", "--test=plain", "numbers"];
    let said = project.cargo(&check, &[]);
    said.says(0, &["1 test shown to be fixed, 457 runs saved", "fixed"]);
}

#[test]
fn a_fixed_test_is_calibrated_by_two_runs_and_recalibrated_by_replay() {
    let project = project();
    project.forget();
    let calibrate = |more: &[&str]| {
        let chosen = ["--test=annotated", "--exact", "numbers", "text"];
        project.calibrate(&[&chosen, more].concat(), &[])
    };
    calibrate(&[]).says(
        0,
        &[
            "  2 runs, ",
            "nothing in it varies: 98 runs saved",
            "2 tests calibrated: 2 sites learned, 0 refused; 2 tests shown to be fixed, 196 runs saved; wrote",
        ],
    );
    let entries = project.entries("numbers");
    assert!(entries[0].contains("samples = 100"), "{entries:?}");
    let bounds = project.bounds();
    calibrate(&[]).says(0, &["2 tests are unchanged"]);
    assert_eq!(project.bounds(), bounds);
    // All runs teach what two taught.
    calibrate(&["--full"]).says(
        0,
        &[
            "  100 runs in 5 processes",
            "0 sites learned, 2 kept, 0 refused\n",
        ],
    );
    assert_eq!(project.bounds(), bounds);
    let program = project.program(&["--test=annotated"]);
    program.test("numbers", &[]).says(0, &["1 passed"]);
}
