//! Files of summaries, as CI services have them: all steps of a job write to the end of one.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use crate::exit::Failure;

/// Adds to the end of a file.
pub fn append(file: &Path, text: &str) -> Result<(), Failure> {
    let open = OpenOptions::new().create(true).append(true).open(file);
    let written = open.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        Failure::input(
            format!("cannot write {}: {error}", file.display()),
            "name a file in a folder that is there, with --summary",
        )
    })
}
