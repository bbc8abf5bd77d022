//! The bounds file on disk. Nothing else reads or writes it.
//!
//! A reader sees the file before a change or after it, never in between. Writers take turns, and each starts from what
//! the one before it left. A file that cannot be read is never written over; one that version control could not merge is
//! read only by those who calibrate, and written over once nothing in it is in dispute.

mod error;
mod lock;
mod pieces;
mod place;
mod replace;

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use flex_bounds::TestId;
use flex_bounds::file::{BoundsFile, Key, Original, ParseError, Resolved, resolve};

pub use error::StoreError;
pub use lock::Lock;
use place::RealPlace;
use replace::{Temporary, remove_stale, replace};

use crate::text_file;

/// Why entries must not be written.
#[derive(Debug, Clone, PartialEq)]
pub enum StoreRefusal {
    /// Both sides of a merge conflict changed these, and nobody learned them anew.
    Unsettled(Vec<Key>),
    /// They would spend more than the suite may.
    Overspent(String),
}

/// A bounds file by its path. The file need not be there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// The store in the file at this path.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Store { path: path.into() }
    }

    /// Where the file is, or will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All entries. A file that is missing or empty has none.
    pub fn read(&self) -> Result<BoundsFile, StoreError> {
        match pieces::read(&self.path) {
            Some(file) => Ok(file),
            None => self.parse(&self.text(&self.path)?),
        }
    }

    /// The entries of one test, which is quicker. Problems in the entries of other tests may go unnoticed.
    pub fn select(&self, test: &TestId) -> Result<BoundsFile, StoreError> {
        let text = self.text(&self.path)?;
        if text.is_empty() {
            return Ok(BoundsFile::default());
        }
        BoundsFile::select(&text, test).map_err(|error| self.wrong(error))
    }

    /// All entries, also of a file that version control could not merge: those of both sides, and ours where they differ.
    pub fn read_merged(&self) -> Result<BoundsFile, StoreError> {
        let text = self.merged(self.text(&self.path)?)?.text;
        self.parse(&text)
    }

    /// Whether the file holds a merge conflict. It is an error if its sides differ on entries that will not be learned.
    pub fn has_conflict(&self, is_learned: impl Fn(&Key) -> bool) -> Result<bool, StoreError> {
        let mut merged = self.merged(self.text(&self.path)?)?;
        merged.disputed.retain(|key| !is_learned(key));
        match merged.disputed.is_empty() {
            true => Ok(merged.line > 0),
            false => Err(self.disputed(merged.line, merged.disputed)),
        }
    }

    /// Asks whether [`resolve`](Self::resolve) could work, before hours are spent on what it is to write.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        let place = self.place()?;
        let _lock = self.lock(&place)?;
        self.parse(&self.merged(self.text(&place.file)?)?.text)?;
        self.refuse_read_only(&place)?;
        let trial = Temporary::create(&place);
        trial.map(drop).map_err(|error| self.unwritten(error))
    }

    /// Deletes the file if it has no entries.
    pub fn remove_if_empty(&self) -> Result<(), StoreError> {
        let place = self.place()?;
        let _lock = self.lock(&place)?;
        let is_empty = self.parse(&self.text(&place.file)?)?.entries().is_empty();
        if is_empty && place.file.exists() {
            fs::remove_file(&place.file).map_err(|error| self.unwritten(error))?;
        }
        Ok(())
    }

    /// Changes the entries in the file as it is now, with no other writer in between.
    ///
    /// Whatever people wrote into the file stays. If nothing changes, nothing is written. An error leaves the file as
    /// it was. All other writers wait for `change`, so it should be quick and must not itself update this store.
    pub fn update<T>(&self, change: impl FnOnce(&mut BoundsFile) -> T) -> Result<T, StoreError> {
        let place = self.place()?;
        let _lock = self.lock(&place)?;
        let old_text = self.text(&place.file)?;
        let old = self.original(&old_text)?;
        let mut new = old.file();
        let answer = change(&mut new);
        self.write_over(&place, &old_text, &old.edited(&new))?;
        Ok(answer)
    }

    /// Does as [`update`](Self::update), and resolves a merge conflict along the way.
    ///
    /// `change` finds the entries of both sides, except those on which they differ, which it gets beside. If it objects,
    /// the file stays as it was.
    pub fn resolve(
        &self,
        change: impl FnOnce(&mut BoundsFile, &[Key]) -> Result<(), StoreRefusal>,
    ) -> Result<(), StoreError> {
        let place = self.place()?;
        let _lock = self.lock(&place)?;
        let old_text = self.text(&place.file)?;
        let merged = self.merged(old_text.clone())?;
        let old = self.original(&merged.text)?;
        let mut new = old.file();
        for key in &merged.disputed {
            new.remove(key);
        }
        change(&mut new, &merged.disputed).map_err(|objection| match objection {
            StoreRefusal::Unsettled(keys) => self.disputed(merged.line, keys),
            StoreRefusal::Overspent(words) => StoreError::Overspent {
                path: self.path.clone(),
                words,
            },
        })?;
        for key in &merged.unenforced {
            if let Some(mut entry) = new.remove(key) {
                entry.unenforced = true;
                // It was in the file just now, so it is one that a file can hold.
                let _ = new.insert(entry);
            }
        }
        self.write_over(&place, &old_text, &old.edited(&new))
    }

    /// Replaces a text by another, unless they are the same.
    fn write_over(&self, place: &RealPlace, old: &str, new: &str) -> Result<(), StoreError> {
        if new == old {
            return Ok(());
        }
        self.refuse_read_only(place)?;
        replace(place, new).map_err(|error| self.unwritten(error))
    }

    fn place(&self) -> Result<RealPlace, StoreError> {
        let place = RealPlace::of(&self.path).ok_or_else(|| {
            let message = "the path does not end in the name of a file";
            self.unread(io::Error::new(ErrorKind::InvalidInput, message))
        })?;
        if !place.folder.is_dir() {
            return Err(StoreError::NoFolder {
                path: self.path.clone(),
                folder: place.folder,
            });
        }
        // Before anything is made beside it: a device would be replaced by a file.
        text_file::regular(&place.file).map_err(|error| self.unread(error))?;
        Ok(place)
    }

    /// Waits for the other writers, and clears away what killed ones left behind.
    fn lock(&self, place: &RealPlace) -> Result<Lock, StoreError> {
        let lock = Lock::wait(place).map_err(|error| match error.kind() {
            // Nothing could be written there either, which says more.
            ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded => self.unwritten(error),
            _ => StoreError::Lock {
                path: self.path.clone(),
                error,
            },
        })?;
        remove_stale(place);
        Ok(lock)
    }

    /// What is in a file, which is nothing if it is missing.
    fn text(&self, file: &Path) -> Result<String, StoreError> {
        let bytes = text_file::read(file).map_err(|error| self.unread(error))?;
        let bytes = bytes.unwrap_or_default();
        String::from_utf8(bytes).map_err(|error| match BoundsFile::from_bytes(error.as_bytes()) {
            Err(error) => self.wrong(error),
            Ok(_) => self.unread(io::Error::new(ErrorKind::InvalidData, error)),
        })
    }

    fn parse(&self, text: &str) -> Result<BoundsFile, StoreError> {
        if text.is_empty() {
            Ok(BoundsFile::default())
        } else {
            text.parse().map_err(|error| self.wrong(error))
        }
    }

    fn original<'t>(&self, text: &'t str) -> Result<Original<'t>, StoreError> {
        Original::read(text).map_err(|error| self.wrong(error))
    }

    /// A text without conflict marks; line 0 means that it had none before.
    fn merged(&self, text: String) -> Result<Resolved, StoreError> {
        let resolved = resolve(&text).map_err(|error| self.wrong(error))?;
        Ok(resolved.unwrap_or(Resolved {
            text,
            disputed: Vec::new(),
            unenforced: Vec::new(),
            line: 0,
        }))
    }

    /// Renaming replaces a file whatever its permissions are, so they must be asked. The bits count for root too.
    fn refuse_read_only(&self, place: &RealPlace) -> Result<(), StoreError> {
        let metadata = match fs::metadata(&place.file) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(self.unread(error)),
        };
        let read_only = || StoreError::ReadOnly {
            path: self.path.clone(),
        };
        if metadata.permissions().readonly() {
            return Err(read_only());
        }
        match OpenOptions::new().write(true).open(&place.file) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(read_only()),
            Err(error) => Err(self.unwritten(error)),
        }
    }

    fn wrong(&self, error: ParseError) -> StoreError {
        StoreError::Parse {
            path: self.path.clone(),
            error,
        }
    }

    fn disputed(&self, line: usize, keys: Vec<Key>) -> StoreError {
        StoreError::Disputed {
            path: self.path.clone(),
            line,
            keys,
        }
    }

    fn unread(&self, error: io::Error) -> StoreError {
        StoreError::Read {
            path: self.path.clone(),
            error,
        }
    }

    fn unwritten(&self, error: io::Error) -> StoreError {
        StoreError::Write {
            path: self.path.clone(),
            error,
        }
    }
}
