//! Writers of bounds files that are killed, that get errors from the system, and many at once. Linux shows what happens
//! where processes can be stopped at a system call.

#![cfg(target_os = "linux")]

use std::path::Path;

use flex_tests::crash::strace::{self, Traced};
use flex_tests::crash::{faults, once, store};
use flex_tests::project::{NORMAL, Project};
use tempfile::TempDir;

const WRITER: &str = env!("CARGO_BIN_EXE_bounds-writer");

fn folder() -> TempDir {
    TempDir::new().expect("there is a folder for temporary files")
}

/// Returns true if strace cannot be used, and says so.
fn cannot_trace() -> bool {
    let cannot = !strace::is_usable();
    if cannot {
        eprintln!("skipped: strace is not installed, or may not trace here");
    }
    cannot
}

#[test]
fn a_killed_writer_leaves_a_whole_file_with_all_that_it_acknowledged() {
    let folder = folder();
    let tally = store::kill(Path::new(WRITER), folder.path(), 200).unwrap();
    assert_eq!((tally.kills, tally.old + tally.new), (200, 200));
    // An update creates, fills and renames its file for half of the time: none of 200 there is beyond all chance.
    assert!(tally.left_behind > 0, "{tally:?}");
}

#[test]
fn whatever_system_call_fails_the_file_is_the_old_or_the_new_one() {
    if cannot_trace() {
        return;
    }
    let folder = folder();
    let endings = faults::each_call(Path::new(WRITER), folder.path()).unwrap();
    let all = endings.acknowledged + endings.refused + endings.killed_before + endings.killed_after;
    assert_eq!(all, 5 * endings.calls);
    assert!(endings.refused > 0 && endings.killed_before > 0 && endings.killed_after > 0);
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let folder = folder();
    let file = folder.path().join("flex-bounds.toml");
    store::crowd(Path::new(WRITER), &file, (64, 5), || Ok(())).unwrap();
}

const TESTS: &str = r#"
use flex_harness::prelude::*;
use killed::normal;

#[stochastic_test]
fn first(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _);
}

#[stochastic_test]
fn second(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) > _);
}
"#;

#[test]
fn calibrations_that_are_killed_while_they_write_leave_a_whole_file() {
    if cannot_trace() {
        return;
    }
    let project = Project::new(
        "killed",
        "",
        &[("src/lib.rs", NORMAL), ("tests/tests.rs", TESTS)],
    );
    project.forget();
    let only_first = ["first", "--runs", "10"];
    project
        .calibrate(&only_first, &[])
        .says(0, &["1 site learned"]);
    let bounds = project.path("flex-bounds.toml");
    let old = project.bounds();

    // In the test's own process.
    let own = project.program(&["--test", "tests"]);
    let env = [
        ("FLEX_MODE", "calibrate"),
        ("FLEX_SEED", "fixed"),
        ("FLEX_RUNS", "10"),
    ];
    let mut command = own.command(&["--exact", "second"], &env);
    let tally = once::kill(&command, Traced::All, &bounds, 20).unwrap();
    assert!(tally.old > 0 && tally.new > 0, "{tally:?}");

    // In that of the command line.
    project.write("flex-bounds.toml", &old);
    command = project.command("cargo-flex", &[]);
    command.args([
        "flex",
        "calibrate",
        "--seed",
        "fixed",
        "second",
        "--runs",
        "10",
    ]);
    let tally = once::kill(&command, Traced::First, &bounds, 5).unwrap();
    assert!(tally.old > 0 && tally.new > 0, "{tally:?}");
}
