//! Finding python, and running pytest with it.

use std::io;
use std::process::{Command, ExitStatus};

use crate::exit::Failure;

/// Runs `python -m pytest` with what `add` adds; `python3` where there is no `python`.
pub fn pytest(add: impl Fn(&mut Command)) -> Result<ExitStatus, Failure> {
    let with = |python: &str| {
        let mut command = Command::new(python);
        command.args(["-m", "pytest"]);
        add(&mut command);
        command.status()
    };
    let status = match with("python") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => with("python3"),
        started => started,
    };
    status.map_err(|error| Failure::Build {
        error: format!("cannot run python: {error}"),
        hint: "activate the environment that the tests run in".to_owned(),
    })
}
