//! The order of a search: tests that take the least time first.

use std::path::Path;

use flex_detect::trace::{Durations, smallest_first};

use super::args::DetectArgs;
use crate::cargo::CargoTest;
use crate::exit::Failure;
use crate::probes::{Tracing, trace};
use crate::record::file::RecordFile;
use crate::session::jobs;
use crate::trace::TraceFile;

/// Sorts tests by how long they take, by the last trace and the last record. Those of which neither knows anything are
/// run once.
pub fn sorted<'p>(
    mut tests: Vec<CargoTest<'p>>,
    known: (&TraceFile, &RecordFile),
    (root, base): (&Path, &str),
    args: &DetectArgs,
) -> Result<Vec<CargoTest<'p>>, Failure> {
    let (traced, record) = (known.0.read()?, known.1.read()?);
    let mut durations = Durations::known(traced.as_ref(), record.as_ref());
    let new = tests
        .iter()
        .filter(|test| seconds(&durations, test).is_none());
    let new: Vec<CargoTest<'p>> = new.cloned().collect();
    let tracing = Tracing {
        root,
        base,
        jobs: jobs(args.jobs),
        timeout: args.timeout,
    };
    for (_, traced) in trace(new, &tracing, &|_| {}) {
        // What cannot be run comes last, and says so when it is searched.
        if let Ok(test) = traced {
            durations.add(test.package.as_deref(), &test.id, test.seconds);
        }
    }
    smallest_first(&mut tests, |test| seconds(&durations, test));
    Ok(tests)
}

fn seconds(durations: &Durations, test: &CargoTest<'_>) -> Option<f64> {
    durations.of(Some(&test.found.program.package), &test.found.id())
}
