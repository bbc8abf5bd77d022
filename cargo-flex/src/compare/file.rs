//! The file that a comparison is kept in, for whoever shows it later.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flex_detect::compare::{Compared, json};

use crate::exit::Failure;

/// The name of the file in the folder that flex has.
const NAME: &str = "compare.json";

/// Keeps a comparison in the folder of flex, in the place of the last one; returns the file.
pub fn keep(compared: &Compared, folder: &Path) -> Result<PathBuf, Failure> {
    let path = folder.join(NAME);
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(json(compared).as_bytes())?;
        file.persist(&path)?;
        Ok(())
    };
    write().map_err(|error| {
        Failure::input(
            format!("cannot write {}: {error}", path.display()),
            "is there room, and may files be written there?",
        )
    })?;
    Ok(path)
}
