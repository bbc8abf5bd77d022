//! What is left when somebody kills flex: no process, and no file for long.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use flex_tests::project::Project;

use super::{ALL, NONE, is_gone, project, written};

/// Kills `cargo-flex` while a run hangs that it waits for; returns the processes of the run, and the folder of its files.
fn killed(project: &Project, args: &[&str]) -> ([String; 2], PathBuf) {
    super::cargo(project, &["test", "--no-run"], &[NONE]).says(0, &[]);
    let child = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    let env = [
        ALL,
        ("CHILD", child.path().to_str().expect("the path is text")),
        ("FLEX_TIMEOUT", "10m"),
        ("A_SECRET", "of the environment"),
    ];
    let temporary = tempfile::tempdir().expect("a temporary file can be made");
    let mut command = project.command("cargo-flex", &env);
    let mut running = command
        .env("TMPDIR", temporary.path())
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let hanging = written(child.path());
    // The parent of the hanging process is the test program.
    let stat = fs::read_to_string(format!("/proc/{hanging}/stat")).expect("it can be read");
    let parent = stat
        .rsplit(')')
        .next()
        .expect("it is there")
        .split_whitespace()
        .nth(1);
    let program = parent.expect("it is there").to_owned();
    let environment =
        fs::read_to_string(format!("/proc/{program}/environ")).expect("it can be read");
    let mut variables = environment.split('\0');
    let record = variables.find_map(|pair| pair.strip_prefix("FLEX_RECORD="));
    let record = PathBuf::from(record.expect("it is there"));
    let folder = record.parent().expect("it is there").to_owned();
    assert!(folder.exists());
    running.kill().expect("it can be waited for");
    running.wait().expect("it can be waited for");
    assert_eq!(
        holding_the_secret(temporary.path().to_owned()),
        [] as [PathBuf; 0]
    );
    ([program, hanging], folder)
}

/// The files below a folder that hold what the environment held.
fn holding_the_secret(folder: PathBuf) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("it can be read").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding_the_secret(path));
        } else if fs::read_to_string(&path).is_ok_and(|text| text.contains("A_SECRET")) {
            found.push(path);
        }
    }
    found
}

#[test]
fn test_processes_end_with_whoever_was_killed_and_their_files_are_cleared_away() {
    let project = project();
    let args = [
        "calibrate",
        "--seed",
        "fixed",
        "--test",
        "stochastic",
        "sometimes",
    ];
    let (processes, folder) = killed(&project, &args);
    for id in processes {
        is_gone(&id);
    }
    super::calibrated(&project, "stochastic");
    assert!(!folder.exists(), "{} is left", folder.display());
}

#[test]
fn a_plain_test_ends_with_whoever_was_killed() {
    let project = project();
    super::cargo(&project, &["test", "--no-run"], &[NONE]).says(0, &[]);
    let child = tempfile::NamedTempFile::new().unwrap();
    let env = [ALL, ("CHILD", child.path().to_str().unwrap())];
    let mut command = project.command("cargo-flex", &env);
    let mut running = command
        .args(["detect", "--test", "plain", "--timeout", "10m"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let hanging = written(child.path());
    running.kill().unwrap();
    running.wait().unwrap();
    is_gone(&hanging);
}
