//! The project's own commands, as `cargo xtask NAME`.

#![forbid(unsafe_code)]

mod bench;
mod demo;
mod process;
mod test;
mod truth;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The project's own commands.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Checks the formatting and the lints and runs all tests.
    Test,
    /// Shows flex at work.
    Demo,
    /// Measures speed and memory and writes docs/speed.md.
    Bench,
    /// Measures whether the engine keeps its false-alarm rate and writes docs/truth.md.
    Truth(truth::TruthArgs),
    /// Everything that takes longer than a test may: truth and bench.
    Evidence,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Test => test::run(),
        Command::Demo => demo::run(),
        Command::Bench => bench::run(),
        Command::Truth(args) => truth::run(&args),
        Command::Evidence => truth::run(&truth::TruthArgs::default()).and_then(|()| bench::run()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
