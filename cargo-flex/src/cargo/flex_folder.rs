//! The folder that flex has for the workspace of a program.

use std::path::{Path, PathBuf};

use flex_run::calibrate::scratch_folder;
use flex_run::project::flex_folder;

use super::program::Program;

/// The folder for what concerns one workspace, found by where cargo built its programs.
pub fn flex_folder_of<'a>(programs: impl IntoIterator<Item = &'a Program>, root: &Path) -> PathBuf {
    let first = programs.into_iter().next();
    let flex = first.map(|program| scratch_folder(&program.program.exe));
    let target = flex.as_deref().and_then(Path::parent);
    flex_folder(target.unwrap_or(Path::new("")), root)
}
