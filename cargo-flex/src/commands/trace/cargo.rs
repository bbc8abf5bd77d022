//! `flex-harness trace` for cargo packages.

use std::io::Write;

use flex_detect::trace::{Trace, VERSION};
use flex_run::calibrate::CalibrationError;
use flex_run::model::Runner;

use super::{TraceArgs, checked};
use crate::cargo::{all_tests, build, workspace_root};
use crate::exit::{Exit, Failure};
use crate::probes::{self, Tracing};
use crate::session::{Display, base_seed, jobs};
use crate::terminal;
use crate::trace::{TraceFile, file_of};

/// Runs every test once and watches it; what was seen, where it is written, and how to end if tests
/// could not be run.
pub fn trace(args: &TraceArgs) -> Result<(Trace, TraceFile, Exit), Failure> {
    if args.full {
        return Err(Failure::input(
            "--full is for tests of pytest: calls of compiled code are not traced",
            "leave it out; probes say which tests can vary",
        ));
    }
    let programs = build(&args.cargo)?;
    let tests = args
        .filter()
        .select(all_tests(&programs)?, programs.len())?;
    let root = workspace_root(args.cargo.manifest_path())?;
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| file_of(&programs, &root));
    let file = checked(TraceFile::at(path), Runner::Cargo)?;
    let display = Display::new(tests.len(), jobs(args.jobs), None);
    let base = base_seed(None);
    let tracing = Tracing {
        root: &root,
        base: &base,
        jobs: jobs(args.jobs),
        timeout: args.timeout,
    };
    let results = probes::trace(tests, &tracing, &|test| {
        display.begin(&test.found.label()).done("traced", 1, 1);
    });
    display.finish();
    let (mut traced, mut exit) = (Vec::new(), Exit::Fine);
    for (test, result) in results {
        match result {
            Ok(test) => traced.push(test),
            Err(error) => {
                exit = match error {
                    CalibrationError::Hung(_) if exit != Exit::Build => Exit::Findings,
                    _ => Exit::Build,
                };
                writeln!(terminal::stderr(), "error: {}: {error}", test.found.label())?;
            }
        }
    }
    let trace = Trace {
        version: VERSION,
        runner: Runner::Cargo,
        root,
        is_full: false,
        files: Vec::new(),
        functions: Vec::new(),
        tests: traced,
    };
    file.write(&trace)?;
    Ok((trace, file, exit))
}
