//! A history of Python: what is selected by names, by a trace, and by replay, and what is called flaky.

use std::fmt::Write;

use flex_tests::history::{PYTHON, commit, git};
use xtask::process::{root, succeed};

use super::changed::{LAST, affected, blocked, selected, set, words};
use super::tally::Tally;
use crate::page::{Bar, Section};
use crate::program::{fresh_folder, in_environment, prepare};

/// Trials of each selected test: a test that fails in 3 runs of 10 escapes once in a million times.
const TRIALS: &str = "40";

/// The section of the part `python`.
pub fn section() -> Result<Section, String> {
    let python = prepare()?;
    let folder = fresh_folder("gate/python")?;
    let flex = |args: &[&str]| {
        let mut command = in_environment(&python, &folder);
        command.args(args);
        command
    };
    let calibrate = || -> Result<(), String> {
        let mut command = flex(&[
            "calibrate",
            "--pytest",
            "tests/test_stochastic.py",
            "--seed",
            "history",
            "--accept",
        ]);
        succeed(&mut command)?;
        git(&folder, &["add", "-A"]).map_err(words)?;
        git(
            &folder,
            &["commit", "-q", "--amend", "--allow-empty", "--no-edit"],
        )
        .map_err(words)
    };
    PYTHON.begin_in(&folder, root()).map_err(words)?;
    commit(&folder, "bounds").map_err(words)?;
    calibrate()?;

    let trace = folder.with_extension("trace.json").display().to_string();
    let mut text = format!(
        "{} commits of a package with {} tests (`tests/src/history/python.rs`). What is affected is known: \
         tests that execute what changed, that are new or changed, or that a changed file governs. *By replay*, stochastic \
         tests count as affected if their values are others than before; a trace decides about the rest. *Flaky* is what \
         `gate -n {TRIALS}` blocks.\n\n\
         | commit | affected | by names | by a trace | affected, by replay | by a trace and replay | flaky | blocked |\n\
         |---|---|---|---|---|---|---|---|\n",
        PYTHON.steps.len(),
        PYTHON.tests.len()
    );
    let [mut names, mut traced, mut replayed] = [(); 3].map(|()| Tally::default());
    let mut wrong = Vec::new();
    for (number, step) in PYTHON.steps.iter().enumerate() {
        succeed(&mut flex(&[
            "trace", "--full", "--pytest", "tests", "--out", &trace,
        ]))?;
        step.commit_in(&folder).map_err(words)?;
        let tests = PYTHON.tests_after(number + 1);
        let select = |more: &[&str]| {
            let args = [
                &["gate", "select", "--pytest", "tests", "--json"],
                &LAST[..],
                more,
            ]
            .concat();
            selected(&mut flex(&args))
        };
        let (known, moved) = (affected(step, &tests, false), affected(step, &tests, true));
        let by_names = select(&["--no-replay"])?;
        let by_trace = select(&["--no-replay", "--trace", &trace])?;
        let by_replay = select(&["--trace", &trace])?;
        names.add(step.message, &known, &by_names);
        traced.add(step.message, &known, &by_trace);
        replayed.add(step.message, &moved, &by_replay);
        let args = [
            "gate", "--pytest", "tests", "--json", "-n", TRIALS, "-s", "history",
        ];
        let blocked = blocked(&mut flex(&[&args, &LAST[..]].concat()))?;
        if blocked != set(step.flaky) {
            wrong.push(format!("{}: {blocked:?}", step.message));
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            step.message,
            known.len(),
            by_names.len(),
            by_trace.len(),
            moved.len(),
            by_replay.len(),
            step.flaky.len(),
            blocked.len()
        );
        if !step.moves.is_empty() {
            calibrate()?;
        }
    }
    let _ = writeln!(
        text,
        "| all | {} | {} | {} | {} | {} | | |\n",
        names.affected, names.selected, traced.selected, replayed.affected, replayed.selected
    );
    let mut bars = Vec::new();
    bars.extend(names.bars("by names", 2.0));
    bars.extend(traced.bars("by a trace", 1.5));
    bars.extend(replayed.bars("by a trace and replay", 1.5));
    bars.push(flakiness(&wrong, PYTHON.steps.len()));
    Ok(Section::with_bars(text, &bars))
}

/// The bar about what is blocked.
pub fn flakiness(wrong: &[String], commits: usize) -> Bar {
    Bar {
        what: format!(
            "commits of {commits} of which others are blocked than those that they make flaky"
        ),
        measured: match wrong.is_empty() {
            true => "0".to_owned(),
            false => wrong.join("; "),
        },
        bar: "0".to_owned(),
        kept: wrong.is_empty(),
    }
}
