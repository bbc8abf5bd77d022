//! `cargo xtask pytest`: the plugin and its examples, on every Python there is, and what it costs, in docs/pytest.md.

mod page;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::process::{self, root, target};
use crate::python::Python;

/// What the tests of the plugin need besides it.
const PACKAGES: &[&str] = &[
    "pytest>=8",
    "pytest-asyncio",
    "pytest-randomly",
    "pytest-xdist",
    "hypothesis",
    "numpy",
    "scikit-learn",
    "mypy",
    "ruff",
];

/// What a long run compares with.
const PEERS: &[&str] = &["pytest-repeat", "pytest-flakefinder"];

/// What is too heavy for every environment; where it cannot be had, its tests are skipped.
const HEAVY: &[&str] = &["torch", "jax"];

/// Which part is wanted.
#[derive(Debug, Args, Default)]
pub struct PytestArgs {
    /// Print one part instead of writing the page: `tests`, `end-to-end` or `cost`.
    #[arg(long, value_name = "NAME")]
    part: Option<String>,
}

/// The plugin's tests and the examples with `python3` alone: what CI runs.
pub fn test() -> Result<(), String> {
    let python = Python::usual()?.environment("test", PACKAGES)?;
    lint(&python)?;
    // The way that the guide shows.
    let bridge = root().join("pytest-bridge");
    install(&python, &bridge)?;
    tests(&python)?;
    examples(&python)
}

/// Everything, on every Python.
pub fn run(args: &PytestArgs) -> Result<(), String> {
    let part = args.part.as_deref();
    if let Some(part) = part
        && !["tests", "end-to-end", "cost"].contains(&part)
    {
        return Err(format!("{part} is not a part: tests, end-to-end, cost"));
    }
    let wanted = |name: &str| part.is_none_or(|part| part == name);
    let wheel = wheel()?;
    let mut versions = Vec::new();
    let mut skipped = Vec::new();
    if wanted("tests") {
        for python in Python::all()? {
            let python = python.environment("test", PACKAGES)?;
            install(&python, &wheel)?;
            tests(&python)?;
            examples(&python)?;
            versions.push(python.version.clone());
        }
        oldest(&wheel)?;
        skipped = heavy(&wheel)?;
    }
    let long = Python::usual()?.environment("long", &[PACKAGES, PEERS].concat())?;
    install(&long, &wheel)?;
    if wanted("end-to-end") {
        let journey = ["-m", "pytest", "-q", "-n", "2", "tests/test_journey.py"];
        process::run(in_bridge(&long, &journey).env("FLEX_LONG", "1"))?;
    }
    if wanted("cost") {
        let cost = page::Cost::measure(&long)?;
        print!("{}", cost.table());
        if part.is_none() {
            process::write("docs/pytest.md", &page::page(&cost, &versions, &skipped))?;
        }
        return cost.kept();
    }
    Ok(())
}

/// An environment with the plugin as it is now, and with what is needed to measure it.
pub fn with_plugin() -> Result<Python, String> {
    let python = Python::usual()?.environment("long", &[PACKAGES, PEERS].concat())?;
    install(&python, &wheel()?)?;
    Ok(python)
}

fn lint(python: &Python) -> Result<(), String> {
    let folders = ["pytest-bridge", "examples/python"];
    process::run(
        python
            .run(&["-m", "ruff", "check", "--quiet"])
            .args(folders),
    )?;
    process::run(
        python
            .run(&["-m", "ruff", "format", "--check", "--quiet"])
            .args(folders),
    )
}

/// One wheel for all Pythons.
fn wheel() -> Result<PathBuf, String> {
    let folder = target().join("python/wheel");
    let _ = std::fs::remove_dir_all(&folder);
    let python = Python::usual()?.environment("test", PACKAGES)?;
    let mut command = python.run(&["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]);
    process::run(command.arg(&folder).arg("./pytest-bridge"))?;
    let wheels = std::fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let mut wheels = wheels.flatten().map(|entry| entry.path());
    wheels.next().ok_or_else(|| "pip made no wheel".to_owned())
}

fn install(python: &Python, what: &Path) -> Result<(), String> {
    let words = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--force-reinstall",
    ];
    process::run(python.run(&words).arg(what))
}

/// The tests of the plugin, which fix their seeds themselves, and of the command line that drives it.
fn tests(python: &Python) -> Result<(), String> {
    process::run(&mut process::cargo(&[
        "build",
        "--quiet",
        "--package=cargo-flex",
    ]))?;
    let program = target().join("debug/flex-harness");
    process::run(in_bridge(python, &["-m", "pytest", "-q", "-n", "2"]).env("FLEX_HARNESS", program))
}

/// The example suite with its committed bounds, under a fixed seed.
fn examples(python: &Python) -> Result<(), String> {
    let mut command = python.run(&["-m", "pytest", "-q", "--flex-seed=flex"]);
    process::run(command.current_dir(root().join("examples/python")))
}

/// The tests with the oldest pytest that the plugin promises to work with.
fn oldest(wheel: &Path) -> Result<(), String> {
    let packages: Vec<&str> = ["pytest==8.0.*"]
        .into_iter()
        .chain(PACKAGES[1..].iter().copied())
        .collect();
    let python = Python::usual()?.environment("oldest", &packages)?;
    install(&python, wheel)?;
    tests(&python)
}

/// The tests of torch and JAX, where they can be installed; what was skipped.
fn heavy(wheel: &Path) -> Result<Vec<&'static str>, String> {
    let mut skipped = Vec::new();
    let python = Python::usual()?.environment("heavy", PACKAGES)?;
    install(&python, wheel)?;
    for package in HEAVY {
        let words = ["-m", "pip", "install", "--quiet", package];
        if process::run(&mut python.run(&words)).is_err() {
            skipped.push(*package);
        }
    }
    let files = ["tests/test_arrays.py", "tests/test_detect_seeds.py"];
    let words = [&["-m", "pytest", "-q", "-rs"], &files[..]].concat();
    process::run(&mut in_bridge(&python, &words))?;
    Ok(skipped)
}

fn in_bridge(python: &Python, args: &[&str]) -> std::process::Command {
    let mut command = python.run(args);
    command.current_dir(root().join("pytest-bridge"));
    command
}
