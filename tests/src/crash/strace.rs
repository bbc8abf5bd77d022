//! Programs under strace, which fails a system call of theirs or kills them there.

use std::ffi::OsStr;
use std::io;
use std::process::{Command, Output, Stdio};

/// Returns true if strace is there and may be used.
pub fn is_usable() -> bool {
    let tried = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}

/// Which threads of a program are traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traced {
    /// The one that it begins with.
    First,
    /// All of them, and those of programs that it starts.
    All,
}

impl Traced {
    fn options(self) -> &'static [&'static str] {
        match self {
            Traced::First => &["-qq"],
            Traced::All => &["-qq", "-f"],
        }
    }
}

/// A system call of a program, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The name of the call.
    pub call: String,
    /// Which of the calls of this name it is, counted from 1.
    pub when: usize,
    /// The name of an error, or `SIGKILL`.
    pub what: &'static str,
}

impl Fault {
    fn option(&self) -> String {
        let Fault { call, when, what } = self;
        let kind = if what.starts_with("SIG") {
            "signal"
        } else {
            "error"
        };
        format!("inject={call}:{kind}={what}:when={when}")
    }
}

/// Runs a command to its end, with a fault in it.
pub fn run(command: &Command, traced: Traced, fault: &Fault) -> io::Result<Output> {
    let trace = format!("trace={}", fault.call);
    let inject = fault.option();
    let options = ["-o", "/dev/null", "-e", &trace, "-e", &inject];
    wrapped(command, traced, options).output()
}

/// The names of all system calls that a command makes, in order, each with the text of its arguments.
pub fn calls(command: &Command, traced: Traced) -> io::Result<Vec<(String, String)>> {
    let log = tempfile::NamedTempFile::new()?;
    let path = log.path().to_string_lossy().into_owned();
    let options = ["-s", "16", "-o", &path];
    let output = wrapped(command, traced, options).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("{command:?}: {said}")));
    }
    let text = std::fs::read_to_string(log.path())?;
    let parsed = text.lines().filter_map(|line| {
        // A line is like `1234 openat(AT_FDCWD, "file", O_RDONLY) = 3`, with the thread where there may be several.
        let call = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let (name, arguments) = call.split_once('(')?;
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then(|| (name.to_owned(), arguments.to_owned()))
    });
    Ok(parsed.collect())
}

/// The same command under strace.
fn wrapped<'a>(
    command: &Command,
    traced: Traced,
    options: impl IntoIterator<Item = &'a str>,
) -> Command {
    let mut strace = Command::new("strace");
    strace.args(traced.options()).args(options);
    strace.arg(command.get_program());
    strace.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        strace.current_dir(folder);
    }
    // What a program finds out about its terminal must not depend on who runs the tests.
    strace.stdin(Stdio::null()).env("TERM", OsStr::new("dumb"));
    strace
}
