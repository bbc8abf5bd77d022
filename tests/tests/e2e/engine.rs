//! `calibrate --engine local`: workers and submitters that are killed change nothing of what is learned.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use std::fs::File;
use std::io::Write;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use engines::normal;
use flex_harness::prelude::*;

/// The first process that comes here ends its worker, as a machine does that runs out of memory.
fn killer() {
    let Ok(mark) = std::env::var("KILL") else { return };
    if File::create_new(mark).is_ok() {
        let worker = std::os::unix::process::parent_id().to_string();
        Command::new("kill").args(["-KILL", &worker]).status().unwrap();
        std::thread::sleep(Duration::from_secs(600));
    }
}

/// Of the processes that come here, eight go on.
fn stall() {
    static STALLED: OnceLock<()> = OnceLock::new();
    let Ok(folder) = std::env::var("STALL") else { return };
    STALLED.get_or_init(|| {
        let is_free = |place: &u32| File::create_new(format!("{folder}/{place}")).is_ok();
        if (0..8).find(is_free).is_none() {
            std::thread::sleep(Duration::from_secs(600));
        }
    });
}

/// The first process that comes here says which it is, and stays for good.
fn straggle() {
    let Ok(mark) = std::env::var("STRAGGLE") else { return };
    if let Ok(mut mark) = File::create_new(mark) {
        write!(mark, "{}", std::process::id()).unwrap();
        std::thread::sleep(Duration::from_secs(600));
    }
}

#[stochastic_test]
fn kills(rng: &mut TestRng) {
    killer();
    straggle();
    assert_tail_bound!(normal(rng, 0.0) < _);
}

#[stochastic_test]
fn stalls(rng: &mut TestRng) {
    stall();
    let value = normal(rng, 1.0);
    assert_tail_bound!(value < _);
    assert_tail_bound!(value > _, name = "low");
}
"#;

fn project() -> Project {
    let files = [("src/lib.rs", NORMAL), ("tests/engine.rs", TESTS)];
    Project::new("engines", "", &files)
}

const ENGINE: &[&str] = &["--engine", "local", "--shards", "10", "--jobs", "2"];

/// Starts the submitter, and kills it when the first shard is there.
fn killed(project: &Project, stall: &str) {
    let mut command = project.command("cargo-flex", &[("STALL", stall)]);
    let mut running = command
        .args(["calibrate", "--seed", "fixed", "--test", "engine"])
        .args(ENGINE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let lines = BufReader::new(running.stderr.take().expect("it is piped")).lines();
    let made = lines
        .map_while(Result::ok)
        .find(|line| line.contains(" of 10 shards "));
    assert!(made.is_some(), "it ended before the first shard was there");
    running.kill().expect("it can be killed");
    running.wait().expect("it can be waited for");
}

#[test]
fn killed_workers_and_submitters_change_nothing() {
    let project = project();
    let here = project.calibrate(&["--test", "engine"], &[]);
    here.says(0, &[]);
    let expected = project.undated_bounds();
    assert!(expected.matches("[[bound]]").count() == 3, "{expected}");

    project.forget();
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::create_dir(path("stall")).expect("it can be written to");
    killed(&project, &path("stall"));
    assert_eq!(project.bounds(), "");
    // What is asked of the engine may stand in flex.toml; it goes on from what is there, and a worker dies.
    project.write("flex.toml", "[engine]\nname = \"local\"\nshards = 10\n");
    let args = ["--test", "engine", "--jobs", "2"];
    let said = project.calibrate(&args, &[("KILL", &path("mark"))]);
    said.says(
        0,
        &[
            "of 10 shards are there already",
            "died on this machine",
            "10 of 10 shards are made",
        ],
    );
    assert_eq!(project.undated_bounds(), expected, "{said}");

    // Nothing is left to go on from.
    project.forget();
    let said = project.calibrate(&args, &[]);
    said.says(0, &["10 of 10 shards are made"]);
    assert!(!said.err.contains("there already"), "{said}");
    assert_eq!(project.undated_bounds(), expected);
    std::fs::remove_file(project.path("flex.toml")).expect("it is there");
}

#[test]
fn a_straggler_is_overtaken_by_its_double_and_ended() {
    let project = project();
    project.calibrate(&["--test", "engine"], &[]).says(0, &[]);
    let expected = project.undated_bounds();
    project.forget();
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mark = folder.path().join("mark");
    let began = std::time::Instant::now();
    let said = project.calibrate(
        &[&["--test", "engine"], ENGINE].concat(),
        &[("STRAGGLE", &mark.display().to_string())],
    );
    said.says(
        0,
        &[
            "1 of 10 shards are made",
            " left\n",
            "10 of 10 shards are made",
        ],
    );
    assert!(!said.err.contains("died"), "{said}");
    assert_eq!(project.undated_bounds(), expected, "{said}");
    // It would have stayed for ten minutes.
    assert!(began.elapsed().as_secs() < 300, "{said}");
    // Its worker is ended at once, and it sees to that itself.
    let straggler = std::fs::read_to_string(&mark).expect("one stayed");
    let status = || std::fs::read_to_string(format!("/proc/{straggler}/status"));
    let is_there = || status().is_ok_and(|status| !status.contains("State:\tZ"));
    while is_there() {
        assert!(began.elapsed().as_secs() < 300, "{:?}", status());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn what_cannot_be_made_is_told_with_its_words() {
    let project = project();
    let said = project.calibrate(&["--test", "engine", "--engine", "slrum"], &[]);
    said.says(2, &["an engine is one of \"slurm\", \"dask\""]);
    let shard = ["--engine", "local", "--shard", "1/2", "--out", "x"];
    project
        .calibrate(&shard, &[])
        .says(2, &["cannot be used with"]);
    let budget = ["--engine", "local", "--time-budget", "1m"];
    project
        .calibrate(&budget, &[])
        .says(2, &["cannot be used with"]);
}
