//! What a submitter writes down, so that another one goes on where it was killed: a file beside the shards.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use flex_run::text_file;
use serde::{Deserialize, Serialize};

use super::handout::Attempt;
use crate::exit::Failure;

/// The file that a submitter holds while it works.
pub const LOCK: &str = "engine.lock";

/// The name of the file.
const FILE: &str = "engine.json";

/// Changes with every change of the file.
const VERSION: u32 = 1;

/// What one submitter tells the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    version: u32,
    /// What is calibrated, and how: what another command makes is of no use to this one.
    pub session: String,
    /// The base seed of all runs.
    pub base: String,
    /// The round of shards that is under way, from 1 on.
    pub round: u32,
    /// How many shards it has.
    pub total: u32,
    /// Attempts under way, each with what its engine calls it.
    pub tasks: Vec<(String, String)>,
}

impl Journal {
    /// The journal of a session that begins.
    pub fn new(session: String, base: String, total: u32) -> Self {
        Journal {
            version: VERSION,
            session,
            base,
            round: 1,
            total,
            tasks: Vec::new(),
        }
    }

    /// What an earlier submitter left in this folder, if it was at work on the same. Whatever cannot be read is nothing to
    /// go on from.
    pub fn left_in(folder: &Path, session: &str) -> Option<Journal> {
        let text = text_file::read_text(&folder.join(FILE)).ok()??;
        let journal: Journal = serde_json::from_str(&text).ok()?;
        let fits = journal.version == VERSION && journal.session == session;
        (fits && journal.total > 0 && journal.round > 0).then_some(journal)
    }

    /// Writes it, whole or not at all.
    pub fn save(&self, folder: &Path) -> Result<(), Failure> {
        let write = || -> io::Result<()> {
            let hidden = folder.join(format!(".{FILE}"));
            fs::write(&hidden, serde_json::to_string(self)?)?;
            fs::rename(hidden, folder.join(FILE))
        };
        write().map_err(|error| unwritten(folder, &error))
    }

    /// The attempts under way, each with what its engine calls it.
    pub fn attempts(&self) -> Vec<(Attempt, String)> {
        let attempt =
            |(attempt, task): &(String, String)| Some((attempt.parse().ok()?, task.clone()));
        self.tasks.iter().filter_map(attempt).collect()
    }

    /// Nothing is left to go on with.
    pub fn forget(folder: &Path) {
        // Without it the next one begins anew, which it does as well if it fits nothing.
        let _ = fs::remove_file(folder.join(FILE));
    }
}

/// The one submitter that works in a folder.
#[derive(Debug)]
pub struct Held {
    _file: File,
    path: PathBuf,
}

impl Held {
    /// Makes the folder, and holds it against other submitters until it is dropped.
    pub fn hold(folder: &Path) -> Result<Self, Failure> {
        let open = || -> io::Result<(File, PathBuf)> {
            fs::create_dir_all(folder)?;
            let path = folder.join(LOCK);
            let mut options = File::options();
            options.write(true).create(true).truncate(false);
            Ok((options.open(&path)?, path))
        };
        let (file, path) = open().map_err(|error| unwritten(folder, &error))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Failure::input(
                format!("another calibration is at work in {}", folder.display()),
                "wait for it, or end it",
            )),
            // Where locks cannot be had, nobody is kept out.
            _ => Ok(Held { _file: file, path }),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn unwritten(folder: &Path, error: &io::Error) -> Failure {
    Failure::input(
        format!("cannot write to {}: {error}", folder.display()),
        "is it a folder, and is there room?",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_submitter_finds_what_the_first_left() {
        let folder = tempfile::tempdir().unwrap();
        let left = |session: &str| Journal::left_in(folder.path(), session);
        assert_eq!(left("a"), None);
        let mut journal = Journal::new("a".to_owned(), "base".to_owned(), 16);
        journal.tasks = vec![
            ("3.0".to_owned(), "17_3".to_owned()),
            ("what".to_owned(), "17_4".to_owned()),
        ];
        journal.save(folder.path()).unwrap();
        assert_eq!(left("b"), None);
        let found = left("a").unwrap();
        assert_eq!(found, journal);
        let attempt = Attempt { shard: 3, nth: 0 };
        assert_eq!(found.attempts(), [(attempt, "17_3".to_owned())]);
        for wrong in ["", "{}", "{\"version\": 2}", "null"] {
            fs::write(folder.path().join(FILE), wrong).unwrap();
            assert_eq!(left("a"), None, "{wrong}");
        }
        journal.save(folder.path()).unwrap();
        Journal::forget(folder.path());
        assert_eq!(left("a"), None);
    }

    #[test]
    fn two_submitters_do_not_work_in_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("new/one");
        let held = Held::hold(&below).unwrap();
        let other = Held::hold(&below).unwrap_err().to_string();
        assert!(other.contains("another calibration is at work"), "{other}");
        drop(held);
        assert!(Held::hold(&below).is_ok());
    }
}
