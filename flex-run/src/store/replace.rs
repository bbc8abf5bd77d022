//! Replacing a file by another in one step, so that it is whole at every moment.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use super::place::RealPlace;

/// Puts a text in the place of the file. Whoever calls this holds the lock.
pub(super) fn replace(place: &RealPlace, text: &str) -> io::Result<()> {
    let mut temporary = Temporary::create(place)?;
    if let Ok(old) = fs::metadata(&place.file) {
        temporary.look_like(&old)?;
    }
    temporary.file.write_all(text.as_bytes())?;
    // Without this, the new name may survive a power cut and the contents may not.
    temporary.file.sync_all()?;
    fs::rename(&temporary.path, &place.file)?;
    // The new file is in place. Not every file system can promise that it stays, and it is no use to complain.
    if let Ok(folder) = File::open(&place.folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

const ENDING: &str = ".tmp";

/// A file beside the bounds file, gone when dropped unless it was renamed.
pub(super) struct Temporary {
    path: PathBuf,
    file: File,
}

impl Temporary {
    /// Makes an empty file with a name that no other process and no other call in this one takes.
    pub fn create(place: &RealPlace) -> io::Result<Self> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let path = place.hidden(&format!(".{}-{call}{ENDING}", process::id()));
        let file = File::create_new(&path)?;
        Ok(Temporary { path, file })
    }

    /// Takes over who may do what.
    fn look_like(&self, old: &fs::Metadata) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Only root can give files away. For others the new file is theirs, as with any editor.
            let _ = fchown(&self.file, Some(old.uid()), Some(old.gid()));
        }
        self.file.set_permissions(old.permissions())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After the renaming there is nothing to remove.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the temporary files of writers that were killed. Whoever calls this holds the lock, so none is in use.
pub(super) fn remove_stale(place: &RealPlace) {
    let start = place.hidden(".");
    let (Some(start), Ok(files)) = (start.file_name(), fs::read_dir(&place.folder)) else {
        return;
    };
    for file in files.flatten() {
        let name = file.file_name();
        let middle = name
            .as_encoded_bytes()
            .strip_prefix(start.as_encoded_bytes())
            .and_then(|rest| rest.strip_suffix(ENDING.as_bytes()));
        if middle.is_some_and(is_number_pair) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_file(file.path());
        }
    }
}

/// Whether these bytes are the `<process>-<call>` of a temporary file's name.
fn is_number_pair(bytes: &[u8]) -> bool {
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let mut parts = bytes.split(|byte| *byte == b'-');
    parts.next().is_some_and(is_number)
        && parts.next().is_some_and(is_number)
        && parts.next().is_none()
}
