//! `flex-harness trace`: which tests of a real crate can vary, what is done with that, and what cannot be used.

use flex_tests::project::Project;
use flex_tests::{Said, flex_harness};
use serde_json::{Value, json};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use std::time::{Duration, Instant};

#[test]
fn fixed() {
    assert_eq!(1 + 1, 2);
}

#[test]
fn timed() {
    assert!(Instant::now().elapsed() < Duration::from_secs(3600));
}

#[test]
fn sleepy() {
    std::thread::sleep(Duration::from_millis(300));
}

#[stochastic_test]
fn drawn(rng: &mut TestRng) {
    assert_tail_bound!((rng.seed_u64() as f64) < 2e19);
}
"#;

fn traced() -> Project {
    let entropy = "[features]\ndefault = [\"flex-harness/entropy\"]\n";
    Project::new(
        "traced",
        entropy,
        &[("src/lib.rs", ""), ("tests/all.rs", TESTS)],
    )
}

/// Runs `cargo flex`, with files of its own: all projects share a target folder.
fn flex(project: &Project, args: &[&str]) -> Said {
    project.cargo(&[&["flex"], args].concat(), &[])
}

#[test]
fn tests_of_a_crate_are_traced_priced_and_put_in_order() {
    let project = traced();
    let said = flex(&project, &["trace", "--json", "--out", "trace.json"]);
    said.says(0, &["4 tests traced; wrote trace.json"]);
    let report = said.json();
    assert_eq!(report["totals"]["tests"], 4);
    let test = |name: &str| -> Value {
        let tests = report["tests"].as_array().unwrap().iter();
        let mut tests = tests.filter(|test| test["name"] == name);
        tests
            .next()
            .unwrap_or_else(|| panic!("{name}: {report}"))
            .clone()
    };
    assert!(test("sleepy")["seconds"].as_f64() >= Some(0.3));
    assert_eq!(
        (&test("fixed")["target"], &test("fixed")["outcome"]),
        (&json!("test:all"), &json!("pass"))
    );
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        assert_eq!(test("fixed")["variability"], "fixed");
        assert_eq!(test("drawn")["variability"], "controlled");
        assert_eq!(test("timed")["variability"], "can vary");
        let touches = test("timed")["touches"].as_array().unwrap().clone();
        // Lines need debugging information, which these projects are built without.
        assert_eq!(touches[0]["cause"], "time", "{touches:?}");
        let table = flex(&project, &["trace", "--out", "trace.json"]);
        table.says(
            0,
            &[
                "4 tests in",
                "    time         monotonic clock",
                "1 controlled",
            ],
        );
        let widest = table.out.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{}", table.out);
    }

    let plan = flex(
        &project,
        &["plan", "campaign", "--from", "trace.json", "--json"],
    )
    .json();
    let strategies = plan["projects"][0]["strategies"].as_array().unwrap();
    let names: Vec<&Value> = strategies
        .iter()
        .map(|strategy| &strategy["strategy"])
        .collect();
    assert_eq!(
        names,
        [
            "everything",
            "selected",
            "hybrid",
            "smallest first",
            "probes"
        ]
    );
    let at = strategies[0]["at"].as_array().unwrap();
    assert_eq!((&at[0]["runs"], &at[168]["runs"]), (&json!(2), &json!(170)));
    assert_eq!(at[0]["expected_runs"].as_f64(), Some(8.0));
    let words = flex(&project, &["plan", "campaign", "--from", "trace.json"]);
    words.says(
        0,
        &[
            "Assumed: 1.0% of all tests are flaky",
            "found by when: e everything",
        ],
    );
    let widest = words.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", words.out);

    let search = [
        "detect",
        "--record",
        "detect.json",
        "--seed",
        "a",
        "--runs",
        "2",
        "--max-runs",
        "2",
    ];
    let order = [
        "--jobs",
        "1",
        "--order",
        "smallest-first",
        "sleepy",
        "fixed",
        "timed",
    ];
    let said = flex(&project, &[&search[..], &order].concat());
    let searched: Vec<&str> = said
        .err
        .lines()
        .filter_map(|line| line.strip_prefix("searched traced test:all "))
        .filter_map(|line| line.split(':').next())
        .collect();
    assert_eq!(searched.len(), 3, "{said}");
    assert_eq!(searched[2], "sleepy", "{said}");
}

