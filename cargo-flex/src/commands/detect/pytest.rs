//! `flex-harness detect --pytest PATH`: the plugin pytest-flex makes the runs and writes the record; it is judged here.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::SystemTime;

use flex_run::model::Runner;

use super::args::{DetectArgs, Geweke, SearchOrder};
use super::findings::say;
use crate::exit::{Exit, Failure};
use crate::pytest::{CACHED_RECORD, CACHED_TRACE, Cached, PytestArgs, SessionEnd, run_pytest};
use crate::record::file::RecordFile;

/// Lets pytest search what is at this path: a file, a folder or a node id.
pub fn run(path: &Path, args: &DetectArgs) -> Result<Exit, Failure> {
    let stated = match &args.record {
        Some(record) => {
            RecordFile::at(record.clone()).check(Runner::Pytest)?;
            Some(std::path::absolute(record).unwrap_or_else(|_| record.clone()))
        }
        None => None,
    };
    let cached = Cached::before(path, CACHED_RECORD);
    let makes_runs = args.shards.from.is_empty();
    if args.order == SearchOrder::SmallestFirst
        && makes_runs
        && durations_are_unknown(&cached, path, stated.as_deref())
    {
        trace(path, args)?;
    }
    let known = stated.as_deref().and_then(written_at);
    let end = run_pytest(|command| {
        command.arg(path).args(options(args, stated.as_deref()));
        // Standard output is for what was found.
        command.stdout(Stdio::from(io::stderr()));
    })?;
    // Runs that fail are an answer.
    match end {
        SessionEnd::MoreRuns => return Ok(Exit::MoreRuns),
        SessionEnd::Passed if args.shards.making.shard.is_some() => return Ok(Exit::Fine),
        SessionEnd::Failed if args.shards.making.shard.is_some() => return Ok(Exit::Findings),
        _ => {}
    }
    if end == SessionEnd::NothingCollected {
        return Err(Failure::input(
            format!("{} holds no tests to search", path.display()),
            "check the path, and the expression after -k",
        ));
    }
    if end == SessionEnd::Ended {
        return Ok(Exit::Findings);
    }
    let unwritten = || {
        Failure::build(
            "pytest left no record of what it saw",
            "see what it says above; if its cache is elsewhere or off, name a file with --record",
        )
    };
    let file = match stated {
        Some(file) => Some(file.clone()).filter(|_| written_at(&file) != known),
        None => cached.written(),
    };
    let record = match file {
        Some(file) => RecordFile::at(file).read()?,
        None => None,
    };
    match (record, end) {
        (Some(record), SessionEnd::Interrupted) => {
            say(&record, args)?;
            Ok(Exit::Interrupted)
        }
        (None, SessionEnd::Interrupted) => Ok(Exit::Interrupted),
        (record, _) => say(&record.ok_or_else(unwritten)?, args),
    }
}

/// When a file was written, if it is there.
fn written_at(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

/// Whether neither a trace nor a record says how long tests take.
fn durations_are_unknown(cached: &Cached<'_>, path: &Path, stated: Option<&Path>) -> bool {
    let record = match stated {
        Some(record) => record.exists(),
        None => cached.nearest().is_some(),
    };
    !record && Cached::before(path, CACHED_TRACE).nearest().is_none()
}

/// Runs every test once, so that the plugin knows how long each takes.
fn trace(path: &Path, args: &DetectArgs) -> Result<(), Failure> {
    let mut options = PytestArgs::mode("trace");
    options.option("numprocesses", args.jobs);
    let options = options.of_tests(args.tests.keyword.as_deref(), &args.tests.filters);
    run_pytest(|command| {
        command.arg(path).args(&options);
        command.stdout(Stdio::from(io::stderr()));
    })?;
    Ok(())
}

/// The options, as pytest takes them.
fn options(args: &DetectArgs, record: Option<&Path>) -> Vec<String> {
    let mut options = PytestArgs::mode("record");
    options.option("flex-runs", Some(args.runs));
    options.option("flex-step", Some(args.step));
    options.option("flex-threshold", Some(args.threshold));
    options.option("flex-catch", Some(args.catch));
    options.option("flex-tail", args.tail);
    let paper = args.geweke == Geweke::Paper;
    options.option("flex-geweke", paper.then_some("paper"));
    options.option("flex-record", record.map(|path| path.display()));
    options.runs(
        args.max_runs,
        args.time_budget,
        args.seed.as_ref(),
        args.jobs,
    );
    options.timeout(args.timeout);
    options.flag("flex-fast", args.fast);
    options.flag("flex-tight", args.tight);
    options.flag("flex-full", args.full);
    options.flag(
        "flex-smallest-first",
        args.order == SearchOrder::SmallestFirst,
    );
    options.shards(&args.shards);
    options.of_tests(args.tests.keyword.as_deref(), &args.tests.filters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::options_of;

    #[test]
    fn options_are_worded_for_pytest() {
        let check = |line: &str, record: Option<&str>, expected: &str| {
            let args = options_of(line);
            assert_eq!(options(&args, record.map(Path::new)).join(" "), expected);
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
            "d --pytest tests --seed c --tight --full --order smallest-first --jobs 2 mean error",
            None,
            &format!(
                "{usual} --flex-seed=c --numprocesses=2 --flex-tight --flex-full --flex-smallest-first -k mean or error"
            ),
        );
        check(
            "d --pytest tests --seed c --shard 3/16 --out d",
            None,
            &format!("{usual} --flex-seed=c --flex-shard=3/16 --flex-out=d"),
        );
    }
}
