//! Writers that do nothing but write.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use flex_run::store::Store;

use super::{Tally, counted, temporary};

/// A comment that every update must leave alone.
const COMMENT: &str = "# Kept by whoever writes.\n";

/// Kills writers in the middle of their work, one after the other, in this empty folder.
pub fn kill(writer: &Path, folder: &Path, kills: u64) -> Result<Tally, String> {
    let file = folder.join("flex-bounds.toml");
    fs::write(&file, format!("version = 2\n{COMMENT}")).map_err(said)?;
    let mut tally = Tally::default();
    let mut last = 0;
    for kill in 0..kills {
        let mut child = start(writer, &file, "t", None).map_err(said)?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        // From its first number on it is in the middle of an update, or of saying that one is done.
        let first = lines.by_ref().map_while(Result::ok).nth(1);
        let first: u32 = number(&first.ok_or("a writer ended by itself")?)?;
        // 7919 is prime, so the moments spread over two milliseconds.
        thread::sleep(Duration::from_micros(kill * 7919 % 2000));
        child.kill().map_err(said)?;
        let status = child.wait().map_err(said)?;
        if status.code().is_some() {
            return Err(format!("a writer ended by itself: {status}"));
        }
        let mut acknowledged = first;
        for line in lines.map_while(Result::ok) {
            acknowledged = number(&line)?;
        }
        if first != last + 1 {
            return Err(format!("{first} was written after {last}"));
        }
        tally.kills += 1;
        tally.left_behind += u64::from(!temporary(folder).is_empty());
        last = count(&file, "t")?;
        match last.checked_sub(acknowledged) {
            Some(0) => tally.old += 1,
            Some(1) => tally.new += 1,
            _ => return Err(format!("{acknowledged} was acknowledged, {last} is there")),
        }
        let text = fs::read_to_string(&file).map_err(said)?;
        if text.matches(COMMENT).count() != 1 {
            return Err(format!("the comment is not there once:\n{text}"));
        }
    }
    let status = start(writer, &file, "t", Some(1)).and_then(|mut child| child.wait());
    if !status.map_err(said)?.success() || !temporary(folder).is_empty() {
        return Err("the next writer does not clear away what is left behind".to_owned());
    }
    Ok(tally)
}

/// Lets so many writers update a file at once, so many times each, besides whatever else writes; all must be there.
pub fn crowd(
    writer: &Path,
    file: &Path,
    (writers, updates): (u32, u32),
    meanwhile: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let names: Vec<String> = (0..writers).map(|writer| format!("w{writer}")).collect();
    let children = names.iter();
    let children = children.map(|name| start(writer, file, name, Some(updates)));
    let children: Vec<Child> = children.collect::<io::Result<_>>().map_err(said)?;
    let others = meanwhile();
    for child in children {
        let output = child.wait_with_output().map_err(said)?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    for name in names {
        let counted = count(file, &name)?;
        if counted != updates {
            return Err(format!(
                "{name} wrote {updates} times, and {counted} is there"
            ));
        }
    }
    others
}

/// Starts a writer of this name.
fn start(writer: &Path, file: &Path, name: &str, count: Option<u32>) -> io::Result<Child> {
    Command::new(writer)
        .arg(file)
        .arg(name)
        .args(count.map(|count| count.to_string()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// The number that a writer came to, by the file.
fn count(file: &Path, name: &str) -> Result<u32, String> {
    let read = Store::at(file).read().map_err(|error| error.to_string())?;
    Ok(counted(&read, name)?.unwrap_or(0))
}

fn number(line: &str) -> Result<u32, String> {
    line.parse().map_err(|_| format!("`{line}` is no number"))
}

fn said(error: io::Error) -> String {
    error.to_string()
}
