//! Suites of packages that nobody had looked at before: what a search with a time budget finds in them, and whether a
//! loop that does not use flex finds the same.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use flex_core::bound::declared::clopper_pearson;
use flex_core::words::{count, percent};
use flex_detect::record::{ObservedTest, Record};
use flex_detect::verdict::{JudgeRule, judge};
use serde_json::Value;
use xtask::plugin;
use xtask::process::{output, run, target};
use xtask::python::Python;

use crate::environment::python_in;
use crate::page::{Bar, Section};
use crate::program::fresh_folder;
use crate::pytest::wheel;

/// The seconds that a search is given.
const BUDGET: u32 = 120;

/// The calls of a test in the loop.
const CALLS: u32 = 500;

/// Both intervals of a rate hold with this confidence.
const SURE: f64 = 0.999;

const LOOP: &str = include_str!("loop.py");

/// A package as it was released, with its tests.
struct Suite {
    name: &'static str,
    version: &'static str,
    about: &'static str,
    /// The path of its tests in its sources.
    tests: &'static str,
    /// Which of them, as pytest's `-k` has it.
    which: Option<&'static str>,
}

const SUITES: [Suite; 3] = [
    Suite {
        name: "resample",
        version: "1.9.0",
        about: "bootstrap, jackknife and permutation tests",
        tests: "tests",
        which: None,
    },
    Suite {
        name: "choix",
        version: "0.4.1",
        about: "choice models, estimated from comparisons",
        tests: "tests",
        which: None,
    },
    Suite {
        name: "pyswarms",
        version: "1.3.0",
        about: "optimisation by swarms of particles; its handlers, operators and generators",
        tests: "tests/backend",
        which: Some("test_handlers or test_operators or test_generators"),
    },
];

/// What they were written for.
const NEEDED: &[&str] = &[
    "pytest>=8,<10",
    "numpy==1.26.4",
    "scipy==1.13.1",
    "networkx==2.8.8",
];

/// The section of the part `held-out`.
pub fn section() -> Result<Section, String> {
    let python = environment()?;
    let mut text = format!(
        "## Three suites that flex was not made with

Packages that draw random numbers, whose sdists hold tests that pass today; several others were left out since they do not
install or their own tests fail as released, none for what flex found. One search of each with `--time-budget
{BUDGET}s`. A finding is then checked by a loop that does not use flex (`evidence/src/detect/loop.py`): {CALLS} calls of the
test, each under another seed, stated seeds replaced. One with failures is confirmed if the loop fails, too, and the {}
intervals of both rates overlap; one that says that no seed controls a test, if calls draw from a generator that the module made
when it was imported. How many runs fit into the budget depends on the machine.

",
        percent(SURE)
    );
    let mut bars = Vec::new();
    for suite in &SUITES {
        let searched = search(&python, suite)?;
        let _ = writeln!(
            text,
            "### {} {}: {}\n\n{} in {}, {:.0} s by the clock. {} shown fixed by two runs; the others had {} to {} runs. {}.\n",
            suite.name,
            suite.version,
            suite.about,
            count(searched.tests, "test", "tests"),
            count(searched.runs, "run", "runs"),
            searched.seconds,
            count(searched.fixed, "test was", "tests were"),
            searched.fewest,
            searched.most,
            count(searched.found.len(), "finding", "findings"),
        );
        if !searched.found.is_empty() {
            text += "| test | assertion | verdict | fails | in the loop | |\n|---|---|---|---|---|---|\n";
        }
        for finding in &searched.found {
            let _ = writeln!(text, "{}", finding.row());
        }
        text.push('\n');
        bars.push(Bar {
            what: format!("{}: the budget", suite.name),
            measured: format!("{:.0} s", searched.seconds),
            bar: format!("≤ {} s", 1.1 * f64::from(BUDGET)),
            kept: searched.seconds <= 1.1 * f64::from(BUDGET),
        });
        bars.push(Bar {
            what: format!("{}: findings that the loop confirms", suite.name),
            measured: format!(
                "{} of {}",
                searched.found.iter().filter(|found| found.holds()).count(),
                searched.found.len()
            ),
            bar: "all".to_owned(),
            kept: searched.found.iter().all(Found::holds),
        });
        bars.push(Bar {
            what: format!("{}: tests without a run", suite.name),
            measured: searched.without_run.to_string(),
            bar: "0".to_owned(),
            kept: searched.without_run == 0 && searched.tests > 0,
        });
    }
    Ok(Section::with_bars(text, &bars))
}

/// The environment with the packages and the plugin, and their sources.
fn environment() -> Result<Python, String> {
    let usual = Python::usual()?;
    let python = usual.environment("held-out", NEEDED)?;
    plugin::install(&python, &wheel()?)?;
    for suite in &SUITES {
        let pinned = format!("{}=={}", suite.name, suite.version);
        run(python
            .run(&["-m", "pip", "install", "--quiet"])
            .arg(&pinned))?;
        python.released(suite.name, suite.version, &sources())?;
    }
    Ok(python)
}

fn sources() -> PathBuf {
    target().join("python/sources")
}

impl Suite {
    fn folder(&self) -> PathBuf {
        sources().join(format!("{}-{}", self.name, self.version))
    }

    /// Python in the folder of the suite.
    fn python(&self, python: &Python, words: &[&str]) -> Command {
        python_in(&self.folder(), python, words)
    }
}

/// What came of the search of a suite.
struct Searched {
    seconds: f64,
    tests: usize,
    runs: usize,
    /// Tests that two runs showed to be fixed.
    fixed: usize,
    /// The fewest runs of another test.
    fewest: usize,
    /// The most runs of a test.
    most: usize,
    without_run: usize,
    found: Vec<Found>,
}