#[test]
fn what_cannot_be_used_is_said_and_left_alone() {
    let project = traced();
    project.write("trace.json", "<<<<<<< HEAD\n");
    let said = flex(&project, &["trace", "--out", "trace.json"]);
    said.says(2, &["trace.json: not a", "hint: "]);
    assert_eq!(project.read("trace.json"), "<<<<<<< HEAD\n");
    flex(&project, &["trace", "--full"]).says(2, &["--full is for tests of pytest", "hint: "]);
    flex(&project, &["trace", "nothing-of-this-name"]).says(2, &["none of 4 tests", "hint: "]);
    flex(&project, &["trace", "--csv"]).says(2, &["--full"]);
}

/// A trace of pytest tests: those with an even number call `open` and are flaky.
fn trace(is_full: bool) -> Value {
    let test = |number: usize| {
        let is_flaky = number.is_multiple_of(2);
        let function = if is_flaky { 0 } else { 1 };
        let touch = json!({ "cause": "files", "what": "file", "seeded": false, "count": 1 });
        json!({
            "name": format!("tests/test_a.py::test_{number}"),
            "file": "tests/test_a.py",
            "line": number + 1,
            "outcome": "pass",
            "seconds": 0.001 * (number + 1) as f64,
            "probe": if is_flaky { vec![touch] } else { vec![] },
            "functions": [[function, 1], [2, 2]],
        })
    };
    let functions = ["open", "len", "print"].map(|name| json!({ "function": name }));
    json!({
        "version": 2,
        "harness": "pytest",
        "root": "/a/project",
        "is_full": is_full,
        "functions": functions,
        "tests": (0..20).map(test).collect::<Vec<_>>(),
    })
}

#[test]
fn functions_that_tell_are_learned_from_traces() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    write("trace.json", &trace(true).to_string());
    let labels = (0..20).map(|number| {
        let cause = if number % 2 == 0 {
            "true,files"
        } else {
            "false,"
        };
        format!("tests/test_a.py::test_{number},{cause}\n")
    });
    write(
        "labels.csv",
        &format!("test,flaky,cause\n{}", labels.collect::<String>()),
    );
    let learn = |args: &[&str]| {
        let trace = path("trace.json");
        flex_harness(&[&["trace", "learn", &trace], args].concat(), "")
    };
    let labels = path("labels.csv");
    for more in [
        &[][..],
        &["--per-cause"],
        &["--functions", "c", "--beta", "2"],
    ] {
        let learned = learn(&[&["--outcomes", &labels, "--json"], more].concat()).json();
        assert_eq!(learned["learned"][0]["function"], "open", "{learned}");
        assert_eq!(learned["learned"].as_array().unwrap().len(), 1);
        assert_eq!(learned["unexposed"], json!([]));
        for strategy in learned["strategies"].as_array().unwrap() {
            let all = &strategy["all"];
            assert_eq!(
                (&all["flaky_exposed"], &all["exposed"]),
                (&json!(10), &json!(10))
            );
            assert_eq!(strategy["folds"].as_array().unwrap().len(), 5);
            assert_eq!(strategy["flaky_exposed"]["least"], 1.0);
        }
    }
    let said = learn(&["--outcomes", &labels]);
    said.says(
        0,
        &[
            "published list",
            "learned function",
            "Every flaky test is exposed",
        ],
    );
    let widest = said.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", said.out);

    learn(&[]).says(
        2,
        &["which tests of project are flaky is not known", "hint: "],
    );
    write("wrong.csv", "test,flaky\na,perhaps\n");
    let wrong = path("wrong.csv");
    learn(&["--outcomes", &wrong]).says(2, &["line 2: `perhaps` is neither", "hint: "]);
    write("others.csv", "test,flaky\nother,1\n");
    let others = path("others.csv");
    learn(&["--outcomes", &others]).says(2, &["the outcomes know none", "hint: "]);
    write("trace.json", &trace(false).to_string());
    learn(&["--outcomes", &labels]).says(
        2,
        &["the functions that tests call are not in it", "--full"],
    );
    write(
        "trace.json",
        &trace(true)
            .to_string()
            .replace("\"version\":2", "\"version\":9"),
    );
    learn(&["--outcomes", &labels]).says(2, &["version 9 of the format is newer", "hint: "]);
}
