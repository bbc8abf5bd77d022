//! `flex-harness gate`: what a change did, which tests it can affect, and whether it made one of them flaky; and
//! `flex-harness check`, its last stage for tests that are named.

mod args;
mod check;
mod diff;
mod select;

use crate::exit::{Exit, Failure};
use args::Stage;
pub use args::{CheckTestsArgs, GateArgs};
pub use check::run_named;

/// Runs the command.
pub fn run(args: &GateArgs) -> Result<Exit, Failure> {
    match &args.stage {
        Some(Stage::Diff(args)) => diff::run(args),
        Some(Stage::Select(args)) => select::run(args),
        Some(Stage::Check(args)) => check::run(args),
        None => check::run(&args.all),
    }
}
