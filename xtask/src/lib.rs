//! Shared by the project's own commands: starting programs, fuzzing, Python environments, a browser, clusters, and the tests
//! of the pytest plugin.

#![forbid(unsafe_code)]

pub mod browser;
pub mod built;
pub mod engines;
pub mod fuzz;
pub mod plugin;
pub mod process;
pub mod python;
