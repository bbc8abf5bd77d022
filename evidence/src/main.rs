//! What flex promises, measured: the pages of `docs/evidence`, each made by a command of its own.

#![forbid(unsafe_code)]

mod bench;
mod commands;
mod convergence;
mod daily;
mod detect;
mod distribution;
mod gof_table;
mod harness;
mod page;
mod parallel;
mod project;
mod pytest;
mod statistics;
mod truth;

use std::process::ExitCode;

use page::Page;

/// All pages, in the order in which `cargo xtask evidence` makes them.
const PAGES: [&dyn Page; 7] = [
    &truth::TruthPage,
    &convergence::ConvergencePage,
    &bench::BenchPage,
    &harness::HarnessPage,
    &daily::DailyPage,
    &pytest::PytestPage,
    &detect::DetectPage,
];

fn main() -> ExitCode {
    match commands::run(&commands::command().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
