//! `flex-harness detect --pytest PATH`: the plugin pytest-flex makes the runs and writes the record; it is judged here.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

use flex_detect::record::Harness;

use super::args::{DetectArgs, Geweke};
use super::{RecordFile, say};
use crate::exit::{Exit, Failure};
use crate::pytest::{Words, pytest};

/// Where the plugin keeps its record, below the root that pytest finds.
const CACHED: &str = ".pytest_cache/d/flex/detect.json";

/// Lets pytest search what is at this path: a file, a folder or a node id.
pub fn run(path: &Path, args: &DetectArgs) -> Result<Exit, Failure> {
    let stated = match &args.record {
        Some(record) => {
            RecordFile::at(record.clone()).check(Harness::Pytest)?;
            Some(std::path::absolute(record).unwrap_or_else(|_| record.clone()))
        }
        None => None,
    };
    let known = in_caches(path);
    let status = pytest(|command| {
        command.arg(path).args(words(args, stated.as_deref()));
        // Standard output is for what was found.
        command.stdout(Stdio::from(io::stderr()));
    })?;
    let unwritten = || {
        Failure::build(
            "pytest left no record of what it saw",
            "see what it says above; if its cache is elsewhere or off, name a file with --record",
        )
    };
    let written = || {
        let is_new = |file: &(PathBuf, SystemTime)| !known.contains(file);
        let file = in_caches(path).into_iter().find(is_new);
        file.map(|(path, _)| path)
    };
    match status.code() {
        // Runs that fail are an answer.
        Some(0 | 1) => {
            let file = stated.or_else(written).ok_or_else(unwritten)?;
            let record = RecordFile::at(file).read()?;
            say(&record.ok_or_else(unwritten)?, args)
        }
        Some(4) => Err(Failure::input(
            "pytest did not understand its arguments; see above",
            "`pip install pytest-flex` brings the options of flex",
        )),
        Some(5) => Err(Failure::input(
            format!("{} holds no tests to search", path.display()),
            "check the path, and the expression after -k",
        )),
        _ => Err(Failure::build(
            format!("pytest could not run the tests ({status})"),
            "see above; `python -m pytest` must be able to collect them",
        )),
    }
}

/// The records in caches at or above the tests, the nearest first, with when they were written.
fn in_caches(tests: &Path) -> Vec<(PathBuf, SystemTime)> {
    let text = tests.to_string_lossy();
    // A node id begins with the file.
    let file = Path::new(text.split("::").next().unwrap_or_default());
    let start = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let record = |folder: &Path| {
        let path = folder.join(CACHED);
        let written = path.metadata().ok()?.modified().ok()?;
        Some((path, written))
    };
    start.ancestors().filter_map(record).collect()
}

/// Our options in the words of pytest.
fn words(args: &DetectArgs, record: Option<&Path>) -> Vec<String> {
    let mut words = Words::mode("record");
    words.option("flex-runs", Some(args.runs));
    words.option("flex-step", Some(args.step));
    words.option("flex-threshold", Some(args.threshold));
    words.option("flex-catch", Some(args.catch));
    words.option("flex-tail", args.tail);
    let paper = args.geweke == Geweke::Paper;
    words.option("flex-geweke", paper.then_some("paper"));
    words.option("flex-record", record.map(|path| path.display()));
    words.runs(
        args.max_runs,
        args.time_budget,
        args.seed.as_ref(),
        args.jobs,
    );
    words.flag("flex-fast", args.fast);
    words.flag("flex-tight", args.tight);
    words.about(args.keyword.as_deref(), &args.filters)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Cli {
        #[command(flatten)]
        args: DetectArgs,
    }

    #[test]
    fn options_are_said_in_the_words_of_pytest() {
        let check = |line: &str, record: Option<&str>, expected: &str| {
            let args = Cli::try_parse_from(line.split(' ')).unwrap().args;
            assert_eq!(words(&args, record.map(Path::new)).join(" "), expected);
        };
        let usual =
            "--flex=record --flex-runs=30 --flex-step=10 --flex-threshold=1 --flex-catch=0.02";
        // The environment may state a seed too, as our own test command does.
        check(
            "d --pytest tests --seed b",
            Some("r.json"),
            &format!("{usual} --flex-record=r.json --flex-seed=b"),
        );
        check(
            "d --pytest tests --seed c --geweke paper --max-runs 99 --tail 1e-4 --fast --time-budget 1m30s -k error",
            None,
            &format!(
                "{usual} --flex-tail=0.0001 --flex-geweke=paper --flex-max-runs=99 --flex-time-budget=90.000s --flex-seed=c --flex-fast -k error"
            ),
        );
        check(
            "d --pytest tests --seed c --tight --jobs 2 mean error",
            None,
            &format!("{usual} --flex-seed=c --numprocesses=2 --flex-tight -k mean or error"),
        );
    }
}
