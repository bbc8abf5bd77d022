//! What is offered besides another number, and to whom: reruns, learned bounds, words for a maintainer, JSON.

use flex_detect::record::{RerunMarker, Role};
use flex_run::model::{Runner, TestId};

use super::support::{Folder, in_source, literal, normal, series, site, test};
use super::*;

#[test]
fn a_pull_request_tells_a_maintainer_everything() {
    let folder = repository(vec![flaky()]);
    folder
        .fix(&["--pr-text"])
        .says(0, &["wrote flex-fix/01-test-a-py--test-error.md"]);
    let text = folder.read("flex-fix/01-test-a-py--test-error.md");
    for words in [
        "failed in 8 of 1000 runs",
        "generalised Pareto tail was fitted to the 64 of 1000 values above",
        "| 99.99% |",
        "pytest tests/test_a.py::test_error --flex-seed=fixed@detect:1",
        "![Distribution of the values](01-test-a-py--test-error-0.svg)",
        "| **bound 99.99%** |",
        "+    assert x < ",
    ] {
        assert!(text.contains(words), "`{words}` is not in:\n{text}");
    }
    let svg = folder.read("flex-fix/01-test-a-py--test-error-0.svg");
    let picture = roxmltree::Document::parse(&svg).expect("the picture is XML");
    let texts: Vec<&str> = picture
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    assert!(
        texts.iter().any(|text| text.starts_with("now: 2.5")),
        "{texts:?}"
    );
    assert!(
        texts.iter().any(|text| text.starts_with("new: ")),
        "{texts:?}"
    );
    assert!(!svg.contains("href"), "it needs nothing else");
    folder.write("taken", "");
    folder
        .fix(&["--pr-text=taken"])
        .says(2, &["cannot write taken"]);
}

#[test]
fn a_suspected_bug_is_changed_only_on_request() {
    let mut nan = flaky();
    nan.sites[0].series[0].values[77].1 = f64::NAN;
    nan.sites[0].failed.push(77);
    nan.sites[0].failed.sort_unstable();
    nan.runs[77].outcome = flex_detect::record::Outcome::Fail;
    nan.runs[77].failed_site = Some(0);
    let folder = repository(vec![nan.clone(), flakier()]);
    let told = folder.fix(&[]);
    told.fits();
    told.says(
        1,
        &[
            "look here first: values are NaN or infinite (run 77)",
            "seed=fixed@detect:77",
            "1 patch for",
        ],
    );
    assert!(!told.out.contains("x < "), "{told}");
    folder.fix(&["--apply"]).says(1, &["wrote"]);
    assert!(folder.read(FILE).contains("x < 2.5"));
    folder
        .fix(&["--choose", "rerun", "--suspected"])
        .says(2, &["FILTERS"]);
    folder.write(FILE, SOURCE);
    folder.record_with(Runner::Pytest, vec![nan, flakier()], |record| {
        record.rerun_marker = Some(RerunMarker::Rerunfailures);
    });
    let told = folder.fix(&["--choose", "rerun", "--suspected", "test_error"]);
    told.says(0, &["look here first", "> rerun"]);
    assert_eq!(
        changed(&told.out),
        ["+import pytest", "+@pytest.mark.flaky(reruns=2)"]
    );
}

#[test]
fn reruns_are_asked_for_in_the_words_of_the_project() {
    let folder = repository(vec![flaky()]);
    let marked = |marker: Option<RerunMarker>| {
        folder.record_with(Runner::Pytest, vec![flaky(), flakier()], |record| {
            record.rerun_marker = marker;
        });
        let told = folder.fix(&["--choose", "rerun"]);
        told.says(0, &["2 patches"]);
        folder
            .pipe(&["git", "apply", "--check"], &told.out)
            .says(0, &[]);
        changed(&told.out).join("\n")
    };
    assert_eq!(
        marked(Some(RerunMarker::Rerunfailures)),
        "+import pytest\n+@pytest.mark.flaky(reruns=2)\n+@pytest.mark.flaky(reruns=2)"
    );
    assert_eq!(
        marked(Some(RerunMarker::Flaky)),
        "+from flaky import flaky\n+@flaky(max_runs=3)\n+@flaky(max_runs=3)"
    );
    assert_eq!(
        marked(None),
        "+from pytest_flex import stochastic\n+@stochastic(attempts=3)\n+@stochastic(attempts=3)"
    );
}

