//! `flex-harness calibrate --pytest PATH`: the same for tests of pytest. The plugin pytest-flex does all of it, and
//! pytest's exit code becomes ours.

use std::path::Path;

use super::CalibrateArgs;
use crate::exit::{Exit, Failure};
use crate::python::pytest;

/// Lets pytest calibrate what is at this path: a file, a folder or a node id.
pub fn run(path: &Path, args: &CalibrateArgs) -> Result<Exit, Failure> {
    let status = pytest(|command| {
        command.arg(path).args(words(args));
    })?;
    match status.code() {
        Some(0) => Ok(Exit::Fine),
        Some(1) => Ok(Exit::Findings),
        Some(4) => Err(Failure::Input {
            error: "pytest did not understand its arguments; see above".to_owned(),
            hint: "`pip install pytest-flex` brings the options of flex".to_owned(),
        }),
        Some(5) => Err(Failure::Input {
            error: format!("{} holds no stochastic tests to calibrate", path.display()),
            hint: "mark a test with @stochastic (pytest_flex.stochastic)".to_owned(),
        }),
        _ => Err(Failure::Build {
            error: format!("pytest could not run the tests ({status})"),
            hint: "see above; `python -m pytest` must be able to collect them".to_owned(),
        }),
    }
}

/// Our options in the words of pytest.
fn words(args: &CalibrateArgs) -> Vec<String> {
    let mode = if args.check { "check" } else { "calibrate" };
    let mut words = vec![format!("--flex={mode}")];
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name}={value}")));
    };
    option("flex-runs", args.runs.map(|runs| runs.to_string()));
    option("flex-max-runs", args.max_runs.map(|runs| runs.to_string()));
    let seconds = args.time_budget.map(|time| time.as_secs_f64());
    option("flex-time-budget", seconds.map(|s| format!("{s:.3}s")));
    option("flex-seed", args.seed.as_ref().map(ToString::to_string));
    option("numprocesses", args.jobs.map(|jobs| jobs.to_string()));
    let junit = args.junit.as_ref();
    option("junit-xml", junit.map(|path| path.display().to_string()));
    if args.accept {
        words.push("--flex-accept".to_owned());
    }
    if !args.filters.is_empty() {
        words.extend(["-k".to_owned(), args.filters.join(" or ")]);
    }
    words
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
