//! `cargo xtask pytest`: the plugin and its examples on every Python there is, and what it costs.

mod cost;
mod tests;

use std::path::PathBuf;
use std::sync::OnceLock;

use xtask::plugin::{self, PACKAGES};
use xtask::process;
use xtask::python::Python;

use crate::page::{Page, Part, Section};

/// The page on the pytest plugin.
pub struct PytestPage;

impl Page for PytestPage {
    fn name(&self) -> &'static str {
        "pytest"
    }

    fn about(&self) -> &'static str {
        "the pytest plugin on every CPython found and with the oldest pytest, with torch and JAX, 200 green and 100 \
         red seeds, what a rerun costs; needs valgrind"
    }

    fn takes(&self) -> &'static str {
        "20 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "tests",
                about: "The plugin's tests and the examples, on every Python",
                measure: |_| tests::section(),
            },
            Part {
                name: "end-to-end",
                about: "Calibrated once, green, red and replayed under many seeds",
                measure: |_| end_to_end(),
            },
            Part {
                name: "cost",
                about: "A rerun beside those of other plugins, and pytest's start",
                measure: |_| cost::section(),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# The pytest bridge, measured

Written by `cargo xtask pytest`, which fails if a bar is missed. Times are processor time on a shared machine, the least
of five measurements; compare them as ratios. What an unused plugin adds to the start is counted in instructions.

{cost}
{tests}{end-to-end}"
    }
}

/// Other plugins that run tests again.
const PEERS: &[&str] = &["pytest-repeat", "pytest-flakefinder"];

/// Returns an environment with the plugin as it is now and with what is needed to measure it, made once.
pub fn with_plugin() -> Result<Python, String> {
    static PYTHON: OnceLock<Result<Python, String>> = OnceLock::new();
    let make = || {
        let python = Python::usual()?.environment("long", &[PACKAGES, PEERS].concat())?;
        plugin::install(&python, &wheel()?)?;
        Ok(python)
    };
    PYTHON.get_or_init(make).clone()
}

/// Returns the one wheel for all Pythons, built once.
fn wheel() -> Result<PathBuf, String> {
    static WHEEL: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    WHEEL.get_or_init(plugin::wheel).clone()
}

/// The section of the part `end-to-end`.
fn end_to_end() -> Result<Section, String> {
    let journey = ["-m", "pytest", "-q", "-n", "2", "tests/test_journey.py"];
    process::run(plugin::in_bridge(&with_plugin()?, &journey).env("FLEX_LONG", "1"))?;
    let text = "- End to end, for a plain test, a `unittest.TestCase`, beside pytest-randomly and on xdist: calibrated \
                once, green under
  200 fixed seeds, red under at least 95 of 100 with a shift of 4 standard deviations, and replayed word for word.
";
    Ok(text.to_owned().into())
}
