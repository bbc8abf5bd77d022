//! Runs that hang, wherever they hang: told of within their limit, with the line that repeats them, and never a success.
//!
//! | | calibrate | check | enforce | detect | gate |
//! |---|---|---|---|---|---|
//! | processes of the command line | `calibration_ends_…` | `a_check_ends_…` | | `detection_finds_…` | `trials_of_the_gate_…`; plain tests: `gate/check.rs` |
//! | libtest, one process | `calibration_within_…` | | `a_test_that_is_enforced_…` | | |
//! | nextest | `nextest_tells_…` | | `nextest_tells_…` | | |
//! | pytest, isolated, xdist | `pytest-bridge/tests/test_hangs.py` has them all | | | | `test_gate.py` |
//!
//! Check, detect and gate are commands, which start processes of their own whatever runs the tests otherwise; no command enforces.

mod interrupted;
mod leftovers;

use std::path::Path;
use std::time::{Duration, Instant};

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use hangs::{knob, normal};

/// Hangs in this share of its runs, with a process of its own whose number goes into a file.
fn hang(share: f64, drawn: f64) {
    if drawn < share {
        let mut sleep = std::process::Command::new("sleep");
        // Whoever reads what the test says does not wait for it.
        sleep.arg("1000").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = sleep.spawn().unwrap();
        if let Ok(file) = std::env::var("CHILD") {
            std::fs::write(file, child.id().to_string()).unwrap();
        }
        child.wait().unwrap();
    }
}

#[stochastic_test(timeout = 1, runs = 20, replay = always)]
fn sometimes(rng: &mut TestRng) {
    let value = normal(rng, 0.0);
    if let Ok(first) = std::env::var("FIRST") {
        match std::fs::exists(&first).unwrap() {
            true => hang(1.0, 0.0),
            false => std::fs::write(first, "").unwrap(),
        }
    }
    hang(knob("HANGS"), rng.seed_u64() as f64 / 2f64.powi(64));
    assert_tail_bound!(value < _);
    assert_tail_bound!(value < 50.0, name = "declared");
}

#[stochastic_test(runs = 20)]
fn never(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _);
}
"#;

const PLAIN: &str = r#"
#[test]
fn plain() {
    if hangs::knob("HANGS") > 0.0 {
        if let Ok(file) = std::env::var("CHILD") {
            std::fs::write(file, std::process::id().to_string()).unwrap();
        }
        std::thread::sleep(std::time::Duration::from_secs(1000));
    }
}

#[test]
fn other() {}
"#;

fn project() -> Project {
    let own_main = format!("{TESTS}\nflex_harness::main!();\n");
    Project::new(
        "hangs",
        "[[test]]\nname = \"own-main\"\nharness = false\n",
        &[
            ("src/lib.rs", NORMAL),
            ("tests/stochastic.rs", TESTS),
            ("tests/own-main.rs", &own_main),
            ("tests/plain.rs", PLAIN),
        ],
    )
}

/// Much longer than any of these takes, so that a hang is a failure and not a hang of ours.
const OUTER: &str = "150";

/// Runs cargo, which is ended if it hangs.
fn cargo(project: &Project, args: &[&str], env: &[(&str, &str)]) -> Said {
    let mut command = project.command("timeout", env);
    command.args(["--kill-after=5", OUTER, "cargo"]).args(args);
    flex_tests::run(&mut command, "")
}

/// A share of hanging runs that every twentieth run or so has; the seed is fixed.
const SOME: (&str, &str) = ("HANGS", "0.1");
const ALL: (&str, &str) = ("HANGS", "1");
const NONE: (&str, &str) = ("HANGS", "0");

const HANGS: &str = "hangs: it had not ended after 1";

/// Learns the bounds of a test program.
fn calibrated(project: &Project, target: &str) {
    project.forget();
    let said = cargo(
        project,
        &["flex", "calibrate", "--seed", "fixed", "--test", target],
        &[NONE],
    );
    assert_eq!(said.code, 0, "{said}");
}

