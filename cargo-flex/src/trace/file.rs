//! The file with what tests touch and execute.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flex_detect::record::Record;
use flex_detect::trace::Trace;
use flex_run::model::Runner;
use flex_run::text_file;

use crate::called;
use crate::exit::Failure;

/// A trace on disk. It need not be there yet.
pub struct TraceFile {
    path: PathBuf,
}

impl TraceFile {
    pub fn at(path: PathBuf) -> Self {
        TraceFile { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the trace; `None` if there is none yet.
    pub fn read(&self) -> Result<Option<Trace>, Failure> {
        let text = text_file::read_text(&self.path);
        let Some(text) = text.map_err(|error| self.wrong(&error.to_string()))? else {
            return Ok(None);
        };
        match (Trace::parse(&text), Record::parse(&text)) {
            (Ok(trace), _) => Ok(Some(trace)),
            (Err(_), Ok(_)) => Err(Failure::input(
                format!(
                    "{}: it is the record of a search, no trace",
                    self.path.display()
                ),
                format!(
                    "`{0} trace learn TRACE --outcomes FILE` takes it there; `{0} trace` writes traces",
                    called::name()
                ),
            )),
            (Err(error), Err(_)) => Err(self.wrong(&error.to_string())),
        }
    }

    /// Asks whether the file may be written, before tests are run: what cannot be read is not overwritten.
    pub fn check(&self, runner: Runner) -> Result<(), Failure> {
        match self.read()? {
            Some(trace) if trace.runner != runner => {
                Err(self.wrong("it is the trace of tests that another harness ran"))
            }
            _ => Ok(()),
        }
    }

    /// Writes the trace in the place of the one that is there.
    pub fn write(&self, trace: &Trace) -> Result<(), Failure> {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let write = || -> io::Result<()> {
            fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(trace.to_json().as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.path)?;
            Ok(())
        };
        write().map_err(|error| {
            Failure::input(
                format!("cannot write {}: {error}", self.path.display()),
                "name another file with --out",
            )
        })
    }

    fn wrong(&self, why: &str) -> Failure {
        Failure::input(
            format!("{}: {why}", self.path.display()),
            format!(
                "name another file, or delete this one and run `{} trace` again",
                called::name()
            ),
        )
    }
}
