//! Cargo's runner: this program, when cargo calls it in the place of a test program. It runs nothing, and says how it was
//! called: on standard output, among cargo's messages, since an environment may hold secrets and is not for a disk.
//!
//! What a program needs to run (the folder, `[env]` of cargo's configuration, the path of dynamic libraries) only cargo
//! knows, and it tells nobody but the runner.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::exit::Failure;

/// The variable that makes this program a runner.
pub const RUNNER: &str = "FLEX_RUNNER";

/// The variables of a build from a copy of the sources, of which the first is always there: no business of tests.
pub const OBSERVED: [&str; 4] = [
    "FLEX_OBSERVED_ROOT",
    "FLEX_OBSERVED_COPY",
    "FLEX_OBSERVED_HARNESS",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// What the line of a call begins with; no message of cargo does.
const CALL: &str = "flex runner call: ";

/// A call of the runner, which tells how cargo would run a test program.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunnerCall {
    pub exe: PathBuf,
    pub folder: PathBuf,
    /// The whole environment, as far as it is text.
    pub env: Vec<(String, String)>,
}

impl RunnerCall {
    /// Reads a line of standard output; `None` if it is no call.
    pub fn read(line: &str) -> Option<RunnerCall> {
        serde_json::from_str(line.strip_prefix(CALL)?).ok()
    }

    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let mut values = self.env.iter().filter(|(of, _)| of == name);
        values.next().map(|(_, value)| value.as_str())
    }

    fn of_this_process(exe: &OsStr) -> io::Result<Self> {
        let is_observed = std::env::var_os(OBSERVED[0]).is_some();
        let is_ours = |name: &OsStr| {
            name == RUNNER || is_observed && OBSERVED.iter().any(|ours| name == *ours)
        };
        let variables = std::env::vars_os().filter(|(name, _)| !is_ours(name));
        let text = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Ok(RunnerCall {
            exe: exe.into(),
            folder: std::env::current_dir()?,
            env: variables.filter_map(text).collect(),
        })
    }
}

/// Tells of the call if cargo calls this program to run a test program; `None` if it is not so.
pub fn act_as_runner(args: &[OsString]) -> Option<io::Result<()>> {
    let (Some(_), [_, exe, ..]) = (std::env::var_os(RUNNER), args) else {
        return None;
    };
    let tell = || {
        let call = serde_json::to_string(&RunnerCall::of_this_process(exe)?)?;
        writeln!(io::stdout(), "{CALL}{call}")
    };
    Some(tell())
}

/// The option that makes cargo call this program instead of test programs.
pub fn runner_option() -> Result<[OsString; 2], Failure> {
    let broken = |error: String| Failure::build(error, "are cargo and rustc installed?");
    let me =
        std::env::current_exe().map_err(|error| broken(format!("cannot find flex: {error}")))?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc)
        .arg("-vV")
        .output()
        .map_err(|error| broken(format!("cannot run {}: {error}", rustc.display())))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or_else(|| broken("`rustc -vV` names no host".to_owned()))?;
    // A JSON string is a TOML string too.
    let me = json!(me.to_string_lossy());
    Ok([
        "--config".into(),
        format!("target.{host}.runner=[{me}]").into(),
    ])
}
