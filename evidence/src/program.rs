//! The command line of flex on real tests: starting it, and reading what it answers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use xtask::process::{output, target};
use xtask::python::Python;

use crate::environment::undisturbed;
use crate::project::build_flex;
use crate::pytest::with_plugin;

/// Builds our program, and the environment of Python that it is measured in.
pub fn prepare() -> Result<Python, String> {
    build_flex()?;
    with_plugin()
}

/// The path of our program.
pub fn path() -> PathBuf {
    target().join("release/flex-harness")
}

/// Returns our program in a folder with tests of pytest, where `python` is that of an environment.
pub fn in_environment(python: &Python, folder: &Path) -> Command {
    let mut command = Command::new(path());
    let bin = python
        .exe
        .parent()
        .expect("an interpreter lies in a folder");
    let known = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&known));
    undisturbed(&mut command)
        .current_dir(folder)
        .env("PATH", std::env::join_paths(paths).unwrap_or_default())
        // The order of hashes is a part of what is measured.
        .env("PYTHONHASHSEED", "1");
    command
}

/// Makes an empty folder under the target folder.
pub fn fresh_folder(path: &str) -> Result<PathBuf, String> {
    let folder = target().join(path);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    Ok(folder)
}

/// Returns what a command answers as JSON; findings are an answer too.
pub fn json(command: &mut Command) -> Result<Value, String> {
    let Output {
        status,
        stdout,
        stderr,
    } = output(command)?;
    if !matches!(status.code(), Some(0 | 1)) {
        let said = String::from_utf8_lossy(&stderr).into_owned();
        return Err(format!("{command:?} failed ({status}):\n{said}"));
    }
    serde_json::from_slice(&stdout).map_err(|error| format!("{command:?}: {error}"))
}

/// The elements of a list.
pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
