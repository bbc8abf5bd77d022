//! The pytest plugin: what its tests need, building and installing it, and its tests and examples.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::built;
use crate::process::{self, root, target};
use crate::python::Python;

/// The packages that the plugin's tests need besides the plugin.
pub const PACKAGES: &[&str] = &[
    "pytest>=8",
    "pytest-asyncio",
    "pytest-cov",
    "pytest-randomly",
    "pytest-timeout",
    "pytest-xdist",
    "hypothesis",
    "check-jsonschema",
    "maturin>=1.9,<2",
    "numpy",
    "scikit-learn",
    "ruff",
    "distributed",
    "kubernetes-validate",
];

/// The environment of `python3` in which the plugin is tested, without the plugin.
pub fn environment() -> Result<Python, String> {
    Python::usual()?.environment("test", PACKAGES)
}

/// Checks the plugin's sources and runs its tests and the examples with `python3` alone: what CI runs.
pub fn test(python: &Python) -> Result<(), String> {
    lint(python)?;
    let programs = built::build()?;
    built::install(python, &programs)?;
    tests(python)?;
    examples(python)?;
    guide(python, &programs)
}

/// How many tests run at once: one more than there are processors, since tests wait for deadlines and for each other.
pub fn at_once() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from) + 1
}

/// Runs the pages of the guide that are about pytest.
fn guide(python: &Python, programs: &Path) -> Result<(), String> {
    let mut command = process::cargo(&["test", "--workspace", "--all-features", "--locked"]);
    command
        .args(["--test=guide", "--", "--ignored"])
        .env("FLEX_PROGRAMS", programs);
    let folder = python.exe.parent().unwrap_or(&python.exe);
    process::run(command.env("FLEX_PYTHON", folder))
}

fn lint(python: &Python) -> Result<(), String> {
    for check in [&["check"][..], &["format", "--check"]] {
        let mut command = python.run(&["-m", "ruff"]);
        command.args(check).arg("--quiet");
        process::run(command.args(["pytest-bridge", "examples/python"]))?;
    }
    Ok(())
}

/// Libraries with generators of their own, too heavy for every environment; the names by which they are installed.
const FRAMEWORKS: &[&str] = &["torch", "jax", "tensorflow-cpu", "numba"];

/// The tests that are about them; each is skipped where its library is missing.
const OF_FRAMEWORKS: &[&str] = &[
    "tests/test_frameworks.py",
    "tests/test_arrays.py",
    "tests/test_probed_libraries.py",
    "tests/test_detect_seeds.py",
    "tests/test_observed_libraries.py",
];

/// Installs the libraries that can be had, and runs the tests that are about them.
pub fn frameworks() -> Result<(), String> {
    let python = Python::usual()?.environment("frameworks", PACKAGES)?;
    for package in FRAMEWORKS {
        let words = ["-m", "pip", "install", "--quiet", package];
        if process::run(&mut python.run(&words)).is_err() {
            println!("{package} could not be installed, and goes untested");
        }
    }
    built::install(&python, &built::build()?)?;
    let words = [&["-m", "pytest", "-q", "-rs"], OF_FRAMEWORKS].concat();
    process::run(&mut in_bridge(&python, &words))
}

/// Builds one wheel for all Pythons.
pub fn wheel() -> Result<PathBuf, String> {
    let folder = target().join("python/wheel");
    let _ = std::fs::remove_dir_all(&folder);
    let python = environment()?;
    let mut command = python.run(&["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]);
    process::run(command.arg(&folder).arg("./pytest-bridge"))?;
    let wheels = std::fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let mut wheels = wheels.flatten().map(|entry| entry.path());
    wheels.next().ok_or_else(|| "pip made no wheel".to_owned())
}

/// Installs the plugin from a wheel.
pub fn install(python: &Python, from: &Path) -> Result<(), String> {
    let words = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--force-reinstall",
    ];
    process::run(python.run(&words).arg(from))
}

/// Runs the tests of the plugin, which fix their seeds themselves, and of the command line that drives it.
pub fn tests(python: &Python) -> Result<(), String> {
    let program = built::build()?.join("flex-harness");
    let at_once = at_once().to_string();
    let mut pytest = in_bridge(python, &["-m", "pytest", "-q", "-n", &at_once]);
    process::run(pytest.env("FLEX_HARNESS", program))
}

/// Runs the example suite with its committed bounds, under a fixed seed.
pub fn examples(python: &Python) -> Result<(), String> {
    // Nothing there is asynchronous, and the plugin for that would warn about a setting of its own.
    let words = ["-m", "pytest", "-q", "-p", "no:asyncio", "--flex-seed=flex"];
    let mut command = python.run(&words);
    process::run(command.current_dir(root().join("examples/python")))
}

/// Python with these arguments, in the plugin's folder.
pub fn in_bridge(python: &Python, args: &[&str]) -> Command {
    let mut command = python.run(args);
    command.current_dir(root().join("pytest-bridge"));
    command
}
