//! The process that started this one: when it is gone, nobody reads what runs show, and nobody ends them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::process::end_own_group;
use super::thread::look_regularly;
use crate::project::env;

/// How often a process looks whether its parent is there.
const PAUSE: Duration = Duration::from_millis(500);

/// Tells a process whose child it is, so that it ends with its parent.
pub fn name_parent(command: &mut Command) -> &mut Command {
    command.env(env::PARENT, std::process::id().to_string())
}

/// Ends this process, and what it started, when the one that started it is gone.
pub fn follow_parent(parent: u32) {
    let is_there: fn(u32) -> bool = match is_parent(parent) {
        true => is_parent,
        // A program between the two, such as one that finds the interpreter.
        false => is_alive,
    };
    look_regularly(move |_| match is_there(parent) {
        true => PAUSE,
        false => end_own_group(),
    });
}

#[cfg(unix)]
fn is_parent(parent: u32) -> bool {
    std::os::unix::process::parent_id() == parent
}

#[cfg(not(unix))]
fn is_parent(_: u32) -> bool {
    true
}

/// Whether a process is there, as far as the system tells.
fn is_alive(process: u32) -> bool {
    match cfg!(target_os = "linux") {
        true => Path::new(&format!("/proc/{process}")).exists(),
        false => true,
    }
}
