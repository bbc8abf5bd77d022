//! Where a bounds file really is.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the file really is, behind all links: a link must stay a link when its file is replaced.
pub(super) struct RealPlace {
    pub file: PathBuf,
    pub folder: PathBuf,
    pub name: OsString,
}

impl RealPlace {
    pub fn of(path: &Path) -> Option<Self> {
        let file = follow_links(path);
        let name = file.file_name()?.to_owned();
        let folder = match file.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        Some(RealPlace { file, folder, name })
    }

    /// A file beside the bounds file that tools and people overlook.
    pub fn hidden(&self, ending: &str) -> PathBuf {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(ending);
        self.folder.join(name)
    }
}

/// The path behind all links, also if there is nothing there yet.
fn follow_links(path: &Path) -> PathBuf {
    // As many links as Linux follows.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        if let Ok(real) = fs::canonicalize(&path) {
            return real;
        }
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => break,
        }
    }
    path
}
