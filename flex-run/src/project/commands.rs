//! The commands by which people run a test again.

use std::fmt::Write as _;
use std::time::Duration;

use flex_core::seed::SeedRequest;
use flex_core::words::quoted;

use super::duration::seconds;
use super::env;
use crate::model::{Runner, Test};

impl Test {
    /// The commands for a person who wants to run this test.
    pub fn commands(&self) -> Commands<'_> {
        Commands {
            runner: self.id.runner(),
            selection: &self.selection,
        }
    }
}

/// The commands that run one test again.
#[derive(Debug, Clone, Copy)]
pub struct Commands<'a> {
    /// Whoever runs it.
    pub runner: Runner,
    /// The arguments that run exactly this test.
    pub selection: &'a str,
}

impl Commands<'_> {
    /// The line that repeats a verdict, or one run.
    pub fn replay(&self, seed: &SeedRequest) -> String {
        let seed = quoted(&seed.to_string());
        let (bounds, selection) = (which_bounds(), self.selection);
        match self.runner {
            Runner::Pytest => format!("{bounds}pytest {selection} --flex-seed={seed}"),
            Runner::Cargo => format!("{}={seed} {bounds}cargo test {selection}", env::SEED),
        }
    }

    /// The same for a run that hangs, which is ended once more after this time.
    pub fn replay_within(&self, seed: &SeedRequest, timeout: Duration) -> String {
        let (replay, timeout) = (self.replay(seed), seconds(timeout));
        match self.runner {
            Runner::Pytest => format!("{replay} --flex-timeout={timeout}"),
            Runner::Cargo => format!("{}={timeout} {replay}", env::TIMEOUT),
        }
    }

    /// The line that learns the bounds of this test, without the command line of flex.
    pub fn calibrate(&self) -> String {
        let (bounds, selection) = (which_bounds(), self.selection);
        match self.runner {
            Runner::Pytest => format!("{bounds}pytest {selection} --flex=calibrate"),
            Runner::Cargo => format!("{}=calibrate {bounds}cargo test {selection}", env::MODE),
        }
    }

    /// The command that does the same with progress and options; pytest has its own.
    pub fn cargo_flex_calibrate(&self) -> Option<String> {
        match self.runner {
            Runner::Pytest => None,
            Runner::Cargo => {
                // Cargo's own options, and a filter that is no part of another name.
                let selection = self.selection.replace(" -- ", " ");
                Some(format!(
                    "{}cargo flex calibrate {selection}",
                    which_bounds()
                ))
            }
        }
    }
}

/// What else decides which bounds hold, for the front of a command.
fn which_bounds() -> String {
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
        let check = |runner, selection, replay: &str, calibrate: &str| {
            let commands = Commands { runner, selection };
            assert!(commands.replay(&seed).ends_with(replay));
            assert!(commands.calibrate().ends_with(calibrate));
            let is_pytest = runner == Runner::Pytest;
            assert_eq!(commands.cargo_flex_calibrate().is_none(), is_pytest);
        };
        check(
            Runner::Cargo,
            "-p sketch -- --exact a",
            "cargo test -p sketch -- --exact a",
            "cargo test -p sketch -- --exact a",
        );
        check(
            Runner::Pytest,
            "test_a.py::test_b",
            "pytest test_a.py::test_b --flex-seed=k3J9@calibrate:57",
            "pytest test_a.py::test_b --flex=calibrate",
        );
    }
}
