//! Selection by names over whole histories: git and `gate diff` say what changed, nothing is built. `cargo xtask gate` goes
//! over the same ones with everything that there is.

use std::collections::BTreeSet;
use std::path::Path;

use flex_gate::changes::Changes;
use flex_gate::graph::{Graph, Package, ProjectFile};
use flex_gate::select::{TestTarget, select, with_removed};
use flex_gate::source::{self, Language};
use flex_tests::history::{History, KnownTest, PYTHON, RUST};
use flex_tests::{program, run};

/// How many more tests may be selected than are affected.
const MOST: f64 = 2.0;

#[test]
fn no_affected_test_of_python_is_missed_and_few_others_are_selected() {
    check(&PYTHON, &[]);
}

#[test]
fn no_affected_test_of_rust_is_missed_and_few_others_are_selected() {
    let package = |name: &str, folder: &str, needs: &[&str]| Package {
        name: name.to_owned(),
        folder: folder.to_owned(),
        needs: needs.iter().map(|name| (*name).to_owned()).collect(),
    };
    check(
        &RUST,
        &[
            package("shop", "", &["helper"]),
            package("helper", "helper", &[]),
        ],
    );
}

fn check(history: &History, packages: &[Package]) {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let folder = folder.path();
    let begun = history.begin_in(folder, Path::new("/flex"));
    begun.expect("git makes a repository");
    let (mut affected, mut selected) = (0, 0);
    for (number, step) in history.steps.iter().enumerate() {
        step.commit_in(folder).expect("git makes a commit");
        let tests = history.tests_after(number + 1);
        let found = selected_in(folder, packages, &tests);
        let known = tests.iter().map(|test| test.function);
        let known: BTreeSet<&str> = known.filter(|test| step.affects(test)).collect();
        let missed: Vec<_> = known.difference(&found).collect();
        assert!(missed.is_empty(), "{}: missed {missed:?}", step.message);
        affected += known.len();
        selected += found.len();
    }
    assert!(
        selected as f64 <= MOST * affected as f64,
        "{selected} selected, {affected} affected"
    );
}

/// The functions of the tests that the last commit can affect.
fn selected_in(folder: &Path, packages: &[Package], tests: &[KnownTest]) -> BTreeSet<&'static str> {
    let mut gate = std::process::Command::new(program("flex-harness"));
    gate.args(["gate", "diff", "--commits", "HEAD~1", "HEAD", "--json"]);
    let said = run(gate.current_dir(folder), "");
    let changes = Changes::parse(&said.out).unwrap_or_else(|error| panic!("{error}: {said}"));
    let files = with_removed(sources(folder), &changes);
    let targets: Vec<TestTarget> = tests
        .iter()
        .map(|test| TestTarget {
            id: test.function.to_owned(),
            file: test.file.to_owned(),
            function: test.function.to_owned(),
            package: (!packages.is_empty()).then(|| "shop".to_owned()),
        })
        .collect();
    let graph = Graph::new(&files, packages);
    let reasons = select(&graph, &changes, &targets, None, &|_, _| false);
    let selected = tests
        .iter()
        .zip(reasons)
        .filter(|(_, reason)| reason.is_some());
    selected.map(|(test, _)| test.function).collect()
}

fn sources(folder: &Path) -> Vec<ProjectFile> {
    let mut list = std::process::Command::new("git");
    let listed = run(list.arg("ls-files").current_dir(folder), "");
    let files = listed.out.lines().filter_map(|path| {
        let text = std::fs::read_to_string(folder.join(path)).ok()?;
        Some(ProjectFile {
            path: path.to_owned(),
            source: source::read(Language::of(path)?, &text),
        })
    });
    files.collect()
}
