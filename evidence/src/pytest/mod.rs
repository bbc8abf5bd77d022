//! `cargo xtask pytest`: the plugin and its examples on every Python there is, and what it costs.

mod cost;
mod environment;
mod tests;

use xtask::plugin;
use xtask::process;

use crate::page::{Page, Part, Section};
pub use environment::{wheel, with_plugin};

/// The page on the pytest plugin.
pub struct PytestPage;

impl Page for PytestPage {
    fn name(&self) -> &'static str {
        "pytest"
    }

    fn about(&self) -> &'static str {
        "the pytest plugin on every CPython found and with the oldest pytest, with torch and JAX, 1000 green and \
         100 red seeds, what a rerun costs; needs valgrind"
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

/// The section of the part `end-to-end`.
fn end_to_end() -> Result<Section, String> {
    let journey = ["-m", "pytest", "-q", "-n", "2", "tests/test_journey.py"];
    process::run(plugin::in_bridge(&with_plugin()?, &journey).env("FLEX_LONG", "1"))?;
    let text = "- End to end, for a plain test, a `unittest.TestCase`, beside pytest-randomly and on xdist: calibrated \
                once, green under
  1000 fixed seeds (50 on xdist), red under at least 85 of 100 (of 20) with a shift of 2 standard deviations, and
  replayed word for word.
";
    Ok(text.to_owned().into())
}
