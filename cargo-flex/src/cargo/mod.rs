//! Everything that is asked of cargo: the packages of a workspace, test programs, and the stochastic tests inside of these.

mod args;
mod build;
mod flex_folder;
mod gated;
mod graph;
mod markers;
mod metadata;
mod nextest;
mod program;
mod programs;
mod runner;
mod source;
mod tests;

pub use args::{CargoArgs, Elsewhere};
pub use build::{Built, build, build_elsewhere, build_with};
pub use flex_folder::flex_folder_of;
pub use flex_run::project::flex_folder;
pub use gated::has_function;
pub use graph::any_reaches;
pub use markers::{FoundTest, find};
pub use metadata::{
    Package, Workspace, needs, packages, packages_by_need, target_folder, workspace_root,
};
pub use program::Program;
pub use programs::write_programs;
pub use runner::{OBSERVED, act_as_runner};
pub use source::{place_of_test, sources_of_test};
pub use tests::{CargoTest, TestKind, all_tests};
