//! What a change did to a project, which tests it can affect, and how to spend time on those.
//!
//! Texts of sources go in: [`change`] says which functions differ, [`select`] which tests reach them and how, [`bank`]
//! how often each is worth running, and [`trials`] what its runs show. Everything here is values in and values out: no
//! file is read, no test is run.

#![forbid(unsafe_code)]

pub mod bank;
pub mod change;
pub mod changes;
mod format;
pub mod govern;
pub mod graph;
pub mod select;
pub mod selection;
pub mod source;
pub mod trials;

pub use format::FormatError;
