//! The environment of what is measured: nothing that whoever measures has set for tests of their own.

use std::path::Path;
use std::process::Command;

use xtask::python::Python;

/// Takes the variables of flex, and options of pytest, out of the environment of a program.
pub fn undisturbed(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FLEX_") || name == "PYTEST_ADDOPTS" {
            command.env_remove(&name);
        }
    }
    command
}

/// Python in a folder. The order of hashes is a part of what is measured.
pub fn python_in(folder: &Path, python: &Python, words: &[&str]) -> Command {
    let mut command = python.run(words);
    undisturbed(&mut command)
        .current_dir(folder)
        .env("PYTHONHASHSEED", "1");
    command
}
