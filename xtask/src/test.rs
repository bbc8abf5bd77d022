//! `cargo xtask test`: the one test command.

use crate::process::{self, cargo};

/// Formatting, lints, documentation, all tests.
pub fn run() -> Result<(), String> {
    process::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    process::run(&mut cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]))?;
    process::run(&mut cargo(&["test", "--workspace", "--locked"]))?;
    process::run(
        cargo(&["doc", "--workspace", "--no-deps", "--locked"]).env("RUSTDOCFLAGS", "-D warnings"),
    )
}
