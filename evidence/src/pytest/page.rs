//! docs/pytest.md: what a rerun costs beside other plugins, and what was run to see that the bridge holds.

use std::fmt::Write;

use serde_json::Value;

use crate::process;
use crate::python::Python;

/// Milliseconds that `pytest-bridge/bench/cost.py` measured.
#[derive(Debug)]
pub struct Cost {
    measured: Value,
}

/// Milliseconds that a rerun may cost more than a bare loop, and that pytest may start later.
const RERUN: f64 = 0.08;
const STARTUP: f64 = 10.0;

impl Cost {
    /// Measures.
    pub fn measure(python: &Python) -> Result<Self, String> {
        let printed = process::capture(&mut python.run(&["pytest-bridge/bench/cost.py"]), "")?;
        let measured = serde_json::from_str(&printed).map_err(|error| error.to_string())?;
        Ok(Cost { measured })
    }

    /// The tables.
    pub fn table(&self) -> String {
        let mut text =
            "| one run of a test with one function fixture | ms | more than the bare loop |
|---|---|---|
"
            .to_owned();
        for (what, key) in [
            ("a bare Python loop that reseeds", "bare"),
            ("pytest-flex", "flex"),
            ("pytest-flakefinder", "flakefinder"),
            ("pytest-repeat", "repeat"),
            ("pytest-flex with `--flex-isolate`", "isolated"),
            ("a fresh process of pytest", "process"),
        ] {
            let over = self.get(key) - self.get("bare");
            let _ = writeln!(
                text,
                "| {what} | {} | {} |",
                short(self.get(key)),
                short(over)
            );
        }
        let _ = write!(
            text,
            "
| what | measured | bar | |
|---|---|---|---|
"
        );
        for (what, value, bar) in self.bars() {
            let kept = if value <= bar { "kept" } else { "**missed**" };
            let _ = writeln!(
                text,
                "| {what} | {} ms | ≤ {bar} ms | {kept} |",
                short(value)
            );
        }
        text
    }

    /// Whether every bar is kept.
    pub fn kept(&self) -> Result<(), String> {
        match self.bars().iter().find(|(_, value, bar)| value > bar) {
            Some((what, ..)) => Err(format!("a bar is missed: {what}")),
            None => Ok(()),
        }
    }

    fn bars(&self) -> [(&'static str, f64, f64); 2] {
        let rerun = self.get("flex") - self.get("bare");
        [
            ("a rerun, more than a bare loop", rerun, RERUN),
            (
                "pytest's start, installed and unused",
                self.get("unused"),
                STARTUP,
            ),
        ]
    }

    fn get(&self, key: &str) -> f64 {
        // A number that is missing keeps no bar.
        self.measured[key].as_f64().unwrap_or(f64::INFINITY)
    }
}

/// The page.
pub fn page(cost: &Cost, versions: &[String], skipped: &[&str]) -> String {
    let skipped = match skipped.is_empty() {
        true => String::new(),
        false => format!(
            " {} could not be installed and went untested.",
            skipped.join(" and ")
        ),
    };
    format!(
        "# The pytest bridge, measured

Written by `cargo xtask pytest`. Times are processor time on a shared machine, the least of five
measurements; compare them as ratios. What an unused plugin adds to the start is counted in instructions.

{}
- One wheel passes the tests of the plugin and the example suite on CPython {}, and the tests with pytest 8.0.
- End to end, for a plain test, a `unittest.TestCase`, beside pytest-randomly and on xdist: calibrated once, green under
  200 fixed seeds, red under at least 95 of 100 with a shift of 4 standard deviations, and
  replayed word for word.
- torch and JAX are tested in an environment of their own.{skipped}
",
        cost.table(),
        versions.join(", ")
    )
}

fn short(milliseconds: f64) -> String {
    match milliseconds.abs() {
        m if m < 1.0 => format!("{milliseconds:.3}"),
        m if m < 100.0 => format!("{milliseconds:.1}"),
        _ => format!("{milliseconds:.0}"),
    }
}
