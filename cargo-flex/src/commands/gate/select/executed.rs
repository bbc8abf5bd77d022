//! The functions that tests were seen to execute, from the last trace, as far as that still holds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use flex_detect::trace::{Function, Trace};
use flex_gate::select::ExecutionMap;

use crate::exit::Failure;
use crate::git::{DiffedFile, FileText, Repository};
use crate::pytest::{CACHED_TRACE, Cached};
use crate::terminal;
use crate::trace::TraceFile;

/// The map from tests to functions; `None` if there is no trace with all calls.
pub fn map(
    repository: &Repository,
    tests: &Path,
    stated: Option<&Path>,
    diffed: &[DiffedFile],
) -> Result<Option<ExecutionMap>, Failure> {
    let cached = Cached::before(tests, CACHED_TRACE);
    let Some(path) = stated.or(cached.nearest()) else {
        return Ok(None);
    };
    let trace = match (TraceFile::at(path.to_owned()).read(), stated) {
        (Ok(trace), _) => trace,
        (Err(failure), Some(_)) => return Err(failure),
        // What an older flex left in a cache helps nobody, and hinders nobody.
        (Err(_), None) => None,
    };
    let trace = trace.filter(|trace| trace.is_full);
    let Some(trace) = trace else {
        return Ok(None);
    };
    let map = of_trace(repository, &trace, diffed);
    let (known, all) = (map.executed.len(), trace.tests.len());
    if known < all {
        writeln!(
            terminal::notes(),
            "note: the trace is of other sources for {} of {all} tests; names decide there (`trace --full` makes it anew)",
            all - known
        )?;
    }
    Ok(Some(map))
}

fn of_trace(repository: &Repository, trace: &Trace, diffed: &[DiffedFile]) -> ExecutionMap {
    let top = repository
        .top()
        .canonicalize()
        .unwrap_or_else(|_| repository.top().to_owned());
    let root = trace
        .root
        .canonicalize()
        .unwrap_or_else(|_| trace.root.clone());
    let relative = |file: &str| -> Option<PathBuf> {
        root.join(file).strip_prefix(&top).ok().map(Path::to_owned)
    };
    // The sources before the change: what tests executed then is what may have changed since.
    let is_as_traced = |file: &flex_detect::trace::TracedFile| {
        let Some(path) = relative(&file.file) else {
            return false;
        };
        match diffed.iter().find(|diffed| diffed.path == path) {
            Some(DiffedFile {
                old: FileText::Text(text),
                ..
            }) => file.is(text.as_bytes()),
            Some(_) => false,
            None => std::fs::read(top.join(&path)).is_ok_and(|bytes| file.is(&bytes)),
        }
    };
    let fresh: BTreeSet<&str> = trace
        .files
        .iter()
        .filter(|file| is_as_traced(file))
        .map(|file| file.file.as_str())
        .collect();
    let stale: BTreeSet<&str> = trace
        .files
        .iter()
        .map(|file| file.file.as_str())
        .filter(|file| !fresh.contains(file))
        .collect();
    let here = std::env::current_dir().unwrap_or_default();
    let mut executed: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    let mut unknown: BTreeSet<String> = BTreeSet::new();
    for test in &trace.tests {
        let id = test.id.name().split('[').next().unwrap_or_default();
        let (file, function) = id.split_once("::").unwrap_or((id, ""));
        let file = root.join(file);
        let shown = file.strip_prefix(&here).unwrap_or(&file);
        let id = format!("{}::{function}", shown.to_string_lossy().replace('\\', "/"));
        let functions = executed.entry(id.clone()).or_default();
        for (called, _) in trace.executed(test) {
            if stale.contains(called.file.as_str()) {
                unknown.insert(id.clone());
            }
            if let Some(path) = relative(&called.file).filter(|_| !called.is_c()) {
                functions.insert((path.to_string_lossy().replace('\\', "/"), top_level(called)));
            }
        }
    }
    executed.retain(|id, functions| !unknown.contains(id) && !functions.is_empty());
    let shown = |file: &&str| Some(relative(file)?.to_string_lossy().replace('\\', "/"));
    ExecutionMap {
        fresh: fresh.iter().filter_map(shown).collect(),
        executed,
    }
}

/// The function, or method of a class, that a function is or stands in.
fn top_level(function: &Function) -> String {
    let whole = match function.qualified.as_str() {
        "" => function.in_class(),
        qualified => qualified.to_owned(),
    };
    whole
        .split(".<locals>")
        .next()
        .unwrap_or_default()
        .to_owned()
}
