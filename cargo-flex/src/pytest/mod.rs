//! Finding python, and running pytest with it, in its own words.

use std::io;
use std::num::NonZero;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use flex_core::seed::SeedRequest;

use crate::exit::Failure;

/// Runs `python -m pytest` with what `add` adds; `python3` where there is no `python`.
pub fn pytest(add: impl Fn(&mut Command)) -> Result<ExitStatus, Failure> {
    let with = |python: &str| {
        let mut command = Command::new(python);
        command.args(["-m", "pytest"]);
        add(&mut command);
        command.status()
    };
    let status = match with("python") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => with("python3"),
        started => started,
    };
    status.map_err(|error| {
        Failure::build(
            format!("cannot run python: {error}"),
            "activate the environment that the tests run in",
        )
    })
}

/// Our options in the words of pytest.
pub struct Words(Vec<String>);

impl Words {
    /// The words for a mode of the plugin.
    pub fn mode(mode: &str) -> Self {
        Words(vec![format!("--flex={mode}")])
    }

    /// `--name=value`, if there is a value.
    pub fn option(&mut self, name: &str, value: Option<impl ToString>) {
        let option = value.map(|value| format!("--{name}={}", value.to_string()));
        self.0.extend(option);
    }

    /// `--name`, if it is wanted.
    pub fn flag(&mut self, name: &str, is_wanted: bool) {
        self.0.extend(is_wanted.then(|| format!("--{name}")));
    }

    /// What limits the runs, decides their seeds and spreads them.
    pub fn runs(
        &mut self,
        most: Option<u32>,
        time: Option<Duration>,
        seed: Option<&SeedRequest>,
        jobs: Option<NonZero<usize>>,
    ) {
        self.option("flex-max-runs", most);
        let seconds = time.map(|time| format!("{:.3}s", time.as_secs_f64()));
        self.option("flex-time-budget", seconds);
        self.option("flex-seed", seed);
        self.option("numprocesses", jobs);
    }

    /// The words, and which tests they are about: an expression of pytest's, or names.
    pub fn about(mut self, expression: Option<&str>, names: &[String]) -> Vec<String> {
        let names = (!names.is_empty()).then(|| names.join(" or "));
        if let Some(expression) = expression.map(str::to_owned).or(names) {
            self.0.extend(["-k".to_owned(), expression]);
        }
        self.0
    }
}
