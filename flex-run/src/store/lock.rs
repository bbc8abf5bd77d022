//! Writers take turns, whether they are processes or threads of one.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};

use super::place::Place;

/// The right to write, given back when dropped, or when the process ends in whatever way.
pub(super) struct Lock {
    _held: File,
}

impl Lock {
    /// Waits until nobody else writes.
    ///
    /// The lock is on the folder: the bounds file is another file after each change, so a lock on it would keep nobody
    /// out, and a file just for the lock would have to stay. Only where folders cannot be locked (Windows, some network
    /// file systems) there is such a file.
    pub fn wait(place: &Place) -> io::Result<Self> {
        if cfg!(unix) {
            // A folder that cannot even be opened is an error: others may hold its lock.
            let folder = File::open(&place.folder)?;
            if wait(&folder).is_ok() {
                return Ok(Lock { _held: folder });
            }
        }
        Lock::beside(place)
    }

    fn beside(place: &Place) -> io::Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(place.hidden(".lock"))?;
        wait(&file)?;
        Ok(Lock { _held: file })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    /// Takes a lock in many threads, and asserts that only one has it at a time.
    fn check(lock: impl Fn(&Place) -> io::Result<Lock> + Sync) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::of(&folder.path().join("flex-bounds.toml")).unwrap();
        let inside = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let lock = lock(&place).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::yield_now();
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                        drop(lock);
                    }
                });
            }
        });
        folder
    }

    #[test]
    fn threads_keep_each_other_out() {
        let folder = check(Lock::wait);
        if cfg!(unix) {
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_file_beside_the_bounds_file_keeps_them_out_too() {
        let folder = check(Lock::beside);
        assert!(folder.path().join(".flex-bounds.toml.lock").exists());
    }
}
