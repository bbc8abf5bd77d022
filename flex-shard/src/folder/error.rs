//! Why the files of shards do not make one whole.

use std::path::PathBuf;
use std::{fmt, io};

use crate::file::FileError;

/// Why files do not make one whole.
#[derive(Debug)]
pub enum ShardsError {
    /// A folder cannot be read.
    Folder(PathBuf, io::Error),
    /// There are none.
    Nothing(Vec<PathBuf>),
    /// A file cannot be used.
    File(PathBuf, FileError),
    /// Two have different things in common: what, and the two with their files.
    Mixed(&'static str, (PathBuf, String), (PathBuf, String)),
}

impl fmt::Display for ShardsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShardsError::Folder(path, error) => {
                write!(f, "cannot read the folder {}: {error}", path.display())
            }
            ShardsError::Nothing(folders) => {
                let folders: Vec<String> = folders
                    .iter()
                    .map(|folder| folder.display().to_string())
                    .collect();
                write!(f, "{} holds no shard", folders.join(" and "))
            }
            ShardsError::File(path, error) => write!(f, "{}: {error}", path.display()),
            ShardsError::Mixed(what, (one, ours), (other, theirs)) => {
                let shown = flex_core::visible::visible;
                write!(
                    f,
                    "shards of different {what}: {} has {}, {} has {}",
                    one.display(),
                    shown(ours),
                    other.display(),
                    shown(theirs)
                )
            }
        }
    }
}

impl std::error::Error for ShardsError {}
