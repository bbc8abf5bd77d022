//! What existing assertions showed, as a record on disk: `detect` and `calibrate` write it, `fix` reads it.

mod calibrated;
pub mod file;
pub mod replay;

use std::path::{Path, PathBuf};

use crate::cargo::{Program, flex_folder_of};
pub use calibrated::keep;
use file::default_file;

/// The record file of a cargo workspace, in its target folder.
pub fn file_of<'a>(programs: impl IntoIterator<Item = &'a Program>, root: &Path) -> PathBuf {
    default_file(&flex_folder_of(programs, root))
}
