//! The end of the program: every expected failure, and its exit code.

use std::fmt;
use std::io;

/// The exit codes, for `--help`.
pub const TABLE: &str = "\
Exit codes:
  0   fine
  1   findings: a regression, a flaky test, a suspected bug
  2   wrong usage or unreadable input
  3   the build or the collection under test failed
  4   could not learn: refused, or no time was left, with a reason
  5   what shards showed is not enough: a plan says which runs are next
  70  a bug in flex, or output that cannot be written
  130 interrupted: what was finished is kept and reported";

/// The exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Fine = 0,
    Findings = 1,
    Usage = 2,
    Build = 3,
    Refused = 4,
    MoreRuns = 5,
    Internal = 70,
    Interrupted = 130,
}

/// An expected failure.
#[derive(Debug)]
pub enum Failure {
    /// The input cannot be used: what is wrong and where, and what to do.
    Input { error: String, hint: String },
    /// The code under test does not build, or its tests cannot be run.
    Build { error: String, hint: String },
    /// What was asked cannot be answered: why, and what to do.
    Refused { error: String, hint: String },
    /// Somebody wants the program to end.
    Interrupted,
    /// The answer cannot be written.
    Output(io::Error),
    /// Whoever reads the answer has seen enough, like `head`.
    SeenEnough,
    /// Called by cargo in the place of a test program, flex cannot write down how.
    Runner(io::Error),
    /// Started in the place of another program, flex cannot become it.
    Tied(io::Error),
    /// Flex panicked, which the panic has told.
    Bug,
}

impl Failure {
    /// What went wrong, in one line.
    pub fn first_line(&self) -> String {
        let words = self.to_string();
        let first = words.lines().next().unwrap_or_default();
        first.trim_start_matches("error: ").to_owned()
    }

    /// An input that cannot be used.
    pub fn input(error: impl ToString, hint: impl Into<String>) -> Self {
        Failure::Input {
            error: error.to_string(),
            hint: hint.into(),
        }
    }

    /// A build, or a run of tests, that is not possible.
    pub fn build(error: impl ToString, hint: impl Into<String>) -> Self {
        Failure::Build {
            error: error.to_string(),
            hint: hint.into(),
        }
    }

    /// A question that cannot be answered.
    pub fn refused(error: impl ToString, hint: impl Into<String>) -> Self {
        Failure::Refused {
            error: error.to_string(),
            hint: hint.into(),
        }
    }

    /// The same failure with another hint, for whoever knows more about what to do.
    pub fn with_hint(mut self, better: &str) -> Self {
        if let Failure::Input { hint, .. }
        | Failure::Build { hint, .. }
        | Failure::Refused { hint, .. } = &mut self
        {
            *hint = better.to_owned();
        }
        self
    }

    /// The exit code; `TABLE` documents them.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Input { .. } => Exit::Usage,
            Failure::Build { .. } => Exit::Build,
            Failure::Refused { .. } => Exit::Refused,
            Failure::Interrupted => Exit::Interrupted,
            Failure::Output(_) | Failure::Runner(_) | Failure::Tied(_) | Failure::Bug => {
                Exit::Internal
            }
            Failure::SeenEnough => Exit::Fine,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input { error, hint }
            | Failure::Build { error, hint }
            | Failure::Refused { error, hint } => {
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
            Failure::SeenEnough => Ok(()),
            Failure::Interrupted => writeln!(f, "interrupted"),
            Failure::Runner(error) => writeln!(f, "error: cannot note the test: {error}"),
            Failure::Tied(error) => writeln!(f, "error: cannot run the test: {error}"),
            Failure::Bug => writeln!(
                f,
                "error: this is a bug in flex; please report it with the lines above"
            ),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::SeenEnough,
            _ => Failure::Output(error),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_code_is_documented() {
        for exit in [
            Exit::Fine,
            Exit::Findings,
            Exit::Usage,
            Exit::Build,
            Exit::Refused,
            Exit::MoreRuns,
            Exit::Internal,
            Exit::Interrupted,
        ] {
            let row = format!("  {:<4}", exit as u8);
            assert!(TABLE.lines().any(|line| line.starts_with(&row)), "{exit:?}");
        }
    }

    #[test]
    fn a_closed_pipe_is_no_failure_of_ours() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(failure.exit(), Exit::Fine);
        assert_eq!(failure.to_string(), "");
        let failure = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(failure.exit(), Exit::Internal);
    }
}
