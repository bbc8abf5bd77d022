//! `flex-harness calibrate --pytest PATH`: the same for tests of pytest. The plugin pytest-flex does all of it, and
//! pytest's exit code becomes ours.

use std::path::Path;

use super::args::CalibrateArgs;
use crate::exit::{Exit, Failure};
use crate::history;
use crate::pytest::{PytestArgs, SessionEnd, run_pytest};

/// Lets pytest calibrate what is at this path: a file, a folder or a node id.
pub fn run(path: &Path, args: &CalibrateArgs) -> Result<Exit, Failure> {
    let history = match &args.with_history {
        Some(Some(stated)) => Some(stated.clone()),
        Some(None) => history::stated(&[])?.pop(),
        None => None,
    };
    let end = run_pytest(|command| {
        let history = history.as_deref();
        command.arg(path).args(options(args, history));
    })?;
    match end {
        SessionEnd::Passed => Ok(Exit::Fine),
        SessionEnd::Failed | SessionEnd::Ended => Ok(Exit::Findings),
        SessionEnd::Interrupted => Ok(Exit::Interrupted),
        SessionEnd::MoreRuns => Ok(Exit::MoreRuns),
        SessionEnd::NothingCollected => Err(Failure::input(
            format!("{} holds no stochastic tests to calibrate", path.display()),
            "mark a test with @stochastic (pytest_flex.stochastic)",
        )),
    }
}

/// The options, as pytest takes them.
fn options(args: &CalibrateArgs, history: Option<&Path>) -> Vec<String> {
    let mut options = PytestArgs::mode(if args.check { "check" } else { "calibrate" });
    options.option("flex-runs", args.runs);
    options.runs(
        args.max_runs,
        args.time_budget,
        args.seed.as_ref(),
        args.jobs,
    );
    options.timeout(args.timeout);
    options.option("junit-xml", args.junit.as_ref().map(|path| path.display()));
    options.flag("flex-accept", args.accept);
    options.flag("flex-full", args.full);
    options.option("flex-with-history", history.map(Path::display));
    options.shards(&args.shards);
    options.of_tests(None, &args.filters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::options_of;

    #[test]
    fn options_are_worded_for_pytest() {
        let check = |line: &str, expected: &[&str]| {
            let args = options_of(line);
            assert_eq!(options(&args, None), expected);
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
            "c --pytest tests --seed b --shard 3/16 --out d",
            &[
                "--flex=calibrate",
                "--flex-seed=b",
                "--flex-shard=3/16",
                "--flex-out=d",
            ],
        );
        check(
            "c --pytest tests --seed b --from a --from b --plan p",
            &[
                "--flex=calibrate",
                "--flex-seed=b",
                "--flex-from=a:b",
                "--flex-plan=p",
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
