//! A test as a plain value: all that judging and calibrating it need to know, whatever language it is written in.

use std::fmt::Write as _;

use flex_bounds::options::Options;
use flex_bounds::suite::SuiteBudget;
use flex_core::seed::SeedRequest;
use flex_core::words::quoted;

use crate::project::env;

/// A test, as the process that runs it knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct TestRecord {
    /// The package; nothing for pytest.
    pub package: String,
    /// The cargo target; `None` for pytest.
    pub target: Option<String>,
    /// The path without the crate; for pytest the node id.
    pub name: String,
    /// The hash of its source.
    pub fingerprint: String,
    /// The arguments of `cargo test`, or of `pytest`, that run exactly this test.
    pub selection: String,
    /// The source file and the line, as the compiler names them.
    pub place: String,
    /// What is asked of it, by its source or else by the project.
    pub options: Options,
    /// What a run of the whole suite may spend, where the project says so.
    pub suite: Option<SuiteBudget>,
}

impl TestRecord {
    /// The words for a person who wants to run this test.
    pub fn commands(&self) -> Commands<'_> {
        Commands {
            is_pytest: self.target.is_none(),
            selection: &self.selection,
        }
    }
}

/// The commands that run one test again.
#[derive(Debug, Clone, Copy)]
pub struct Commands<'a> {
    /// Whether it is a test of pytest.
    pub is_pytest: bool,
    /// The arguments that run exactly this test.
    pub selection: &'a str,
}

impl Commands<'_> {
    /// The line that repeats a verdict, or one run.
    pub fn replay(&self, seed: &SeedRequest) -> String {
        let seed = quoted(&seed.to_string());
        let (bounds, selection) = (which_bounds(), self.selection);
        match self.is_pytest {
            true => format!("{bounds}pytest {selection} --flex-seed={seed}"),
            false => format!("{}={seed} {bounds}cargo test {selection}", env::SEED),
        }
    }

    /// The line that learns the bounds of this test, without the command line of flex.
    pub fn calibrate(&self) -> String {
        let (bounds, selection) = (which_bounds(), self.selection);
        match self.is_pytest {
            true => format!("{bounds}pytest {selection} --flex=calibrate"),
            false => format!("{}=calibrate {bounds}cargo test {selection}", env::MODE),
        }
    }

    /// The command that does the same with progress and options; pytest has its own.
    pub fn cargo_flex_calibrate(&self) -> Option<String> {
        // Cargo's own options, and a filter that is no part of another name.
        let selection = self.selection.replace(" -- ", " ");
        (!self.is_pytest).then(|| format!("{}cargo flex calibrate {selection}", which_bounds()))
    }
}

/// What else decides which bounds hold, for the front of a command.
pub fn which_bounds() -> String {
    let mut words = String::new();
    for name in [env::BOUNDS, env::VARIANT] {
        if let Ok(value) = std::env::var(name)
            && !value.is_empty()
        {
            let _ = write!(words, "{name}={} ", quoted(&value));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runner_has_its_own_words() {
        let seed: SeedRequest = "k3J9@calibrate:57".parse().unwrap();
        let check = |is_pytest, selection, replay: &str, calibrate: &str| {
            let commands = Commands {
                is_pytest,
                selection,
            };
            assert!(commands.replay(&seed).ends_with(replay));
            assert!(commands.calibrate().ends_with(calibrate));
            assert_eq!(commands.cargo_flex_calibrate().is_none(), is_pytest);
        };
        check(
            false,
            "-p sketch -- --exact a",
            "cargo test -p sketch -- --exact a",
            "cargo test -p sketch -- --exact a",
        );
        check(
            true,
            "test_a.py::test_b",
            "pytest test_a.py::test_b --flex-seed=k3J9@calibrate:57",
            "pytest test_a.py::test_b --flex=calibrate",
        );
    }
}
