//! `flex-harness calibrate --pytest PATH`: the same for tests of pytest. The plugin pytest-flex does all of it, and
//! pytest's exit code becomes ours.

use std::path::Path;

use super::CalibrateArgs;
use crate::exit::{Exit, Failure};
use crate::pytest::{Words, pytest};

/// Lets pytest calibrate what is at this path: a file, a folder or a node id.
pub fn run(path: &Path, args: &CalibrateArgs) -> Result<Exit, Failure> {
    let status = pytest(|command| {
        command.arg(path).args(words(args));
    })?;
    match status.code() {
        Some(0) => Ok(Exit::Fine),
        Some(1) => Ok(Exit::Findings),
        Some(4) => Err(Failure::input(
            "pytest did not understand its arguments; see above",
            "`pip install pytest-flex` brings the options of flex",
        )),
        Some(5) => Err(Failure::input(
            format!("{} holds no stochastic tests to calibrate", path.display()),
            "mark a test with @stochastic (pytest_flex.stochastic)",
        )),
        _ => Err(Failure::build(
            format!("pytest could not run the tests ({status})"),
            "see above; `python -m pytest` must be able to collect them",
        )),
    }
}

/// Our options in the words of pytest.
fn words(args: &CalibrateArgs) -> Vec<String> {
    let mut words = Words::mode(if args.check { "check" } else { "calibrate" });
    words.option("flex-runs", args.runs);
    words.runs(
        args.max_runs,
        args.time_budget,
        args.seed.as_ref(),
        args.jobs,
    );
    words.option("junit-xml", args.junit.as_ref().map(|path| path.display()));
    words.flag("flex-accept", args.accept);
    words.about(None, &args.filters)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Cli {
        #[command(flatten)]
        args: CalibrateArgs,
    }

    #[test]
    fn options_are_said_in_the_words_of_pytest() {
        let check = |line: &str, expected: &[&str]| {
            let args = Cli::try_parse_from(line.split(' ')).unwrap().args;
            assert_eq!(words(&args), expected);
        };
        // The environment may state a seed too, as our own test command does.
        check(
            "c --pytest tests --seed b",
            &["--flex=calibrate", "--flex-seed=b"],
        );
        check(
            "c --pytest tests --check --time-budget 1m30s --seed a --jobs 2",
            &[
                "--flex=check",
                "--flex-time-budget=90.000s",
                "--flex-seed=a",
                "--numprocesses=2",
            ],
        );
        check(
            "c --pytest tests --seed c --runs 50 --max-runs 99 --accept --junit a.xml mean error",
            &[
                "--flex=calibrate",
                "--flex-runs=50",
                "--flex-max-runs=99",
                "--flex-seed=c",
                "--junit-xml=a.xml",
                "--flex-accept",
                "-k",
                "mean or error",
            ],
        );
    }
}
