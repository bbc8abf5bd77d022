//! The project's own commands, as `cargo xtask NAME`.

#![forbid(unsafe_code)]

mod bench;
mod convergence;
mod daily;
mod demo;
mod detect;
mod gof_table;
mod harness;
mod page;
mod process;
mod project;
mod pytest;
mod python;
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
    /// Measures what the rules for stopping find and spend, and writes docs/convergence.md.
    Convergence,
    /// Makes the critical values of the goodness-of-fit tests, flex-core/src/published/gof_table.rs, anew.
    GofTable,
    /// Measures the harness on real crates and writes docs/harness.md.
    Harness(harness::HarnessArgs),
    /// Measures the harness in daily use, drift, recalibration and merges, and writes docs/daily.md.
    Daily(daily::DailyArgs),
    /// Tests the pytest bridge on every Python there is, measures it and writes docs/pytest.md.
    Pytest(pytest::PytestArgs),
    /// Measures what the search for flaky tests finds, and writes docs/detect.md.
    Detect(detect::DetectArgs),
    /// Everything that takes longer than a test may: truth, convergence, bench, harness, daily, pytest and detect.
    Evidence,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Test => test::run(),
        Command::Demo => demo::run(),
        Command::Bench => bench::run(),
        Command::Truth(args) => truth::run(&args),
        Command::Convergence => convergence::run(),
        Command::Harness(args) => harness::run(&args),
        Command::Pytest(args) => pytest::run(&args),
        Command::Daily(args) => daily::run(&args),
        Command::Detect(args) => detect::run(&args),
        Command::GofTable => {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let table = gof_table::make(gof_table::REPLICATES, threads);
            process::write("flex-core/src/published/gof_table.rs", &table)
        }
        Command::Evidence => truth::run(&truth::TruthArgs::default())
            .and_then(|()| convergence::run())
            .and_then(|()| bench::run())
            .and_then(|()| harness::run(&harness::HarnessArgs::default()))
            .and_then(|()| daily::run(&daily::DailyArgs::default()))
            .and_then(|()| pytest::run(&pytest::PytestArgs::default()))
            .and_then(|()| detect::run(&detect::DetectArgs::default())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
