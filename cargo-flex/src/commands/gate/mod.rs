//! `flex-harness gate`: what a change did, which tests it can affect, and whether it made one of them flaky.

mod args;
mod diff;

use crate::exit::{Exit, Failure};
pub use args::GateArgs;
use args::Stage;

/// Runs the command.
pub fn run(args: &GateArgs) -> Result<Exit, Failure> {
    match &args.stage {
        Stage::Diff(args) => diff::run(args),
    }
}
