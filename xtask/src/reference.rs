//! `cargo xtask reference`: the parts of `docs/reference` that the code knows, written by the program itself; and
//! `cargo xtask pictures`: those of `docs/guide`.

use std::fs;
use std::path::PathBuf;

use xtask::process;

/// Writes all pages anew.
pub fn run() -> Result<(), String> {
    let folder = process::root().join("docs/reference");
    let entries = fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let pages = entries.flatten().map(|entry| entry.path()).filter(is_page);
    let words = [
        "run",
        "--quiet",
        "--package=cargo-flex",
        "--bin=flex-harness",
        "--",
    ];
    let mut command = process::cargo(&words);
    process::run(command.arg("reference").args(pages))
}

/// Draws all pictures anew.
pub fn pictures() -> Result<(), String> {
    let words = ["run", "--quiet", "--package=flex-tests", "--bin=pictures"];
    process::run(&mut process::cargo(&words))
}