#[test]
fn a_plain_test_of_rust_has_nobody_to_rerun_it() {
    let file = "tests/a.rs";
    let folder = Folder::package(&[(file, "#[test]\nfn it() {\n    assert!(x() < 2.5);\n}\n")]);
    let values = series(Role::Upper, 2.5, in_source("2.5"), normal);
    let mut plain = test(
        "it",
        1,
        vec![site((file, 3), "assert!(x() < 2.5)", vec![values])],
    );
    plain.place.file = file.into();
    plain.id = TestId::cargo("test:a", "it");
    plain.replay = None;
    folder.record(Runner::Cargo, vec![plain]);
    let told = folder.fix(&["--choose", "rerun"]);
    told.says(
        1,
        &[
            "cargo reruns no tests",
            "retries = 2",
            "#[stochastic_test(attempts = 3)]",
        ],
    );
}

#[test]
fn an_import_directly_above_a_test_stays_there() {
    // With a byte order mark, too.
    for mark in ["", "\u{feff}"] {
        let source = format!("{mark}import math\ndef test_error():\n    assert x < 2.5\n");
        let folder = Folder::repository(&[(FILE, &source)]);
        let knob = literal(&source, "x < ", "2.5");
        let values = series(Role::Upper, 2.5, knob, normal);
        let site = site((FILE, 3), "assert x < 2.5", vec![values]);
        let mut test = test("tests/test_a.py::test_error", 2, vec![site]);
        // Nothing is run afterwards: there is no pytest here.
        test.replay = None;
        folder.record(Runner::Pytest, vec![test]);
        for (choice, import, decorator) in [
            ("learned", "learned, stochastic", "@stochastic"),
            ("rerun", "stochastic", "@stochastic(attempts=3)"),
        ] {
            folder.write(FILE, &source);
            folder
                .fix(&["--choose", choice, "--apply", "--allow-dirty"])
                .says(0, &["wrote"]);
            let expected = format!(
                "{mark}import math\nfrom pytest_flex import {import}\n{decorator}\ndef test_error():\n"
            );
            let patched = folder.read(FILE);
            assert!(patched.starts_with(&expected), "{patched:?}");
        }
    }
}

#[test]
fn a_file_that_cannot_be_patched_blocks_no_other() {
    let broken = "tests/test_b.py";
    let source = format!("{SOURCE}\n\nprint 'Python 2'\n");
    let folder = Folder::repository(&[(FILE, SOURCE), (broken, &source)]);
    let mut other = flakier();
    other.id = TestId::pytest("tests/test_b.py::test_other");
    other.place.file = broken.to_owned();
    other.sites[0].place.file = broken.to_owned();
    folder.record(Runner::Pytest, vec![other, flaky()]);
    let told = folder.fix(&["--choose", "rerun", "--apply"]);
    let told = told.says(
        1,
        &["no patch: tests/test_b.py would no longer parse", "wrote"],
    );
    assert!(told.err.contains("1 patch for 1 assertion"), "{told}");
    assert_eq!(folder.read(broken), source);
    assert!(folder.read(FILE).contains("@stochastic(attempts=3)"));
}

#[test]
fn learned_numbers_bring_their_import_and_their_marker() {
    let folder = repository(vec![flaky(), flakier()]);
    let told = folder.fix(&["--choose", "learned"]);
    told.says(
        0,
        &["`flex-harness calibrate --pytest .` learns the numbers"],
    );
    assert_eq!(
        changed(&told.out),
        [
            "+from pytest_flex import learned, stochastic",
            "+@stochastic",
            "-    assert x < 2.5, \"too far\"  # guessed",
            "+    assert x < learned(), \"too far\"  # guessed",
            "+@stochastic",
            "-    assert error() < 2.0",
            "+    assert error() < learned()",
        ]
    );
    folder
        .pipe(&["git", "apply", "--check"], &told.out)
        .says(0, &[]);
}

#[test]
fn programs_get_json() {
    let folder = repository(vec![flaky()]);
    let told = folder.fix(&["--json"]);
    told.says(0, &[]);
    let value = told.json();
    let assertion = &value["assertions"][0];
    assert_eq!(assertion["verdict"], "flaky");
    assert_eq!(assertion["failed"].as_array().map(Vec::len), Some(8));
    let menu = assertion["menu"].as_array().expect("a menu");
    let chosen: Vec<_> = menu
        .iter()
        .filter(|offer| offer["chosen"] == true)
        .collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0]["confidence"], 0.9999);
    let diff = value["patches"][0]["diff"].as_str().expect("a diff");
    folder.pipe(&["git", "apply", "--check"], diff).says(0, &[]);
}
