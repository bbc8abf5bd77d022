//! The targets: what is read, and what must hold of it.

mod bounds;
mod config;
mod engine;
mod history;
mod jsonl;
mod process;
mod python;
mod records;
mod rust;
mod scenario;

pub use bounds::{bounds_conflict, bounds_edit, bounds_file};
pub use config::flex_toml;
pub use engine::engine;
pub use history::history;
pub use jsonl::jsonl;
pub use process::wire;
pub use python::{PythonPatch, python_patches, python_source};
pub use records::record;
pub use rust::rust_source;

/// A byte that no text holds, between two texts of one input.
const APART: u8 = 0xff;

/// The two texts of an input; the second is empty if it holds but one.
fn two_texts(bytes: &[u8]) -> Option<(&str, &str)> {
    let mut parts = bytes.splitn(2, |byte| *byte == APART);
    let first = str::from_utf8(parts.next()?).ok()?;
    let second = str::from_utf8(parts.next().unwrap_or_default()).ok()?;
    Some((first, second))
}
