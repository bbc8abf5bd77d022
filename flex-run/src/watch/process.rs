//! A process and all that it starts: begun as a group, waited for, and ended together.

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How a process that was waited for ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessEnd {
    /// By itself.
    Itself(ExitStatus),
    /// It was ended, because its time was up.
    Late,
    /// It was ended, because nobody wants its answer any more.
    Stopped,
}

/// Lets a process be the first of a group, so that it can be ended with all that it starts.
pub fn in_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Waits for a process that is [`in_group`]; when the time is up or somebody says `stop`, its group is ended. Meanwhile
/// somebody may `look` how far it is.
pub fn wait(
    child: &mut Child,
    until: Option<Instant>,
    stop: &AtomicBool,
    look: &dyn Fn(),
) -> io::Result<ProcessEnd> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(ProcessEnd::Itself(status));
        }
        look();
        let now = Instant::now();
        let ended = if stop.load(Ordering::Relaxed) {
            ProcessEnd::Stopped
        } else if until.is_some_and(|until| now >= until) {
            ProcessEnd::Late
        } else {
            // A small part of what it has taken so far, so that nobody waits much longer than needed.
            let pause = (now - began) / 16;
            let pause = pause.clamp(Duration::from_micros(200), Duration::from_millis(20));
            std::thread::sleep(pause);
            continue;
        };
        end_group(child.id());
        child.kill()?;
        child.wait()?;
        return Ok(ended);
    }
}

/// Ends a process that is [`in_group`], and all that it started.
pub fn end_group(id: u32) {
    #[cfg(unix)]
    signal(&[format!("-{id}")]);
    #[cfg(not(unix))]
    let _ = id;
}

/// Ends this process; if it is [`in_group`], with all that it started.
pub(super) fn end_own_group() -> ! {
    #[cfg(unix)]
    for target in [
        format!("-{}", std::process::id()),
        std::process::id().to_string(),
    ] {
        signal(&[target]);
    }
    std::process::abort()
}

/// Ends all processes that this one started, and those that they started, where the system tells which those are.
pub fn end_children() {
    #[cfg(target_os = "linux")]
    signal(&descendants(std::process::id()));
}

/// The processes below this one.
#[cfg(target_os = "linux")]
fn descendants(id: u32) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let parent_of = |name: std::ffi::OsString| {
        let child: u32 = name.to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).ok()?;
        // Behind the name of the program, which may hold anything, stand its state and its parent.
        let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?;
        Some((child, parent.parse().ok()?))
    };
    let mut all: Vec<(u32, u32)> = Vec::new();
    for process in processes {
        all.extend(parent_of(process.file_name()));
    }
    let mut parents = vec![id];
    let mut below = Vec::new();
    while let Some(parent) = parents.pop() {
        for (child, of) in &all {
            if *of == parent {
                parents.push(*child);
                below.push(child.to_string());
            }
        }
    }
    below
}

/// Kills by the shell, which is on every Unix: the standard library can kill a child, and no group.
#[cfg(unix)]
fn signal(targets: &[String]) {
    if targets.is_empty() {
        return;
    }
    // What is gone cannot be ended, which is what was wanted.
    let _ = Command::new("sh")
        .args(["-c", "kill -s KILL -- \"$@\"", "sh"])
        .args(targets)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Longer than any machine takes to come to it.
    const LONG: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        in_group(command.args(["-c", script]));
        command
    }

    #[test]
    fn a_process_that_ends_is_waited_for() {
        let mut child = shell("exit 3").spawn().unwrap();
        let until = Some(Instant::now() + LONG);
        let ended = wait(&mut child, until, &AtomicBool::new(false), &|| {}).unwrap();
        assert!(matches!(ended, ProcessEnd::Itself(status) if status.code() == Some(3)));
    }

    #[test]
    fn a_process_is_ended_with_what_it_started() {
        for (until, stop, expected) in [
            (Some(Instant::now()), false, ProcessEnd::Late),
            (None, true, ProcessEnd::Stopped),
        ] {
            // The pipe closes when the last process that holds it is gone.
            let (mut reads, writes) = io::pipe().unwrap();
            let mut command = shell("sleep 600 & wait");
            let mut child = command.stdout(writes).spawn().unwrap();
            drop(command);
            let ended = wait(&mut child, until, &AtomicBool::new(stop), &|| {}).unwrap();
            assert_eq!(ended, expected);
            let mut rest = Vec::new();
            io::Read::read_to_end(&mut reads, &mut rest).unwrap();
        }
    }
}
