//! The search for flaky tests, with and without making all runs of tests in which nothing can vary.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use flex_detect::record::Record;
use flex_detect::verdict::{Finding, JudgeRule, JudgedTest, judge};
use serde_json::Value;
use xtask::process::{capture, root};
use xtask::python::Python;

use super::packages::{self, PACKAGES};
use crate::page::{Bar, Section};
use crate::program::fresh_folder;

/// The package that is searched, and how often its tests are run at least: enough for failures in 2 % of runs.
const SEARCHED: &str = "cachetools";

/// Flaky tests beside it, so that there is something to find.
const PLANTED: &str = include_str!("flaky.py");

/// What a search may take of one that makes all runs.
const MOST: f64 = 0.5;

/// The section of the part `detect`.
pub fn section() -> Result<Section, String> {
    let python = packages::usual()?;
    let folder = fresh_folder("trace/searched")?;
    let package = PACKAGES.iter().find(|package| package.name == SEARCHED);
    let package = package.ok_or("the package is not known")?;
    let tests = folder.join("test_flaky.py");
    fs::write(&tests, PLANTED).map_err(|error| error.to_string())?;
    let search = |name: &str, more: &[&str]| {
        let file = folder.join(format!("{name}.json"));
        searched(
            &python,
            &package.folder(),
            &[package.tests, &tests.display().to_string()],
            &file,
            more,
        )
    };
    let without = search("without", &["--flex-full"])?;
    let with = search("with", &[])?;
    let ratio = with.seconds / without.seconds;
    let text = format!(
        "## The search with and without probes

`pytest --flex=detect` on the tests of {} {} and 8 flaky tests beside them, with the rule that it always has, and again
with `--flex-full`, which makes all runs of tests that are shown to be fixed.

| | tests | runs | findings | processor time |
|---|---|---|---|---|
| all runs are made | {} | {} | {} | {:.1} s |
| what is fixed is run twice | {} | {} | {} | {:.1} s |

",
        package.name,
        package.version,
        without.tests,
        without.runs,
        without.findings.len(),
        without.seconds,
        with.tests,
        with.runs,
        with.findings.len(),
        with.seconds,
    );
    let is_same = with.findings == without.findings && with.findings.len() >= 8;
    let bars = [
        Bar {
            what: "findings are the same".to_owned(),
            measured: if is_same { "yes" } else { "no" }.to_owned(),
            bar: "yes".to_owned(),
            kept: is_same,
        },
        Bar {
            what: "processor time of the search, of one that makes all runs".to_owned(),
            measured: format!("{ratio:.2}"),
            bar: format!("≤ {MOST}"),
            kept: ratio <= MOST,
        },
    ];
    Ok(Section::with_bars(text, &bars))
}

/// A search, and what it found.
struct Searched {
    tests: usize,
    runs: usize,
    /// The tests with a finding.
    findings: BTreeSet<String>,
    seconds: f64,
}

fn searched(
    python: &Python,
    folder: &Path,
    tests: &[&str],
    file: &Path,
    more: &[&str],
) -> Result<Searched, String> {
    let mut command = python.run(&[]);
    command
        .current_dir(folder)
        .arg(root().join("pytest-bridge/bench/timed.py"))
        .args([
            "-q",
            "-p",
            "no:cacheprovider",
            "--flex=detect",
            "--flex-seed=searched",
        ])
        .arg(format!("--flex-record={}", file.display()))
        .args(tests)
        .args(more);
    let seconds: Value =
        serde_json::from_str(&capture(&mut command, "")?).map_err(|e| e.to_string())?;
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let record = Record::parse(&text).map_err(|error| error.to_string())?;
    let found = judge(&record, &JudgeRule { probability: None });
    let is_found = |test: &&JudgedTest| test.findings.iter().any(Finding::is_finding);
    let findings = found.tests.iter().filter(is_found);
    Ok(Searched {
        tests: record.tests.len(),
        runs: record.tests.iter().map(|test| test.runs.len()).sum(),
        findings: findings.map(|test| test.id.name().to_owned()).collect(),
        seconds: seconds.as_f64().unwrap_or(f64::NAN),
    })
}
