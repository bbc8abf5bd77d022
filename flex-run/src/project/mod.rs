//! Where tests run: environment variables, `flex.toml`, the server that shows annotations.

pub mod base;
pub mod commands;
pub mod commits;
pub mod config;
pub mod date;
pub mod duration;
pub mod env;
mod flex_folder;
pub mod github;
pub mod part;
pub mod quarantine;
pub mod variables;

pub use flex_folder::{flex_folder, target_folder_of};
