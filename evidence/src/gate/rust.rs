//! A history of Rust: what is selected by names and by replay, and what is called flaky.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use flex_tests::history::{RUST, Step, commit, git};
use xtask::process::{root, succeed, target};

use super::changed::{LAST, affected, blocked, selected, set, words};
use super::python::flakiness;
use super::tally::Tally;
use crate::environment::undisturbed;
use crate::page::Section;
use crate::program::fresh_folder;
use crate::project::build_flex;

/// Trials of each selected test.
const TRIALS: &str = "40";

/// `cargo flex` in a folder, with a target folder that all that is measured here shares.
pub fn cargo_flex(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(target().join("release/cargo-flex"));
    command.arg("flex").args(args);
    in_folder(folder, &mut command);
    command
}

fn in_folder(folder: &Path, command: &mut Command) {
    undisturbed(command)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target().join("gate/target"))
        .env_remove("CARGO_MANIFEST_DIR")
        .stdin(Stdio::null());
}

/// Builds the tests in a folder with the dependencies of flex's own lock file, which the project commits.
pub fn with_lock_file(folder: &Path) -> Result<(), String> {
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).map_err(words)?;
    let mut build = xtask::process::cargo(&["test", "--no-run", "--quiet"]);
    in_folder(folder, &mut build);
    succeed(&mut build)?;
    commit(folder, "lock file").map_err(words)
}

/// The section of the part `rust`.
pub fn section() -> Result<Section, String> {
    build_flex()?;
    let folder = fresh_folder("gate/rust")?;
    let calibrate = || -> Result<(), String> {
        succeed(&mut cargo_flex(
            &folder,
            &["calibrate", "--seed", "history", "--accept"],
        ))?;
        git(&folder, &["add", "-A"]).map_err(words)?;
        git(
            &folder,
            &["commit", "-q", "--amend", "--allow-empty", "--no-edit"],
        )
        .map_err(words)
    };
    RUST.begin_in(&folder, root()).map_err(words)?;
    with_lock_file(&folder)?;
    calibrate()?;

    let mut text = format!(
        "{} commits of a package with a helper crate and {} tests (`tests/src/history/rust.rs`). *By replay* \
         counts stochastic tests alone. What is blocked is asked of commits that make a test flaky, and of those that mend \
         one.\n\n\
         | commit | affected | by names | stochastic: moved | by replay | flaky | blocked |\n|---|---|---|---|---|---|---|\n",
        RUST.steps.len(),
        RUST.tests.len()
    );
    let (mut names, mut replayed) = (Tally::default(), Tally::default());
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for (number, step) in RUST.steps.iter().enumerate() {
        step.commit_in(&folder).map_err(words)?;
        let tests = RUST.tests_after(number + 1);
        let select = |more: &[&str]| {
            let args = [&["gate", "select", "--json"], &LAST[..], more].concat();
            selected(&mut cargo_flex(&folder, &args))
        };
        let is_stochastic = |name: &String| {
            let mut known = tests.iter().filter(|test| test.is_stochastic);
            known.any(|test| test.function == name)
        };
        let only = |found: &BTreeSet<String>| -> BTreeSet<String> {
            found
                .iter()
                .filter(|name| is_stochastic(name))
                .cloned()
                .collect()
        };
        let known = affected(step, &tests, false);
        let moved = only(&affected(step, &tests, true));
        let by_names = select(&["--no-replay"])?;
        let by_replay = only(&select(&[])?);
        names.add(step.message, &known, &by_names);
        replayed.add(step.message, &moved, &by_replay);
        let blocked = match is_about_flakiness(step) {
            true => {
                asked += 1;
                let args = ["gate", "--json", "-n", TRIALS, "-s", "history"];
                let blocked = blocked(&mut cargo_flex(&folder, &[&args, &LAST[..]].concat()))?;
                if blocked != set(step.flaky) {
                    wrong.push(format!("{}: {blocked:?}", step.message));
                }
                blocked.len().to_string()
            }
            false => String::new(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {blocked} |",
            step.message,
            known.len(),
            by_names.len(),
            moved.len(),
            by_replay.len(),
            step.flaky.len(),
        );
        if !step.moves.is_empty() {
            calibrate()?;
        }
    }
    let _ = writeln!(
        text,
        "| all | {} | {} | {} | {} | | |\n",
        names.affected, names.selected, replayed.affected, replayed.selected
    );
    let mut bars = Vec::new();
    bars.extend(names.bars("by names", 2.0));
    bars.extend(replayed.bars("stochastic ones, by replay", 1.5));
    bars.push(flakiness(&wrong, asked));
    Ok(Section::with_bars(text, &bars))
}

fn is_about_flakiness(step: &Step) -> bool {
    !step.flaky.is_empty() || step.message.contains("mended")
}
