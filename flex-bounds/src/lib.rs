//! What flex keeps in files that people commit: the bounds file with what was learned, `flex.toml` with what is asked.
//!
//! Values in and text out, and back; nothing here touches a disk.

#![forbid(unsafe_code)]

mod cause;
pub mod change;
pub mod claim;
pub mod config;
mod document;
pub mod file;
pub mod keys;
pub mod options;
pub mod round;
pub mod suite;
mod test_id;

pub use cause::Cause;
pub use test_id::{Runner, TestId};
