//! The environment that the plugin is measured in.

use std::path::PathBuf;
use std::sync::OnceLock;

use xtask::plugin::{self, PACKAGES};
use xtask::python::Python;

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
pub fn wheel() -> Result<PathBuf, String> {
    static WHEEL: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    WHEEL.get_or_init(plugin::wheel).clone()
}