/// Whether a process is there; one that waits to be collected is not.
fn lives(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| {
        let state = rest.trim_start();
        !state.is_empty() && !state.starts_with('Z') && !state.starts_with('X')
    })
}

/// Waits until a process is gone, as long as that may take anywhere.
#[track_caller]
fn is_gone(id: &str) {
    let began = Instant::now();
    while lives(id) {
        assert!(began.elapsed() < Duration::from_secs(60), "{id} lives on");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The text of a file, as soon as it is there.
#[track_caller]
fn written(file: &Path) -> String {
    let began = Instant::now();
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if !text.is_empty() {
            return text;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "nothing is there"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn calibration_ends_at_a_run_that_hangs_with_its_children_and_learns_nothing() {
    let project = project();
    project.forget();
    let child = tempfile::NamedTempFile::new().unwrap();
    let child = child.path().to_str().unwrap();
    let args = [
        "flex",
        "calibrate",
        "--seed",
        "fixed",
        "--test",
        "stochastic",
    ];
    let env = [SOME, ("CHILD", child)];
    for more in [&[][..], &["--time-budget", "10m"]] {
        project.forget();
        let said = cargo(&project, &[&args, more].concat(), &env);
        let replay = "FLEX_TIMEOUT=1s FLEX_SEED=fixed@calibrate:";
        said.says(1, &[HANGS, replay, "nothing was learned", "never"]);
        assert!(project.entries("sometimes").is_empty(), "{said}");
        assert_eq!(project.entries("never").len(), 1, "others are kept: {said}");
        is_gone(&std::fs::read_to_string(child).unwrap());
    }
    // What the line repeats hangs, and is told of, once more.
    let said = cargo(&project, &args, &env);
    let replay = said.line("replay:");
    let line = format!("HANGS=0.1 timeout {OUTER} sh -c {replay:?}");
    project.shell(&line).says(101, &[HANGS]);
}

#[test]
fn a_check_ends_with_a_finding_at_a_run_that_hangs() {
    let project = project();
    calibrated(&project, "stochastic");
    let args = ["flex", "calibrate", "--check", "--seed", "fixed", "--full"];
    let said = cargo(&project, &[&args[..], &["sometimes"]].concat(), &[SOME]);
    said.says(1, &[HANGS, "@check:"]);
}

#[test]
fn detection_finds_runs_that_hang() {
    let project = project();
    let args = ["flex", "detect", "--seed", "fixed", "--test"];
    let said = cargo(
        &project,
        &[&args[..], &["stochastic", "sometimes"]].concat(),
        &[SOME],
    );
    said.says(
        1,
        &[HANGS, "3 runs hang, so that no further ones were made"],
    );
    let plain = [&args[..], &["plain", "--timeout", "1s"]].concat();
    let said = cargo(&project, &plain, &[ALL]);
    said.says(1, &[HANGS, "2 tests searched"]);
}

#[test]
fn trials_of_the_gate_find_runs_that_hang() {
    let project = project();
    let check = ["flex", "check", "sometimes", "-n", "40", "-s", "fixed"];
    for more in [&[][..], &["--time-bank", "60s"]] {
        let args = [&check[..], &["--test", "stochastic"], more].concat();
        cargo(&project, &args, &[SOME]).says(1, &[HANGS]);
    }
}

#[test]
fn a_trace_tells_of_a_run_that_hangs_and_goes_on() {
    let project = project();
    let args = ["flex", "trace", "--out", "trace.json", "--timeout", "1s"];
    for (target, others) in [("plain", "1 test traced"), ("stochastic", "1 test traced")] {
        let args = [&args[..], &["--test", target]].concat();
        let said = cargo(&project, &args, &[ALL]);
        said.says(1, &[HANGS, "`--timeout` allows a run more time", others]);
    }
}

#[test]
fn a_test_that_is_enforced_ends_its_process_with_thread_and_seed() {
    let project = project();
    // A main function of its own runs a single test on the thread that has no name.
    for (target, thread) in [("stochastic", "thread `sometimes`, "), ("own-main", "")] {
        calibrated(&project, target);
        let args = ["test", "--test", target, "--", "sometimes"];
        let env = [ALL, ("FLEX_SEED", "k3J9"), ("FLEX_LOG", "json")];
        let said = cargo(&project, &args, &env);
        let place = format!("{thread}seed k3J9@enforce:0");
        let verdict = "{\"verdict\":\"error\",";
        said.says(101, &[HANGS, &place, "FLEX_SEED=k3J9@enforce:0", verdict]);
    }
}

#[test]
fn a_rerun_that_hangs_fails_the_test_with_its_seed() {
    let project = project();
    calibrated(&project, "stochastic");
    // Its second run is a replay, which a quick test always makes.
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first");
    let env = [NONE, ("FIRST", first.to_str().unwrap())];
    let args = ["test", "--test", "stochastic", "--", "sometimes"];
    let said = cargo(&project, &args, &env);
    said.says(101, &[HANGS, "FLEX_SEED=fixed@calibrate:"]);
}

#[test]
fn calibration_within_the_test_program_ends_too() {
    let project = project();
    project.forget();
    let args = ["test", "--test", "stochastic"];
    let calibrate = [SOME, ("FLEX_MODE", "calibrate"), ("FLEX_SEED", "fixed")];
    let said = cargo(&project, &args, &calibrate);
    said.says(101, &[HANGS, "FLEX_SEED=fixed@calibrate:"]);
    assert!(project.entries("sometimes").is_empty(), "{said}");
}

#[test]
fn nextest_tells_of_a_run_that_hangs() {
    let project = project();
    if project.cargo(&["nextest", "--version"], &[]).code != 0 {
        println!("SKIPPED: cargo-nextest is not installed, so nothing was tested under it");
        return;
    }
    calibrated(&project, "stochastic");
    let args = ["nextest", "run", "--test", "stochastic"];
    let enforced = cargo(&project, &args, &[ALL, ("FLEX_SEED", "k3J9")]);
    enforced.says(100, &[HANGS, "k3J9@enforce:0"]);
    let calibrate = [ALL, ("FLEX_MODE", "calibrate"), ("FLEX_SEED", "k3J9")];
    project.forget();
    cargo(&project, &args, &calibrate).says(100, &[HANGS, "k3J9@calibrate:0"]);
    assert!(project.entries("sometimes").is_empty());
}

#[test]
fn without_a_timeout_the_slowest_run_decides_and_the_command_line_counts_first() {
    let project = project();
    project.forget();
    // Nothing is stated for `never`, so that its first run has no limit; with one it has.
    let args = ["flex", "calibrate", "--seed", "fixed", "--timeout", "250ms"];
    cargo(&project, &args, &[NONE]).says(2, &["250ms"]);
    let args = ["flex", "calibrate", "--seed", "fixed", "--timeout", "0.25s"];
    let args = [&args[..], &["--test", "stochastic", "sometimes"]].concat();
    let said = cargo(&project, &args, &[ALL]);
    said.says(
        1,
        &[
            "run 0 hangs: it had not ended after 0.2",
            "FLEX_TIMEOUT=0.2",
        ],
    );
    let off = [ALL, ("FLEX_TIMEOUT", "soon")];
    let said = cargo(&project, &["test", "--test", "stochastic"], &off);
    said.says(101, &["FLEX_TIMEOUT", "is not a time like 90s"]);
}

#[test]
fn no_time_left_is_no_broken_build() {
    let project = project();
    project.forget();
    // One at a time, and the first takes more than there is for both.
    let args = ["flex", "detect", "--seed", "fixed", "--test", "stochastic"];
    let said = cargo(
        &project,
        &[&args[..], &["--time-budget", "0.000001s"]].concat(),
        &[NONE],
    );
    said.says(4, &["no time was left for it"]);
}
