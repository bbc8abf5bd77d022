//! Tests of real packages that are shown to be fixed, and whether anything of them varies when they are run again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use flex_detect::record::{Outcome, Record};
use flex_detect::trace::Trace;
use flex_run::model::Variability;
use xtask::process::{output, printed};
use xtask::python::Python;

use super::packages::{self, PACKAGES, Package};
use super::unchanged::{Said, said};
use crate::environment::python_in;
use crate::page::{Bar, Section};
use crate::program::fresh_folder;

/// Runs of every test that is said to be fixed.
const RUNS: usize = 50;

/// The section of the part `packages`.
pub fn section() -> Result<Section, String> {
    let python = packages::usual()?;
    let folder = fresh_folder("trace/fixed")?;
    let mut text = format!(
        "## Real packages

Every test is run once under probes. Those that touch nothing are then run {RUNS} times in one process, and everything
that their assertions compare is recorded. Whatever differs there is run {RUNS} times more, in fresh processes: a test
that changes its own parameters *ends otherwise after itself*, always the same way; *varying* is what differs from one
fresh process to another.

| package | tests | fixed | controlled | can vary | not known | share fixed | otherwise after itself | varying |
|---|---|---|---|---|---|---|---|---|
"
    );
    let (mut tests, mut fixed, mut varying) = (0, 0, Vec::new());
    for package in PACKAGES {
        let found = measure(&python, package, &folder)?;
        tests += found.tests();
        fixed += found.fixed.len();
        let count = |of| found.others.get(of).copied().unwrap_or(0);
        let _ = writeln!(
            text,
            "| {} {} | {} | {} | {} | {} | {} | {:.1}% | {} | {} |",
            package.name,
            package.version,
            found.tests(),
            found.fixed.len(),
            count("controlled"),
            count("can vary"),
            count("not known"),
            100.0 * found.fixed.len() as f64 / found.tests() as f64,
            found.after_itself.len() - found.varying.len(),
            found.varying.len()
        );
        varying.extend(found.varying);
    }
    text.push('\n');
    for test in &varying {
        let _ = writeln!(text, "- varying: `{test}`");
    }
    let bars = [
        Bar {
            what: "tests of real packages".to_owned(),
            measured: tests.to_string(),
            bar: "> 500".to_owned(),
            kept: tests > 500,
        },
        Bar {
            what: format!("tests shown fixed with a varying outcome or value in {RUNS} runs"),
            measured: format!("{} of {fixed}", varying.len()),
            bar: "0".to_owned(),
            kept: varying.is_empty() && fixed > 0,
        },
    ];
    Ok(Section::with_bars(text, &bars))
}

/// What was found of the tests of a package.
struct Found {
    fixed: Vec<String>,
    /// How many others there are, by what they are.
    others: BTreeMap<&'static str, usize>,
    /// Those of the fixed ones that end otherwise when they are run again in the same process.
    after_itself: Vec<String>,
    /// Those of them that end otherwise in other processes, too.
    varying: Vec<String>,
}

impl Found {
    fn tests(&self) -> usize {
        self.fixed.len() + self.others.values().sum::<usize>()
    }
}

fn measure(python: &Python, package: Package, folder: &Path) -> Result<Found, String> {
    let file = folder.join(format!("{}.trace.json", package.name));
    let mut command = package.pytest(python);
    pytest(
        command
            .arg("--flex=trace")
            .arg(format!("--flex-record={}", file.display())),
    )?;
    let trace = Trace::parse(&read(&file)?).map_err(|error| error.to_string())?;
    let mut found = Found {
        fixed: Vec::new(),
        others: BTreeMap::new(),
        after_itself: Vec::new(),
        varying: Vec::new(),
    };
    for test in &trace.tests {
        match test.variability() {
            Some(Variability::Fixed) => found.fixed.push(test.id.name().to_owned()),
            other => {
                *found
                    .others
                    .entry(other.map_or("not known", Variability::as_str))
                    .or_default() += 1
            }
        }
    }
    found.after_itself = in_one_process(python, package, folder, &found.fixed)?;
    found.varying = in_fresh_processes(python, package, folder, &found.after_itself)?;
    Ok(found)
}

/// Runs tests many times in one process; returns those of which something differed.
fn in_one_process(
    python: &Python,
    package: Package,
    folder: &Path,
    fixed: &[String],
) -> Result<Vec<String>, String> {
    let file = folder.join(format!("{}.record.json", package.name));
    let runs = [
        format!("--flex-runs={RUNS}"),
        format!("--flex-max-runs={RUNS}"),
    ];
    let mut command = selected(python, package, folder, fixed)?;
    command
        .args(["--flex=record", "--flex-full", "--flex-seed=fixed"])
        .args(runs)
        .arg(format!("--flex-record={}", file.display()));
    pytest(&mut command)?;
    let record = Record::parse(&read(&file)?).map_err(|error| error.to_string())?;
    let mut varying = Vec::new();
    for test in &record.tests {
        let of_runs = |outcome| test.runs.iter().any(|run| run.outcome == outcome);
        let outcomes = [Outcome::Pass, Outcome::Fail, Outcome::Skip].map(of_runs);
        let values = test
            .sites
            .iter()
            .flat_map(|site| &site.series)
            .any(|series| {
                let mut values = series.values.iter().map(|(_, value)| value.to_bits());
                let first = values.next();
                values.any(|value| Some(value) != first)
            });
        if outcomes.into_iter().filter(|is| *is).count() > 1 || values {
            varying.push(test.name().to_owned());
        }
    }
    Ok(varying)
}

/// Runs tests in many processes; returns those of which an outcome or a failure text differed.
fn in_fresh_processes(
    python: &Python,
    package: Package,
    folder: &Path,
    tests: &[String],
) -> Result<Vec<String>, String> {
    if tests.is_empty() {
        return Ok(Vec::new());
    }
    let mut first: Option<Said> = None;
    let mut varying = BTreeSet::new();
    for _ in 0..RUNS {
        let said = said(&mut selected(python, package, folder, tests)?, folder)?;
        let first = first.get_or_insert_with(|| said.clone());
        let differing = first
            .iter()
            .filter(|(key, words)| said.get(*key) != Some(*words));
        varying.extend(differing.map(|((test, _), _)| test.clone()));
    }
    Ok(varying.into_iter().collect())
}

/// pytest on some tests of a package.
fn selected(
    python: &Python,
    package: Package,
    folder: &Path,
    tests: &[String],
) -> Result<Command, String> {
    let file = folder.join(format!("{}.txt", package.name));
    fs::write(&file, tests.join("\n")).map_err(|error| error.to_string())?;
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let mut command = python_in(&package.folder(), python, &words);
    command.arg(format!("@{}", file.display()));
    Ok(command)
}

/// Runs pytest; that tests fail is an answer.
fn pytest(command: &mut Command) -> Result<(), String> {
    let ended = output(command)?;
    match ended.status.code() {
        Some(0 | 1) => Ok(()),
        _ => Err(format!("{command:?} failed:\n{}", printed(&ended))),
    }
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}
