//! Writers take turns, whether they are processes or threads of one, on this machine or on another.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::place::RealPlace;

/// The right to write a file, given back when dropped, or when the process ends in whatever way.
///
/// The lock is on a hidden file beside it: the file itself is another one after each change, so a lock on it would keep
/// nobody out; and folders can be locked on some machines that share them, and not on others. Where no file can be
/// locked, nobody writes: two ways of taking turns would be none.
#[derive(Debug)]
pub struct Lock {
    held: File,
    path: PathBuf,
}

impl Lock {
    /// Waits until nobody else writes the file at this path.
    pub fn of(path: &Path) -> io::Result<Self> {
        let unnamed = || io::Error::new(ErrorKind::InvalidInput, "it has no name");
        Lock::wait(&RealPlace::of(path).ok_or_else(unnamed)?)
    }

    pub(super) fn wait(place: &RealPlace) -> io::Result<Self> {
        let path = place.hidden(".lock");
        loop {
            // What is no file was put there by somebody else.
            crate::text_file::regular(&path)?;
            let held = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)?;
            wait(&held)?;
            // Whoever had the lock before has removed the file, and others may have made a new one.
            if is_at(&held, &path) {
                return Ok(Lock { held, path });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Those who wait see that it is gone, and begin anew. Elsewhere, a file that is open cannot be removed.
        if cfg!(unix) && is_at(&self.held, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn wait(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Whether a file is still the one at its path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn threads_keep_each_other_out_and_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flex-bounds.toml");
        // What a writer left that was killed.
        fs::write(folder.path().join(".flex-bounds.toml.lock"), "").unwrap();
        let inside = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let lock = Lock::of(&path).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::yield_now();
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                        drop(lock);
                    }
                });
            }
        });
        if cfg!(unix) {
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_lock_on_the_folder_is_none_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::open(folder.path()).unwrap();
        // As a program of another edition, or a machine that can lock folders, might.
        file.lock().unwrap();
        drop(Lock::of(&folder.path().join("flex-bounds.toml")).unwrap());
    }
}
