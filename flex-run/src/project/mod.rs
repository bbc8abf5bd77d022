//! Where tests run: environment variables, `flex.toml`, the server that shows annotations.

pub mod base;
pub mod commands;
pub mod config;
pub mod date;
pub mod duration;
pub mod env;
pub mod github;
pub mod quarantine;
