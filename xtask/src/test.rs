//! `cargo xtask test`: the one test command.

use std::process::Command;
use std::thread;

use xtask::browser::{self, Browser};
use xtask::python::Python;
use xtask::{built, plugin, process};

/// Checks formatting and lints, and runs all tests, those of the documentation, of the pytest plugin and of the
/// report's page and the book too. What is fetched is fetched while something else is built.
pub fn run() -> Result<(), String> {
    process::run(&mut process::cargo(&["fmt", "--all", "--check"]))?;
    let python = thread::spawn(plugin::environment);
    let browser = thread::spawn(Browser::found);
    process::run(cargo("clippy").args(["--all-targets", "--", "-D", "warnings"]))?;
    let programs = built::build()?;
    let documentation = thread::spawn(documentation);
    process::run(
        cargo("test")
            // Under fresh seeds our own stochastic tests fail once in 10,000 runs, as they promise; CI must not.
            .env("FLEX_SEED", "flex")
            .env("FLEX_PROGRAMS", &programs)
            .env("RUST_TEST_THREADS", plugin::at_once().to_string()),
    )?;
    joined(documentation)??;
    browser::test(joined(browser)?)?;
    book()?;
    let python: Python = joined(python)??;
    plugin::test(&python)
}

fn documentation() -> Result<(), String> {
    process::run(
        cargo("doc")
            .arg("--no-deps")
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

fn joined<T>(thread: thread::JoinHandle<T>) -> Result<T, String> {
    thread
        .join()
        .map_err(|_| "a thread of this command panicked".to_owned())
}

/// Makes the book of the documentation, or says why that is not possible here.
fn book() -> Result<(), String> {
    let known = Command::new("mdbook").arg("--version").output();
    if !known.is_ok_and(|known| known.status.success()) {
        eprintln!(
            "skipped: the book was not made: there is no mdBook; `cargo install mdbook` gets it"
        );
        return Ok(());
    }
    let mut mdbook = Command::new("mdbook");
    process::run(mdbook.args(["build", "docs"]).current_dir(process::root()))
}

/// A command of cargo for the whole workspace.
fn cargo(command: &str) -> Command {
    process::cargo(&[command, "--workspace", "--all-features", "--locked"])
}
