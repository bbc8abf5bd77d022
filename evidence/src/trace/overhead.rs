//! The processor time of pytest under probes and with all calls traced, beside that of pytest alone.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;
use xtask::process::{capture, root};
use xtask::python::Python;

use super::packages::{self, PACKAGES};
use crate::page::{Bar, Section};
use crate::program::fresh_folder;

/// Rounds, of which the median counts: the shorter a suite, the more.
const ROUNDS_OF_SMALL: &str = "15";
const ROUNDS_OF_PACKAGES: &str = "9";

/// What each may cost, as a multiple of the processor time of pytest alone.
const PROBES: f64 = 1.02;
const MONITORED: f64 = 1.19;
const PROFILED: f64 = 1.30;

/// Four kinds of tests, fifty times each.
const SMALL: &str = include_str!("small.py");

/// The section of the part `overhead`.
pub fn section() -> Result<Section, String> {
    let mut text = format!(
        "## What it costs

Processor time of the whole process, its start and the written file included, as a multiple of pytest alone right before
or after; the median of {ROUNDS_OF_SMALL} such pairs for 200 small tests of about 2 ms, and of {ROUNDS_OF_PACKAGES} for
the tests of real packages: {}. Tracing with a callback of Python was measured at 2.12, and the thesis's tracing at 1.361.

| CPython | suite | pytest alone | probes | all calls |
|---|---|---|---|---|
",
        PACKAGES.map(|package| format!("{} {}", package.name, package.version)).join(", ")
    );
    let small = fresh_folder("trace/small")?;
    fs::write(small.join("test_small.py"), SMALL).map_err(|error| error.to_string())?;
    let mut bars = Vec::new();
    for interpreter in interpreters()? {
        let python = packages::environment(&interpreter)?;
        let mut of_packages = Cost::default();
        let of_small = measure(&python, &small, ROUNDS_OF_SMALL, ".")?;
        row(&mut text, &python, "200 small tests", of_small);
        for package in PACKAGES {
            let cost = measure(
                &python,
                &package.folder(),
                ROUNDS_OF_PACKAGES,
                package.tests,
            )?;
            row(&mut text, &python, package.name, cost);
            of_packages = of_packages.and(cost);
        }
        row(&mut text, &python, "the packages together", of_packages);
        let most = if is_monitored(&python) {
            MONITORED
        } else {
            PROFILED
        };
        for (suite, cost) in [("200 small tests", of_small), ("packages", of_packages)] {
            let name = |what: &str| format!("{what}, {suite}, CPython {}", python.version);
            bars.push(bar(name("probes"), cost.probes / cost.plain, PROBES));
            bars.push(bar(name("all calls"), cost.calls / cost.plain, most));
        }
    }
    text.push('\n');
    Ok(Section::with_bars(text, &bars))
}

/// The newest interpreter that has `sys.monitoring`, and the newest that has not.
fn interpreters() -> Result<Vec<Python>, String> {
    let (monitored, profiled): (Vec<_>, Vec<_>) =
        Python::all()?.into_iter().partition(is_monitored);
    let both = [profiled, monitored].map(|mut found| found.pop());
    let found: Vec<Python> = both.into_iter().flatten().collect();
    match found.len() {
        2 => Ok(found),
        _ => Err("CPython 3.10 or 3.11 is needed, and 3.12 or newer".to_owned()),
    }
}

fn is_monitored(python: &Python) -> bool {
    let minor = python
        .version
        .strip_prefix("3.")
        .and_then(|minor| minor.parse().ok());
    minor.is_some_and(|minor: u32| minor >= 12)
}

/// Seconds of processor time.
#[derive(Debug, Default, Clone, Copy)]
struct Cost {
    plain: f64,
    probes: f64,
    calls: f64,
}

impl Cost {
    fn and(self, other: Cost) -> Self {
        Cost {
            plain: self.plain + other.plain,
            probes: self.probes + other.probes,
            calls: self.calls + other.calls,
        }
    }
}

fn measure(python: &Python, folder: &Path, rounds: &str, tests: &str) -> Result<Cost, String> {
    let script = root().join("pytest-bridge/bench/tracing.py");
    let mut command = python.run(&[]);
    let command = command
        .current_dir(folder)
        .arg(script)
        .args([rounds, tests]);
    let found: Value = serde_json::from_str(&capture(command, "")?).map_err(|e| e.to_string())?;
    // A number that is missing keeps no bar.
    let seconds = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
    Ok(Cost {
        plain: seconds("plain"),
        probes: seconds("probes"),
        calls: seconds("calls"),
    })
}

fn row(text: &mut String, python: &Python, suite: &str, cost: Cost) {
    let _ = writeln!(
        text,
        "| {} | {suite} | {:.2} s | {:.3} | {:.3} |",
        python.version,
        cost.plain,
        cost.probes / cost.plain,
        cost.calls / cost.plain
    );
}

fn bar(what: String, ratio: f64, most: f64) -> Bar {
    Bar {
        what,
        measured: format!("{ratio:.3}"),
        bar: format!("≤ {most}"),
        kept: ratio <= most,
    }
}