/// A finding, and what the loop says.
struct Found {
    test: String,
    text: String,
    verdict: &'static str,
    failures: usize,
    runs: usize,
    in_loop: Option<Looped>,
}

/// What the loop says of a test.
#[derive(Clone, Copy)]
struct Looped {
    failures: usize,
    calls: usize,
    /// The calls that drew from a generator that was there before.
    drew: usize,
}

impl Found {
    /// Whether the loop says the same: it fails as often, or what no seed controls is there.
    fn holds(&self) -> bool {
        let Some(looped) = self.in_loop else {
            return false;
        };
        if self.failures == 0 {
            return looped.drew > 0;
        }
        let (low, high) = clopper_pearson(self.failures, self.runs, SURE);
        let (least, most) = clopper_pearson(looped.failures, looped.calls, SURE);
        looped.failures > 0 && low <= most && least <= high
    }

    fn row(&self) -> String {
        let looped = match self.in_loop {
            Some(looped) if self.failures == 0 => format!(
                "{} of {} draw from a generator of the module",
                looped.drew, looped.calls
            ),
            Some(looped) => format!("{} of {}", looped.failures, looped.calls),
            None => "not run".to_owned(),
        };
        format!(
            "| {} | `{}` | {} | {} of {} | {looped} | {} |",
            self.test.replace('|', "\\|"),
            self.text.replace('|', "\\|"),
            self.verdict,
            self.failures,
            self.runs,
            if self.holds() {
                "confirmed"
            } else {
                "**not confirmed**"
            }
        )
    }
}

fn search(python: &Python, suite: &Suite) -> Result<Searched, String> {
    let folder = fresh_folder(&format!("detect/held-out/{}", suite.name))?;
    let record = folder.join("detect.json");
    let mut command = suite.python(python, &["-m", "pytest", "-q", suite.tests]);
    command.args(["--flex=record", "--flex-seed=held-out"]);
    command.arg(format!("--flex-time-budget={BUDGET}s"));
    command.arg(format!("--flex-record={}", record.display()));
    command.args(suite.which.iter().flat_map(|which| ["-k", which]));
    let began = Instant::now();
    let said = output(&mut command)?;
    let seconds = began.elapsed().as_secs_f64();
    if !record.is_file() {
        return Err(format!(
            "{}: {}",
            suite.name,
            String::from_utf8_lossy(&said.stdout)
        ));
    }
    let record = std::fs::read_to_string(&record).map_err(|error| error.to_string())?;
    let record = Record::parse(&record).map_err(|error| error.to_string())?;
    let findings = judge(&record, &JudgeRule::default());
    let tests = findings.tests.iter();
    let found = tests.flat_map(|test| {
        let told = test.findings.iter().filter(|finding| finding.is_finding());
        told.map(|finding| Found {
            test: test.name().to_owned(),
            text: finding.text.clone(),
            verdict: finding.word(),
            failures: finding.figures.failed.len(),
            runs: finding.figures.runs,
            in_loop: None,
        })
    });
    let runs = |test: &ObservedTest| test.runs.len();
    let (fixed, varying): (Vec<_>, Vec<_>) =
        record.tests.iter().partition(|test| test.is_shown_fixed());
    let mut searched = Searched {
        seconds,
        fixed: fixed.len(),
        fewest: varying.iter().map(|test| runs(test)).min().unwrap_or(0),
        most: varying.iter().map(|test| runs(test)).max().unwrap_or(0),
        tests: findings.tests.len(),
        runs: findings.tests.iter().map(|test| test.runs).sum(),
        without_run: without_run(&String::from_utf8_lossy(&said.stdout)),
        found: found.collect(),
    };
    looped(python, suite, &mut searched.found)?;
    Ok(searched)
}

/// The tests that there was no time for, as pytest tells.
fn without_run(said: &str) -> usize {
    let told = said.split("no time was left for ").nth(1);
    let number = told.and_then(|told| told.split(' ').next()?.parse().ok());
    number.unwrap_or(0)
}

/// Calls each test of which something was found in a loop without flex.
fn looped(python: &Python, suite: &Suite, found: &mut [Found]) -> Result<(), String> {
    if found.is_empty() {
        return Ok(());
    }
    let folder = fresh_folder(&format!("detect/held-out/{}-loop", suite.name))?;
    std::fs::write(folder.join("loop.py"), LOOP).map_err(|error| error.to_string())?;
    let file = folder.join("looped.json");
    // Tests are selected by their functions, and told apart afterwards: parameters are others with one more.
    let mut functions: Vec<&str> = found
        .iter()
        .filter_map(|found| found.test.split('[').next())
        .collect();
    functions.dedup();
    let mut command = suite.python(
        python,
        &["-m", "pytest", "-q", "-p", "no:flex", "-p", "loop"],
    );
    command
        .args(functions)
        .env("PYTHONPATH", &folder)
        .env("LOOP_CALLS", CALLS.to_string())
        .env("LOOP_FILE", &file);
    let said = output(&mut command)?;
    let answer = std::fs::read_to_string(&file)
        .map_err(|_| String::from_utf8_lossy(&said.stdout).into_owned())?;
    let answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
    for finding in found {
        let number = |index: usize| answer[&finding.test][index].as_u64().map(|n| n as usize);
        finding.in_loop =
            number(0)
                .zip(number(1))
                .zip(number(2))
                .map(|((failures, calls), drew)| Looped {
                    failures,
                    calls,
                    drew,
                });
    }
    Ok(())
}
