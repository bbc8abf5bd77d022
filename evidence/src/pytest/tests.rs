//! The tests of the plugin on every Python there is, with the oldest pytest, and with torch and JAX.

use std::path::Path;

use xtask::plugin::{self, PACKAGES};
use xtask::process;
use xtask::python::Python;

use super::environment::wheel;
use crate::page::Section;

/// Packages that are too heavy for every environment; where they cannot be had, their tests are skipped.
const HEAVY: &[&str] = &["torch", "jax"];

/// The section of the part `tests`.
pub fn section() -> Result<Section, String> {
    let wheel = wheel()?;
    let mut versions = Vec::new();
    for python in Python::all()? {
        let python = python.environment("test", PACKAGES)?;
        plugin::install(&python, &wheel)?;
        plugin::tests(&python)?;
        plugin::examples(&python)?;
        versions.push(python.version);
    }
    oldest(&wheel)?;
    let skipped = match &heavy(&wheel)?[..] {
        [] => String::new(),
        skipped => format!(
            " {} could not be installed and went untested.",
            skipped.join(" and ")
        ),
    };
    let text = format!(
        "- One wheel passes the tests of the plugin and the example suite on CPython {}, and the tests with pytest 8.0.
- torch and JAX are tested in an environment of their own.{skipped}
",
        versions.join(", ")
    );
    Ok(text.into())
}

/// Runs the tests with the oldest pytest that the plugin promises to work with.
fn oldest(wheel: &Path) -> Result<(), String> {
    let packages: Vec<&str> = ["pytest==8.0.*"]
        .into_iter()
        .chain(PACKAGES[1..].iter().copied())
        .collect();
    let python = Python::usual()?.environment("oldest", &packages)?;
    plugin::install(&python, wheel)?;
    plugin::tests(&python)
}

/// Runs the tests of torch and JAX, where they can be installed; returns what was skipped.
fn heavy(wheel: &Path) -> Result<Vec<&'static str>, String> {
    let mut skipped = Vec::new();
    let python = Python::usual()?.environment("heavy", PACKAGES)?;
    plugin::install(&python, wheel)?;
    for package in HEAVY {
        let words = ["-m", "pip", "install", "--quiet", package];
        if process::run(&mut python.run(&words)).is_err() {
            skipped.push(*package);
        }
    }
    let files = ["tests/test_arrays.py", "tests/test_detect_seeds.py"];
    let words = [&["-m", "pytest", "-q", "-rs"], &files[..]].concat();
    process::run(&mut plugin::in_bridge(&python, &words))?;
    Ok(skipped)
}
