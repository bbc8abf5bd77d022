//! What existing assertions showed, as a record on disk: `detect` and `calibrate` write it, `fix` reads it.

mod calibrated;
pub mod file;
pub mod replay;

use std::path::PathBuf;

use flex_run::calibrate::scratch_folder;

use crate::cargo::Program;
pub use calibrated::keep;
use file::default_file;

/// The record file of a cargo project, in its target folder.
pub fn file_of<'a>(programs: impl IntoIterator<Item = &'a Program>) -> PathBuf {
    let exe = programs
        .into_iter()
        .next()
        .map(|program| program.program.exe.as_path());
    default_file(&exe.map_or_else(PathBuf::new, scratch_folder))
}
