//! Folders for files that pass between processes, and are gone when they have been read.
//!
//! Each is locked as long as the process lives that made it. One that is there without a lock was left behind by a process
//! that was killed, and is cleared away by the next that makes one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder that these lie in.
const TOP: &str = "scratch";

/// The file that is locked.
const LOCK: &str = "lock";

/// And its name before it is.
const UNLOCKED: &str = "unlocked";

/// A folder that is gone when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    /// Held until then.
    _lock: File,
}

impl Scratch {
    /// Makes a folder below this one, which need not be there.
    pub fn within(parent: &Path) -> io::Result<Self> {
        static CLEARED: Once = Once::new();
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let top = parent.join(TOP);
        CLEARED.call_once(|| clear(&top));
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let folder = top.join(format!("{}-{number}", std::process::id()));
            fs::create_dir_all(&top)?;
            match fs::create_dir(&folder) {
                // Of a process with the same number, which may live in another container.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            // Under its name it is locked from the beginning.
            let unlocked = folder.join(UNLOCKED);
            let lock = File::create(&unlocked)?;
            // Where files cannot be locked, nobody else can lock this one either, so that it stays.
            let _ = lock.try_lock();
            fs::rename(unlocked, folder.join(LOCK))?;
            return Ok(Scratch {
                folder,
                _lock: lock,
            });
        }
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A file in it whose name nobody else has, and which is gone when it is dropped.
    pub fn fresh(&self, name: &str) -> ScratchFile {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        ScratchFile {
            path: self.file(&format!("{name}-{number}")),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

/// A file that is gone when it is dropped, if somebody made it.
#[derive(Debug)]
pub struct ScratchFile {
    /// Where it is.
    pub path: PathBuf,
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        // What is left goes with its folder.
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be deleted now is cleared away later.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Clears away what processes left behind that are gone.
fn clear(top: &Path) {
    let Ok(folders) = fs::read_dir(top) else {
        return;
    };
    for folder in folders.filter_map(Result::ok) {
        let folder = folder.path();
        let lock = File::options().write(true).open(folder.join(LOCK));
        // One without a file to lock is being made just now.
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_gone_when_it_is_dropped() {
        let parent = tempfile::tempdir().unwrap();
        let (one, other) = (
            Scratch::within(parent.path()),
            Scratch::within(parent.path()),
        );
        let (one, other) = (one.unwrap(), other.unwrap());
        assert_ne!(one.path(), other.path());
        fs::write(one.file("a"), "b").unwrap();
        let (first, second) = (one.fresh("record"), one.fresh("record"));
        fs::write(&first.path, "runs").unwrap();
        assert!(first.path.exists() && first.path != second.path);
        let file = first.path.clone();
        drop(first);
        assert!(!file.exists());
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists() && other.path().exists());
    }

    #[test]
    fn what_nobody_holds_is_cleared_away() {
        let parent = tempfile::tempdir().unwrap();
        let held = Scratch::within(parent.path()).unwrap();
        let left = held.path().with_file_name("999999-0");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        fs::write(left.join("record"), "runs").unwrap();
        clear(&parent.path().join(TOP));
        assert!(!left.exists() && held.path().exists());
    }
}
