//! Processes that end with this one, whatever ends it: this program starts itself in their place, asks the kernel for a
//! signal at the death of its parent, and becomes them. Test programs that link flex look for themselves.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

/// The variable that names the process to be tied to; the program becomes another one if it is set.
const TIED_TO: &str = "FLEX_TIED_TO";

/// A command for a program that ends with this one, on Linux; elsewhere it is a command like any other.
pub fn tied(exe: &Path) -> Command {
    if !Path::new(ME).exists() {
        return Command::new(exe);
    }
    let mut command = Command::new(ME);
    command
        .arg(exe)
        .env(TIED_TO, std::process::id().to_string());
    command
}

/// This program on Linux, also once a newer one has been installed in its place.
const ME: &str = "/proc/self/exe";

/// Becomes the program that the arguments name, if this process is to; the error says why it cannot.
pub fn become_tied(args: &[OsString]) -> Option<io::Error> {
    let (Some(parent), [_, exe, rest @ ..]) = (std::env::var_os(TIED_TO), args) else {
        return None;
    };
    let mut command = Command::new(exe);
    command.args(rest).env_remove(TIED_TO);
    Some(replace_by(&mut command, &parent.to_string_lossy()))
}

#[cfg(target_os = "linux")]
fn replace_by(command: &mut Command, parent: &str) -> io::Error {
    use std::os::unix::process::{CommandExt as _, parent_id};

    use rustix::process::{Signal, set_parent_process_death_signal};

    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.into();
    }
    // It may have died before it was asked about.
    if parent_id().to_string() != parent {
        return io::Error::other("whoever started it is gone");
    }
    command.exec()
}

#[cfg(not(target_os = "linux"))]
fn replace_by(_: &mut Command, _: &str) -> io::Error {
    io::Error::from(io::ErrorKind::Unsupported)
}
