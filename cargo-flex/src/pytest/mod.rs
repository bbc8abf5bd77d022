//! Running pytest, whose plugin pytest-flex does the work.

mod args;
mod cache;
mod python;

use std::process::Command;

use crate::exit::Failure;
pub use args::PytestArgs;
pub use cache::{CACHED_RECORD, CACHED_TRACE, Cached, in_caches};
pub use python::with_python;

/// The end of a session in which pytest could run its tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    Passed,
    Failed,
    NothingCollected,
}

/// Runs `python -m pytest` with what `add` adds to the command.
pub fn run_pytest(add: impl Fn(&mut Command)) -> Result<SessionEnd, Failure> {
    let status = with_python(|python| {
        let mut command = Command::new(python);
        command.args(["-m", "pytest"]);
        add(&mut command);
        command.status()
    });
    let status = status.map_err(|error| {
        Failure::build(
            format!("cannot run python: {error}"),
            "activate the environment that the tests run in",
        )
    })?;
    match status.code() {
        Some(0) => Ok(SessionEnd::Passed),
        Some(1) => Ok(SessionEnd::Failed),
        Some(5) => Ok(SessionEnd::NothingCollected),
        Some(4) => Err(Failure::input(
            "pytest did not understand its arguments; see above",
            "`pip install pytest-flex` brings the options of flex",
        )),
        _ => Err(Failure::build(
            format!("pytest could not run the tests ({status})"),
            "see above; `python -m pytest` must be able to collect them",
        )),
    }
}
