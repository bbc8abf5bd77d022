//! Tests, sites and runs as flex knows them, whoever runs the tests.

#![forbid(unsafe_code)]

pub mod calibrate;
pub mod decide;
pub mod enforce;
pub mod history;
mod json;
pub mod kept;
pub mod model;
pub mod project;
pub mod resume;
pub mod scratch;
pub mod store;
pub mod text_file;
pub mod watch;
pub mod wire;
