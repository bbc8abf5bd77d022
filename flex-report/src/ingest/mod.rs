//! What others wrote down about runs, as lines of a history: JUnit files, criterion's samples, pytest-benchmark's
//! (docs/reference/history.md).

mod bounds;
mod criterion;
mod junit;
mod measured;
mod pytest_benchmark;

use std::collections::BTreeSet;

use flex_run::kept::VERSION;
use serde_json::Value;

pub use bounds::{BoundsSettings, Checked, benchmarks};
pub use criterion::criterion_line;
pub use junit::junit_lines;
pub use measured::Origin;
pub use pytest_benchmark::pytest_benchmark_lines;

/// The lines of a history in a text, and how many of its other lines are none.
pub fn history_lines(text: &str) -> (Vec<String>, usize) {
    let mut lines = Vec::new();
    let mut others = 0;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match is_line(line) {
            true => lines.push(line.to_owned()),
            false => others += 1,
        }
    }
    (lines, others)
}

/// The lines that are not among those that are known, each once.
pub fn new_lines(known: &[&str], lines: Vec<String>) -> Vec<String> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for text in known {
        seen.extend(text.lines().map(|line| line.trim().to_owned()));
    }
    lines
        .into_iter()
        .filter(|line| seen.insert(line.clone()))
        .collect()
}

/// Whether a text is an object of ours that is about a test.
fn is_line(text: &str) -> bool {
    let Ok(Value::Object(object)) = serde_json::from_str(text) else {
        return false;
    };
    object.get("version").and_then(Value::as_u64) == Some(u64::from(VERSION))
        && object.get("at").is_some_and(Value::is_u64)
        && object.get("test").is_some_and(Value::is_string)
        && (object.contains_key("values") || object.contains_key("sites"))
}

#[cfg(test)]
mod tests;
