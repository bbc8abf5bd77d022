//! Repositories for what is measured, and what the gate answers there.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use flex_tests::history::{KnownTest, Step};
use serde_json::Value;

use crate::program::{json, list, text};

/// The last commit, beside the one before it.
pub const LAST: [&str; 3] = ["--commits", "HEAD~1", "HEAD"];

/// The functions of the tests that a command of the gate selects.
pub fn selected(command: &mut Command) -> Result<BTreeSet<String>, String> {
    let found = json(command)?;
    Ok(list(&found["tests"])
        .map(|test| function(&test["id"]))
        .collect())
}

/// The functions of the tests that the gate blocks.
pub fn blocked(command: &mut Command) -> Result<BTreeSet<String>, String> {
    let found = json(command)?;
    let tests = list(&found["tests"]).filter(|test| test["blocks"] == true);
    Ok(tests.map(|test| function(&test["test"])).collect())
}

/// The function of a test: what stands behind the file of a node id, or behind package and target.
fn function(id: &Value) -> String {
    let id = text(id);
    match id.split_once(".py::") {
        Some((_, function)) => function.replace("::", "."),
        None => id.rsplit(' ').next().unwrap_or_default().to_owned(),
    }
}

/// The tests that a commit affects; of stochastic ones those that it moves, if they are known by replay.
pub fn affected(step: &Step, tests: &[KnownTest], by_replay: bool) -> BTreeSet<String> {
    let is_affected = |test: &&KnownTest| match by_replay && test.is_stochastic {
        // A file that governs tests, such as one with settings, need not change what they do.
        true => step.moves.contains(&test.function),
        false => step.affects(test.function),
    };
    let found = tests.iter().filter(is_affected);
    found.map(|test| test.function.to_owned()).collect()
}

/// Names as a set.
pub fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// What went wrong with files or git, in words.
pub fn words(error: std::io::Error) -> String {
    error.to_string()
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::create_dir_all(to).map_err(words)?;
    for entry in std::fs::read_dir(from).map_err(words)? {
        let entry = entry.map_err(words)?;
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &to)?,
            false => {
                std::fs::copy(&path, &to).map_err(words)?;
            }
        }
    }
    Ok(())
}
