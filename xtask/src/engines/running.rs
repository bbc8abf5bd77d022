//! A process of a cluster, which is ended when nobody needs it any more.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that ends with this value.
#[derive(Debug)]
pub struct Running {
    child: Child,
    ends_with_input: bool,
}

impl Running {
    /// Starts it; what it says goes into this file.
    pub fn start(command: &mut Command, said: &Path) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        let mut start = || -> std::io::Result<Child> {
            let output = File::create(said)?;
            command
                .stdin(Stdio::piped())
                .stderr(output.try_clone()?)
                .stdout(output)
                .spawn()
        };
        let child = start().map_err(|error| format!("cannot run {name}: {error}"))?;
        Ok(Running {
            child,
            ends_with_input: false,
        })
    }

    /// The same, which ends itself at the end of its input.
    pub fn ending_with_input(mut self) -> Self {
        self.ends_with_input = true;
        self
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, as a machine that loses its power.
    pub fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until it has ended, for so long at most.
    fn has_ended_within(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        if !self.ends_with_input {
            let id = self.child.id().to_string();
            let _ = Command::new("kill").args(["-TERM", &id]).status();
        }
        if !self.has_ended_within(Duration::from_secs(20)) {
            self.kill();
        }
    }
}

/// Waits until something holds that a cluster does when it is up.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) -> Result<(), String> {
    let until = Instant::now() + Duration::from_secs(60);
    while !holds() {
        if Instant::now() > until {
            return Err(format!("{what} is not up after a minute"));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// All processes.
pub fn processes() -> impl Iterator<Item = u32> {
    let found = fs::read_dir("/proc").into_iter().flatten().flatten();
    found.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// What the system tells of a process, if it is there.
pub fn read(id: u32, what: &str) -> Vec<u8> {
    fs::read(format!("/proc/{id}/{what}")).unwrap_or_default()
}

/// Who started a process.
pub fn parent(id: u32) -> Option<u32> {
    let status = String::from_utf8_lossy(&read(id, "status")).into_owned();
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok()
}

/// Ends a process at once; it may have ended by itself.
pub fn kill(id: u32) {
    let id = id.to_string();
    let _ = Command::new("kill").args(["-KILL", &id]).status();
}
