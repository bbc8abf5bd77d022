//! What can be wrong with a bounds file on disk, and what to do about it.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use flex_bounds::file::{Key, ParseError};
use flex_core::visible::visible;

/// Why a bounds file was not read or not written. In each case it is as it was.
#[derive(Debug)]
pub enum StoreError {
    /// What is in the file is no bounds file.
    Parse {
        /// The bounds file.
        path: PathBuf,
        /// What is wrong, and on which line.
        error: ParseError,
    },
    /// Both sides of a merge conflict changed entries that nobody learned anew.
    Disputed {
        /// The bounds file.
        path: PathBuf,
        /// The line of the first conflict mark.
        line: usize,
        /// The entries.
        keys: Vec<Key>,
    },
    /// The new entries would spend more than the suite may.
    Overspent {
        /// The bounds file.
        path: PathBuf,
        /// How much.
        words: String,
    },
    /// The file is there and cannot be read.
    Read {
        /// The bounds file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The folder that the file is to be in is not there.
    NoFolder {
        /// The bounds file.
        path: PathBuf,
        /// The folder, behind all links.
        folder: PathBuf,
    },
    /// The file may not be changed.
    ReadOnly {
        /// The bounds file.
        path: PathBuf,
    },
    /// Other writers cannot be kept out.
    Lock {
        /// The bounds file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The new text cannot be written.
    Write {
        /// The bounds file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

impl fmt::Display for StoreError {
    /// What happened to which file, and on the last line a hint what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Parse { path, error } => {
                writeln!(f, "{}", error.in_file(&shown(path)))?;
                write!(
                    f,
                    "hint: flex neither uses nor changes a file that it cannot read"
                )
            }
            StoreError::Overspent { path, words } => {
                writeln!(f, "{}: {words}", shown(path))?;
                write!(
                    f,
                    "hint: `cargo flex calibrate` without a filter shares the budget out anew; `cargo flex budget` \
                     shows who has how much"
                )
            }
            StoreError::Disputed { path, line, keys } => {
                let path = shown(path);
                writeln!(
                    f,
                    "{path}:{line}: a merge conflict: both sides changed, each in its way,"
                )?;
                for key in keys {
                    writeln!(f, "  {key}")?;
                }
                if keys.iter().any(|key| key.variant.is_some()) {
                    writeln!(
                        f,
                        "note: a calibration learns one variant; of others, delete one side by hand"
                    )?;
                }
                write!(
                    f,
                    "hint: `cargo flex calibrate` resolves the conflict if it calibrates all of these in one go"
                )
            }
            StoreError::Read { path, error } => {
                writeln!(f, "{}: cannot be read: {error}", shown(path))?;
                write!(f, "hint: {}", hint_for_access(error))
            }
            StoreError::NoFolder { path, folder } => {
                let (path, folder) = (shown(path), shown(folder));
                writeln!(f, "{path}: there is no folder `{folder}` to write it to")?;
                write!(
                    f,
                    "hint: create the folder, or name another bounds file with FLEX_BOUNDS"
                )
            }
            StoreError::ReadOnly { path } => {
                let path = shown(path);
                writeln!(f, "{path}: the file is read-only and was not changed")?;
                write!(f, "hint: allow it to be written (`chmod u+w {path}`)")
            }
            StoreError::Lock { path, error } => {
                let path = shown(path);
                writeln!(f, "{path}: cannot keep other writers out: {error}")?;
                write!(f, "hint: {}", hint_for_access(error))
            }
            StoreError::Write { path, error } => {
                let path = shown(path);
                writeln!(f, "{path}: cannot be written and is as it was: {error}")?;
                match error.kind() {
                    ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                        write!(f, "hint: make room, then run again")
                    }
                    _ => write!(f, "hint: {}", hint_for_access(error)),
                }
            }
        }
    }
}

fn hint_for_access(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::Unsupported => {
            "files cannot be locked there, so that writers could undo each other's changes; calibrate on a file system \
             that has locks"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "flex must be allowed to read the file and to create files in its folder; a new file replaces the old one"
        }
        _ => "is this the right path? FLEX_BOUNDS names another",
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            StoreError::Parse { error, .. } => Some(error),
            StoreError::Read { error, .. }
            | StoreError::Lock { error, .. }
            | StoreError::Write { error, .. } => Some(error),
            StoreError::Disputed { .. }
            | StoreError::Overspent { .. }
            | StoreError::NoFolder { .. }
            | StoreError::ReadOnly { .. } => None,
        }
    }
}

/// A path in one line, whatever its name holds.
fn shown(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}
