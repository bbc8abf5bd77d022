//! Our folders, for projects that are made, built and cleared there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program;

/// Deletes all files below a folder but those to keep.
pub fn clear(folder: &Path, keep: &dyn Fn(&Path) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            clear(&path, keep);
            // Only if nothing is left in it.
            let _ = fs::remove_dir(&path);
        } else if !keep(&path) {
            fs::remove_file(&path).expect("the target folder can be written");
        }
    }
}

/// Our workspace.
pub fn root() -> PathBuf {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR"));
    ours.parent().expect("we are in the workspace").to_owned()
}

/// The folder with our programs, as `cargo install` fills one.
pub fn program_folder() -> PathBuf {
    let program = program("cargo-flex");
    program.parent().expect("it is in a folder").to_owned()
}

/// Our target folder.
pub fn target() -> PathBuf {
    let folder = program_folder();
    folder.parent().expect("profiles have folders").to_owned()
}
