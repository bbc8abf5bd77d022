//! How the program ends: every expected error and its exit code (DESIGN §6).

use std::fmt;
use std::io;

/// The exit codes, for `--help`.
pub const TABLE: &str = "\
Exit codes:
  0   fine
  1   findings: a regression, a flaky test, a suspected bug
  2   wrong usage or unreadable input
  3   the build or the collection under test failed
  4   could not learn: refused, with a reason
  70  a bug in flex, or output that cannot be written";

/// The exit codes that commands use so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Fine = 0,
    Findings = 1,
    Usage = 2,
    Build = 3,
    Refused = 4,
    Internal = 70,
}

/// An expected failure.
#[derive(Debug)]
pub enum Failure {
    /// The input cannot be used: what is wrong and where, and what to do.
    Input { error: String, hint: String },
    /// The code under test does not build, or its tests cannot be run.
    Build { error: String, hint: String },
    /// The answer cannot be written.
    Output(io::Error),
}

impl Failure {
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Input { .. } => Exit::Usage,
            Failure::Build { .. } => Exit::Build,
            Failure::Output(_) => Exit::Internal,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input { error, hint } | Failure::Build { error, hint } => {
                writeln!(f, "error: {error}")?;
                writeln!(f, "hint: {hint}")
            }
            Failure::Output(error) => {
                writeln!(f, "error: cannot write the answer: {error}")?;
                writeln!(
                    f,
                    "hint: is the disk full, or the other end of the pipe gone?"
                )
            }
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Failure::Output(error.into())
    }
}
