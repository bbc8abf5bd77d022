//! Every system call of one update, failed in turn.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::strace::{Fault, Traced, calls, run};
use super::{counted, temporary};

/// What becomes of each call.
const FAULTS: [&str; 5] = ["EIO", "ENOSPC", "EACCES", "EINTR", "SIGKILL"];

/// How updates with a fault ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Endings {
    /// System calls of an update.
    pub calls: u64,
    /// Updates that were acknowledged all the same; the file is new.
    pub acknowledged: u64,
    /// Updates that were refused with an error; the file is the old one.
    pub refused: u64,
    /// Updates that were killed and had not replaced the file.
    pub killed_before: u64,
    /// Updates that were killed and had.
    pub killed_after: u64,
}

/// Fails every system call of an update in this empty folder, in each way.
pub fn each_call(writer: &Path, folder: &Path) -> Result<Endings, String> {
    let file = folder.join("flex-bounds.toml");
    let mut command = Command::new(writer);
    command.arg(&file).arg("t").arg("1");
    // What is there before, with a comment; and what one update makes of it.
    let by_hand = "version = 2\n# By hand.\n";
    fs::write(&file, by_hand).map_err(said)?;
    calls(&command, Traced::First).map_err(said)?;
    let old = fs::read(&file).map_err(said)?;
    let all = calls(&command, Traced::First).map_err(said)?;
    let new = fs::read(&file).map_err(said)?;
    let is_said =
        |(call, text): &(String, String), words: &str| call == "write" && text.starts_with(words);
    let begin = all.iter().position(|call| is_said(call, "1, \"ready"));
    let begin = begin.ok_or("the writer does not say that it begins")? + 1;
    let end = all.iter().position(|call| is_said(call, "1, \"2\\n"));
    let end = end.ok_or("the writer does not say that it is done")?;

    let mut endings = Endings {
        calls: (end - begin) as u64,
        ..Endings::default()
    };
    for at in begin..end {
        let (call, _) = &all[at];
        let when = all[..=at].iter().filter(|(name, _)| name == call).count();
        for what in FAULTS {
            let fault = Fault {
                call: call.clone(),
                when,
                what,
            };
            fs::write(&file, &old).map_err(said)?;
            let output = run(&command, Traced::First, &fault).map_err(said)?;
            let now = fs::read(&file).map_err(said)?;
            let is_acknowledged = String::from_utf8_lossy(&output.stdout).contains("\n2\n");
            match (is_acknowledged, output.status.code()) {
                (true, _) if now == new => endings.acknowledged += 1,
                (false, Some(_)) if now == old => endings.refused += 1,
                (false, None) if now == old => endings.killed_before += 1,
                (false, None) if now == new => endings.killed_after += 1,
                _ => {
                    let [err, now] = [&output.stderr, &now].map(|it| String::from_utf8_lossy(it));
                    return Err(format!(
                        "{fault:?}: {}, acknowledged: {is_acknowledged}\n{err}\nthe file:\n{now}",
                        output.status
                    ));
                }
            }
        }
    }
    // Nothing that was left behind is in the way of the next.
    fs::write(&file, &old).map_err(said)?;
    calls(&command, Traced::First).map_err(said)?;
    let read = String::from_utf8(fs::read(&file).map_err(said)?).unwrap_or_default();
    let read = read.parse().map_err(|error| format!("{error}"))?;
    if counted(&read, "t")? != Some(2) || !temporary(folder).is_empty() {
        return Err(format!("left behind: {:?}", temporary(folder)));
    }
    Ok(endings)
}

fn said(error: io::Error) -> String {
    error.to_string()
}
