//! Ctrl-C and SIGTERM: what is finished is kept and reported.

use std::process::Stdio;

use flex_tests::Said;
use flex_tests::project::Project;

use super::{NONE, is_gone, project, written};

/// Runs `cargo flex` as a program of ours, sends it a signal once a test of it hangs, and waits for its end.
fn interrupted(project: &Project, args: &[&str], signal: &str) -> Said {
    let child = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    // Nobody's limit is up before the signal comes.
    let env = [
        ("HANGS", "1"),
        ("CHILD", child.path().to_str().expect("the path is text")),
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
