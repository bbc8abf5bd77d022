//! Everything that is asked of cargo: the packages of a workspace, test programs, and the stochastic tests inside of these.

mod args;
mod build;
mod gated;
mod markers;
mod metadata;
mod runner;
mod source;
mod tests;

pub use args::{CargoArgs, Elsewhere};
pub use build::{Program, build, build_elsewhere};
pub use gated::has_function;
pub use markers::{FoundTest, find};
pub use metadata::{Package, named_packages, needs, packages, target_folder, workspace_root};
pub use runner::act_as_runner;
pub use source::place_of_test;
pub use tests::{CargoTest, TestKind, all_tests};
