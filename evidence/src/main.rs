//! What flex promises, measured: the pages of `docs/evidence`, each made by a command of its own.

#![forbid(unsafe_code)]

mod bench;
mod commands;
mod convergence;
mod daily;
mod detect;
mod distribution;
mod environment;
mod gate;
mod gof_table;
mod harness;
mod page;
mod pages;
mod pairs;
mod parallel;
mod program;
mod project;
mod pytest;
mod report;
mod scale;
mod sequential;
mod statistics;
mod trace;
mod trust;
mod truth;

use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::run(&commands::command().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
