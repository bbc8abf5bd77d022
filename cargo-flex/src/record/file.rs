//! The file with what runs showed, between `detect`, `calibrate` and `fix`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flex_detect::record::{ObservedTest, Record, RecordError};
use flex_run::model::{Runner, TestId};
use flex_run::store::Lock;
use flex_run::text_file;

use crate::exit::Failure;

/// The file in the folder that flex has for a workspace.
pub fn default_file(folder: &Path) -> PathBuf {
    folder.join("detect.json")
}

/// A record on disk. It need not be there yet.
pub struct RecordFile {
    path: PathBuf,
}

impl RecordFile {
    pub fn at(path: PathBuf) -> Self {
        RecordFile { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the record; `None` if there is none yet.
    pub fn read(&self) -> Result<Option<Record>, Failure> {
        match self.parsed()? {
            None => Ok(None),
            Some(Ok(record)) => Ok(Some(record)),
            Some(Err(error)) => Err(self.wrong(&error.to_string())),
        }
    }

    /// The record that new tests join. What an older flex wrote is written anew.
    fn known(&self) -> Result<Option<Record>, Failure> {
        match self.parsed()? {
            None | Some(Err(RecordError::Older(_))) => Ok(None),
            Some(Ok(record)) => Ok(Some(record)),
            Some(Err(error)) => Err(self.wrong(&error.to_string())),
        }
    }

    fn parsed(&self) -> Result<Option<Result<Record, RecordError>>, Failure> {
        let text = text_file::read_text(&self.path);
        let text = text.map_err(|error| self.wrong(&error.to_string()))?;
        Ok(text.map(|text| Record::parse(&text)))
    }

    /// Asks whether [`merge`](Self::merge) could work, before hours are spent on what it is to write.
    pub fn check(&self, runner: Runner) -> Result<(), Failure> {
        match self.known()? {
            Some(record) if record.runner != runner => {
                Err(self.wrong("it is the record of tests that another harness ran"))
            }
            _ => Ok(()),
        }
    }

    /// Puts the tests of a record in the place of what was known of them. Others stay, unless they are gone.
    pub fn merge(
        &self,
        new: &Record,
        is_gone: impl Fn(&ObservedTest) -> bool,
    ) -> Result<(), Failure> {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let unwritten = |error: io::Error| Failure::Input {
            error: format!("cannot write {}: {error}", self.path.display()),
            hint: "name another file with --record".to_owned(),
        };
        fs::create_dir_all(folder).map_err(unwritten)?;
        let _turn = Lock::of(&self.path).map_err(unwritten)?;
        let mut merged = new.clone();
        if let Some(old) = self.known()?.filter(|old| old.root == new.root) {
            let is_new = |test: &ObservedTest| new.tests.iter().any(|new| key(new) == key(test));
            let kept = old.tests.into_iter();
            merged
                .tests
                .extend(kept.filter(|test| !is_new(test) && !is_gone(test)));
            merged.tests.sort_by(|a, b| key(a).cmp(&key(b)));
        }
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(merged.to_json().as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.path)?;
            Ok(())
        };
        write().map_err(unwritten)
    }

    fn wrong(&self, why: &str) -> Failure {
        Failure::Input {
            error: format!("{}: {why}", self.path.display()),
            hint: "delete the file, or name another one with --record".to_owned(),
        }
    }
}

fn key(test: &ObservedTest) -> (&Option<String>, &TestId) {
    (&test.package, &test.id)
}
