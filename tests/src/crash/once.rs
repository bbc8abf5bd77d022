//! Programs that write a bounds file once, at their end, killed there.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::strace::{Fault, Traced, calls, run};
use super::{Tally, temporary};

/// System calls by which a file is replaced.
const REPLACING: [&str; 5] = ["rename", "fsync", "fchmod", "fchown", "flock"];

/// Kills a program that updates a bounds file at the calls by which it does, in turn. The file is there already; each time
/// it must be what it was, or what it is when nobody kills the program.
pub fn kill(command: &Command, traced: Traced, file: &Path, kills: u64) -> Result<Tally, String> {
    let old = fs::read(file).map_err(said)?;
    let all = calls(command, traced).map_err(said)?;
    let new = fs::read(file).map_err(said)?;
    if old == new {
        return Err(format!("{command:?} changes nothing"));
    }
    let mut points = Vec::new();
    for call in REPLACING {
        let count = all.iter().filter(|(name, _)| name == call).count();
        points.extend((1..=count).map(|when| (call, when)));
    }
    if !points.contains(&("rename", 1)) {
        return Err(format!("{command:?} replaces no file"));
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut tally = Tally::default();
    let mut at = points.iter().cycle();
    while tally.kills < kills {
        let (call, when) = at.next().ok_or("there is nowhere to kill it")?;
        let fault = Fault {
            call: (*call).to_owned(),
            when: *when,
            what: "SIGKILL",
        };
        fs::write(file, &old).map_err(said)?;
        let output = run(command, traced, &fault).map_err(said)?;
        let now = fs::read(file).map_err(said)?;
        if output.status.code().is_some() {
            return Err(format!("{fault:?} does not kill it: {}", output.status));
        }
        tally.kills += 1;
        tally.left_behind += u64::from(!temporary(folder).is_empty());
        if now == old {
            tally.old += 1;
        } else if now == new {
            tally.new += 1;
        } else {
            let now = String::from_utf8_lossy(&now);
            return Err(format!("{fault:?}: {}\n{now}", output.status));
        }
    }
    Ok(tally)
}

fn said(error: io::Error) -> String {
    error.to_string()
}
