//! Outcomes and failure texts of real packages, with and without probes and tracing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use xtask::process::{output, printed, root};
use xtask::python::Python;

use super::packages::{self, PACKAGES, Package};
use crate::page::{Bar, Section};
use crate::program::fresh_folder;

/// The ways in which tests are run: plain, under probes, and with all calls traced.
const WAYS: [&[&str]; 3] = [&[], &["--flex=trace"], &["--flex=trace", "--flex-calls"]];

/// The section of the part `unchanged`.
pub fn section() -> Result<Section, String> {
    let python = packages::usual()?;
    let folder = fresh_folder("trace/unchanged")?;
    let mut text = "## Outcomes and failure texts

The same packages without flex, under probes, and with all calls traced: as they are, and with `sorted`, `max` and
`round` broken while a test runs, so that many fail. Compared are the outcomes of set-up, call and tear-down of every
test, and every text of a failure, but for addresses. What differs between two plain runs, too, is left out.

| package | tests | failures, as it is | failures, broken | differ under probes | differ under tracing | vary by themselves |
|---|---|---|---|---|---|---|
"
    .to_owned();
    let mut differing = 0;
    let mut failures = 0;
    for package in PACKAGES {
        let mut found = Compared::default();
        for is_broken in [false, true] {
            found.compare(&python, package, &folder, is_broken)?;
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            package.name,
            found.tests,
            found.failures[0],
            found.failures[1],
            found.differing[0],
            found.differing[1],
            found.varying
        );
        differing += found.differing.iter().sum::<usize>();
        failures += found.failures.iter().sum::<usize>();
    }
    text.push('\n');
    let bars = [Bar {
        what: "outcomes and failure texts that differ".to_owned(),
        measured: format!("{differing}, of {failures} failures compared"),
        bar: "0".to_owned(),
        kept: differing == 0 && failures > 0,
    }];
    Ok(Section::with_bars(text, &bars))
}

/// What a test said in each phase, by test and phase.
pub type Said = BTreeMap<(String, String), (String, String)>;

#[derive(Default)]
struct Compared {
    tests: usize,
    /// As they are, and broken.
    failures: [usize; 2],
    /// Under probes, and with all calls traced.
    differing: [usize; 2],
    /// What two plain runs say differently.
    varying: usize,
}

impl Compared {
    fn compare(
        &mut self,
        python: &Python,
        package: Package,
        folder: &Path,
        is_broken: bool,
    ) -> Result<(), String> {
        let said = |options: &[&str]| {
            let mut command = package.pytest(python);
            command.args(options);
            if !options.is_empty() {
                let file = folder.join("trace.json");
                command.arg(format!("--flex-record={}", file.display()));
            }
            if is_broken {
                command.env("TEXTS_BROKEN", "1");
            }
            said(&mut command, folder)
        };
        let (first, again) = (said(WAYS[0])?, said(WAYS[0])?);
        let varies = |key: &(String, String)| first.get(key) != again.get(key);
        self.varying += first.keys().filter(|key| varies(key)).count();
        self.tests = first.keys().filter(|(_, phase)| phase == "setup").count();
        let is_failure = |said: &&(String, String)| said.0 == "failed";
        self.failures[usize::from(is_broken)] = first.values().filter(is_failure).count();
        for (way, differing) in WAYS[1..].iter().zip(&mut self.differing) {
            let other = said(way)?;
            let keys = first
                .keys()
                .chain(other.keys().filter(|key| !first.contains_key(*key)));
            let differs = |key: &&(String, String)| first.get(*key) != other.get(*key);
            *differing += keys.filter(differs).filter(|key| !varies(key)).count();
        }
        Ok(())
    }
}

/// Runs pytest, and returns how every test ended and what it said.
pub fn said(command: &mut Command, folder: &Path) -> Result<Said, String> {
    let file = folder.join("texts.json");
    command
        .args(["-p", "texts"])
        .env("PYTHONPATH", root().join("pytest-bridge/bench"))
        .env("TEXTS", &file);
    let ended = output(command)?;
    if !matches!(ended.status.code(), Some(0 | 1)) {
        return Err(format!("{command:?} failed:\n{}", printed(&ended)));
    }
    let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
    let lines: Vec<[Value; 4]> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pair = |[test, phase, outcome, words]: &[Value; 4]| {
        ((text(test), text(phase)), (text(outcome), text(words)))
    };
    Ok(lines.iter().map(pair).collect())
}
