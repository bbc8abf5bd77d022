//! The sources of a record's tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::place::SourceFile;
use crate::record::Record;
use crate::source::conflict_marker;

/// Source files, each read once.
pub(super) struct Sources<'a> {
    pub record: &'a Record,
    read: &'a mut dyn FnMut(&Path) -> Result<String, String>,
    texts: BTreeMap<PathBuf, Result<String, String>>,
}

impl<'a> Sources<'a> {
    pub fn new(
        record: &'a Record,
        read: &'a mut dyn FnMut(&Path) -> Result<String, String>,
    ) -> Self {
        Sources {
            record,
            read,
            texts: BTreeMap::new(),
        }
    }

    /// The text of a file that was read.
    pub fn text(&self, file: &Path) -> Option<&str> {
        let text = self.texts.get(file)?.as_ref();
        text.ok().map(String::as_str)
    }

    /// The file; it is read if it was not before.
    pub fn source(&mut self, file: &Path) -> Result<SourceFile, String> {
        let text = match self.texts.get(file) {
            Some(text) => text.clone(),
            None => {
                let text = (self.read)(file).and_then(|text| match conflict_marker(&text) {
                    Some(line) => Err(format!(
                        "{}:{line} holds what a merge left behind; resolve that first",
                        file.display()
                    )),
                    None => Ok(text),
                });
                self.texts.insert(file.to_owned(), text.clone());
                text
            }
        };
        Ok(SourceFile::new(
            self.record.runner,
            self.record.rerun_marker,
            text?,
        ))
    }
}
