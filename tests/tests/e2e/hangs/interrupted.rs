//! Ctrl-C and SIGTERM: what is finished is kept and reported, and so is what a search has seen so far.

use std::process::Stdio;

use flex_tests::Said;
use flex_tests::project::Project;

use super::{NONE, is_gone, project, written};

/// Tests that fail in every fourth run, and hang from the forty-first on.
const CUT: &str = r#"
use std::io::Write;

use flex_harness::prelude::*;

/// The number of a run, whichever process makes it.
fn number() -> u64 {
    let file = std::env::var("COUNT").unwrap();
    let mut file = std::fs::File::options().create(true).append(true).open(file).unwrap();
    file.write_all(b".").unwrap();
    let number = file.metadata().unwrap().len();
    if number > 40 {
        std::fs::write(std::env::var("CHILD").unwrap(), std::process::id().to_string()).unwrap();
        std::thread::sleep(std::time::Duration::from_secs(1000));
    }
    number
}

#[test]
fn plain() {
    assert!(!number().is_multiple_of(4));
}

#[stochastic_test]
fn annotated(rng: &mut TestRng) {
    let drawn = 1e-9 * rng.seed_u64() as f64 / 2f64.powi(64);
    assert_tail_bound!((number() % 4) as f64 + drawn < 2.5);
}
"#;

/// Runs `cargo flex` as a program of ours, sends it a signal once a test of it hangs, and waits for its end.
fn interrupted(project: &Project, args: &[&str], signal: &str) -> Said {
    let [child, counted] = [(), ()].map(|()| tempfile::NamedTempFile::new());
    let child = child.expect("a temporary file can be made");
    let counted = counted.expect("a temporary file can be made");
    // Nobody's limit is up before the signal comes.
    let env = [
        ("HANGS", "1"),
        ("CHILD", child.path().to_str().expect("the path is text")),
        ("COUNT", counted.path().to_str().expect("the path is text")),
        ("FLEX_TIMEOUT", "10m"),
    ];
    let mut command = project.command("cargo-flex", &env);
    let running = command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let hanging = written(child.path());
    let kill = format!("kill -s {signal} {}", running.id());
    project.shell(&kill).says(0, &[]);
    let output = running.wait_with_output().expect("it can be waited for");
    is_gone(&hanging);
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("the program writes UTF-8"),
        err: String::from_utf8(output.stderr).expect("the program writes UTF-8"),
    }
}

#[test]
fn an_interrupted_calibration_keeps_what_is_finished() {
    let project = project();
    super::cargo(&project, &["test", "--no-run"], &[NONE]).says(0, &[]);
    for signal in ["INT", "TERM"] {
        project.forget();
        // In the order of their names, one at a time: `never` is finished when `sometimes` hangs.
        let args = [
            "calibrate",
            "--seed",
            "fixed",
            "--jobs",
            "1",
            "--test",
            "stochastic",
        ];
        let said = interrupted(&project, &args, signal);
        said.says(130, &["interrupted: 1 test is finished and kept"]);
        assert_eq!(project.entries("never").len(), 1, "{said}");
        assert!(project.entries("sometimes").is_empty(), "{said}");
    }
}

#[test]
fn an_interrupted_search_reports_what_is_finished() {
    let project = project();
    super::cargo(&project, &["test", "--no-run"], &[NONE]).says(0, &[]);
    let args = [
        "detect",
        "--seed",
        "fixed",
        "--jobs",
        "1",
        "--test",
        "stochastic",
    ];
    let said = interrupted(&project, &args, "TERM");
    said.says(
        130,
        &[
            "interrupted: 1 test is searched so far",
            "1 test searched; wrote",
        ],
    );
}

#[test]
fn an_interrupted_search_reports_what_the_test_under_way_showed_so_far() {
    let project = Project::new("cut", "", &[("src/lib.rs", ""), ("tests/cut.rs", CUT)]);
    super::cargo(&project, &["test", "--no-run"], &[]).says(0, &[]);
    let found = [
        "fails  in 10 of 40 runs",
        "it was interrupted before its failure rate was known",
        "interrupted: 1 test is searched so far",
        "1 test searched; wrote",
    ];
    let args = ["detect", "--seed", "fixed", "--exact"];
    // In its only turn, and in the first of several.
    for (test, more) in [
        ("plain", &[][..]),
        ("annotated", &[]),
        ("plain", &["--time-budget", "1h"]),
        ("annotated", &["--time-budget", "1h"]),
    ] {
        let said = interrupted(&project, &[&args[..], &[test], more].concat(), "TERM");
        said.says(130, &found);
    }
}
