//! Running pytest, whose plugin pytest-flex does the work.

mod args;
mod cache;
pub mod environment;
mod node;
mod python;

use std::io::{self, Write};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use flex_run::watch::name_parent;

use crate::exit::Failure;
use crate::session::Interrupt;
pub use args::PytestArgs;
pub use cache::{CACHED_RECORD, CACHED_TRACE, Cached, FLEX_CACHE, in_caches, store_above};
pub use node::{has_test, is_case_of};
pub use python::with_python;

/// The end of a session in which pytest could run its tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    Passed,
    Failed,
    NothingCollected,
    /// What shards showed is not enough.
    MoreRuns,
    /// Somebody interrupted it.
    Interrupted,
    /// A run ended pytest itself: it crashed, or it hung and was ended.
    Ended,
}

/// Runs `python -m pytest` with what `add` adds to the command.
pub fn run_pytest(add: impl Fn(&mut Command)) -> Result<SessionEnd, Failure> {
    let interrupt = Interrupt::listen();
    let status = with_python(|python| {
        let mut command = Command::new(python);
        command.args(["-m", "pytest"]);
        add(&mut command);
        name_parent(&mut command);
        let mut child = command.spawn()?;
        wait(&mut child, &interrupt)
    });
    let status = status.map_err(|error| {
        Failure::build(
            format!("cannot run python: {error}"),
            "activate the environment that the tests run in",
        )
    })?;
    if interrupt.has_come() {
        return Ok(SessionEnd::Interrupted);
    }
    if is_by_itself(status) {
        writeln!(
            io::stderr(),
            "error: a run ended pytest itself ({status}): it hangs, or it crashed; see above"
        )?;
        return Ok(SessionEnd::Ended);
    }
    match status.code() {
        Some(0) => Ok(SessionEnd::Passed),
        Some(1) => Ok(SessionEnd::Failed),
        Some(5) => Ok(SessionEnd::NothingCollected),
        Some(6) => Ok(SessionEnd::MoreRuns),
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

/// Waits for pytest, which gets to know of an interruption that comes to this process alone.
fn wait(child: &mut Child, interrupt: &Interrupt) -> io::Result<ExitStatus> {
    let mut told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupt.has_come_here_only() && !told {
            told = true;
            terminate(child);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(unix)]
fn terminate(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};

    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // One that is gone has nothing left to be told.
        let _ = kill_process(pid, Signal::TERM);
    }
}

#[cfg(not(unix))]
fn terminate(_: &Child) {}

/// Whether a process was ended by a fault of its own, or by itself.
#[cfg(unix)]
fn is_by_itself(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;

    use rustix::process::Signal;

    let own = [
        Signal::ABORT,
        Signal::SEGV,
        Signal::BUS,
        Signal::ILL,
        Signal::FPE,
    ];
    let is_own = |signal: i32| own.iter().any(|own| own.as_raw() == signal);
    status.signal().is_some_and(is_own)
}

#[cfg(not(unix))]
fn is_by_itself(_: ExitStatus) -> bool {
    false
}
