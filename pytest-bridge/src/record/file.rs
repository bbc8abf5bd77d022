//! A file that is whole at every moment: a new one takes its place in one step.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process;

use flex_run::text_file;

/// Puts a text in the place of a file; what is no file, such as a device, stays.
pub fn replace(file: &Path, text: &str) -> io::Result<()> {
    text_file::regular(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let temporary = file.with_file_name(format!(".{name}.{}.tmp", process::id()));
    let written = write(&temporary, text).and_then(|()| fs::rename(&temporary, file));
    if written.is_err() {
        // It may never have been there.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    let mut opened = File::create(file)?;
    opened.write_all(text.as_bytes())?;
    opened.sync_all()
}
