//! `flex-harness trace --pytest PATH`: the plugin pytest-flex watches the tests and writes the trace.

use std::io;
use std::path::Path;
use std::process::Stdio;

use flex_detect::trace::Trace;
use flex_run::model::Runner;

use super::{TraceArgs, checked};
use crate::exit::Failure;
use crate::pytest::{CACHED_TRACE, Cached, PytestArgs, SessionEnd, run_pytest};
use crate::trace::TraceFile;

/// Lets pytest trace what is at this path: a file, a folder or a node id.
pub fn trace(path: &Path, args: &TraceArgs) -> Result<(Trace, TraceFile), Failure> {
    let stated = match &args.out {
        Some(out) => {
            let out = std::path::absolute(out).unwrap_or_else(|_| out.clone());
            Some(checked(TraceFile::at(out), Runner::Pytest)?)
        }
        None => None,
    };
    let cached = Cached::before(path, CACHED_TRACE);
    if let (None, Some(known)) = (&stated, cached.nearest()) {
        checked(TraceFile::at(known.to_owned()), Runner::Pytest)?;
    }
    let out = stated.as_ref().map(TraceFile::path);
    let end = run_pytest(|command| {
        command.arg(path).args(options(args, out));
        // Standard output is for what was seen.
        command.stdout(Stdio::from(io::stderr()));
    })?;
    if end == SessionEnd::NothingCollected {
        return Err(Failure::input(
            format!("{} holds no tests to trace", path.display()),
            "check the path, and the expression after -k",
        ));
    }
    if matches!(end, SessionEnd::Ended | SessionEnd::Interrupted) {
        return Err(Failure::build(
            "pytest ended before all tests were traced",
            "see what it says above",
        ));
    }
    let unwritten = || {
        Failure::build(
            "pytest left no trace of what it saw",
            "see what it says above; if its cache is elsewhere or off, name a file with --out",
        )
    };
    let file = match stated {
        Some(file) => file,
        None => TraceFile::at(cached.written().ok_or_else(unwritten)?),
    };
    let trace = file.read()?.ok_or_else(unwritten)?;
    Ok((trace, file))
}

/// The options, as pytest takes them.
fn options(args: &TraceArgs, out: Option<&Path>) -> Vec<String> {
    let mut options = PytestArgs::mode("trace");
    options.flag("flex-calls", args.full);
    options.timeout(args.timeout);
    options.option("flex-record", out.map(Path::display));
    options.option("numprocesses", args.jobs);
    options.of_tests(args.tests.keyword.as_deref(), &args.tests.filters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::options_of;

    #[test]
    fn options_are_worded_for_pytest() {
        let check = |line: &str, out: Option<&str>, expected: &str| {
            let args = options_of(line);
            assert_eq!(options(&args, out.map(Path::new)).join(" "), expected);
        };
        check("t --pytest tests", None, "--flex=trace");
        check(
            "t --pytest tests --full --timeout 90s --jobs 2 a b",
            Some("t.json"),
            "--flex=trace --flex-calls --flex-timeout=90s --flex-record=t.json --numprocesses=2 -k a or b",
        );
    }
}
