//! Writers of bounds files that are killed, starved of what they ask the system for, or many at once.
//!
//! A test makes some hundred of each, `cargo xtask trust` ten thousand. What must hold is the same: at every moment the
//! file is what it was before an update or what it is after it, and an update that was acknowledged stays.

pub mod faults;
pub mod once;
pub mod store;
pub mod strace;

use std::fs;
use std::path::Path;

use flex_bounds::file::BoundsFile;

/// What killed writers left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Writers that were killed.
    pub kills: u64,
    /// Of these, the ones whose last update is not in the file.
    pub old: u64,
    /// The ones whose last update is in the file, though they had no time to say so.
    pub new: u64,
    /// The ones that left a temporary file behind: they were killed between creating and renaming it.
    pub left_behind: u64,
}

/// The number that a writer of this name has come to, if it has written any; its two entries never differ.
pub fn counted(file: &BoundsFile, name: &str) -> Result<Option<u32>, String> {
    let of_name = file.entries().iter();
    let of_name = of_name.filter(|entry| entry.key.test.name() == name);
    let numbers: Vec<u32> = of_name.map(|entry| entry.samples).collect();
    match numbers[..] {
        [] => Ok(None),
        [a, b] if a == b => Ok(Some(a)),
        _ => Err(format!("{name} is torn: {numbers:?}")),
    }
}

/// The names of temporary files in a folder: what killed writers leave behind.
pub fn temporary(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    names
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with('.') && name.ends_with(".tmp"))
        .collect()
}
