//! Real packages: their released sources with their tests, and environments that have them installed.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use xtask::plugin;
use xtask::process::target;
use xtask::python::Python;

use crate::environment::python_in;
use crate::pytest::wheel;

/// A package as it was released.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    pub name: &'static str,
    pub version: &'static str,
    /// Where its tests are, in its sources.
    pub tests: &'static str,
}

/// Packages that need nothing else to be tested, and whose tests take seconds.
pub const PACKAGES: [Package; 4] = [
    package("boltons", "26.2.0", "tests"),
    package("cachetools", "8.0.0", "tests"),
    package("humanize", "4.17.0", "tests"),
    package("toolz", "1.2.0", "toolz/tests"),
];

/// What their tests need besides.
const NEEDED: &[&str] = &["pytest>=8,<10", "freezegun"];

const fn package(name: &'static str, version: &'static str, tests: &'static str) -> Package {
    Package {
        name,
        version,
        tests,
    }
}

impl Package {
    /// The package with its version, as pip names it.
    pub fn pinned(self) -> String {
        format!("{}=={}", self.name, self.version)
    }

    /// The folder of its sources.
    pub fn folder(self) -> PathBuf {
        sources().join(format!("{}-{}", self.name, self.version))
    }

    /// pytest on its tests, as somebody who works on it runs them, in the same order each time.
    pub fn pytest(self, python: &Python) -> Command {
        let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", self.tests];
        python_in(&self.folder(), python, &words)
    }
}

/// An environment of `python3` with the packages and the plugin as it is now, made once.
pub fn usual() -> Result<Python, String> {
    static PYTHON: OnceLock<Result<Python, String>> = OnceLock::new();
    PYTHON
        .get_or_init(|| environment(&Python::usual()?))
        .clone()
}

/// An environment of an interpreter with the packages and the plugin as it is now; their sources are there, too.
pub fn environment(of: &Python) -> Result<Python, String> {
    let pinned = PACKAGES.map(Package::pinned);
    let pinned = pinned.iter().map(String::as_str);
    let all: Vec<&str> = NEEDED.iter().copied().chain(pinned).collect();
    let python = of.environment("packages", &all)?;
    plugin::install(&python, &wheel()?)?;
    for package in PACKAGES {
        python.released(package.name, package.version, &sources())?;
    }
    Ok(python)
}

fn sources() -> PathBuf {
    target().join("python/sources")
}
