//! A history on disk: where it is, and the files of it (docs/reference/history.md).

use std::path::PathBuf;

use flex_report::history::History;
use flex_run::history::{LINES, text};
use flex_run::project::env;

use crate::exit::Failure;

/// The paths of a history: those that are stated, or the one that the environment has.
pub fn stated(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let paths = match paths {
        [] => env::history().map(|history| vec![history]),
        stated => Some(stated.to_vec()),
    };
    paths.ok_or_else(|| {
        Failure::input(
            "no history is named",
            format!(
                "say where it is with --history PATH, or with {}",
                env::HISTORY
            ),
        )
    })
}

/// Reads a history: files, and folders with all that lies in them.
pub fn read(paths: &[PathBuf]) -> Result<History, Failure> {
    let mut history = History::default();
    for file in files(paths, &LINES)? {
        let text = text(&file);
        let name = file.display().to_string();
        history.add(&name, text.as_deref().map_err(String::as_str));
    }
    Ok(history.ordered())
}

/// All files at these paths: of folders, those with one of these endings.
pub fn files(paths: &[PathBuf], endings: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    flex_run::history::files(paths, endings).map_err(|gone| {
        Failure::input(
            format!("{} is not there", gone.display()),
            format!("{} collects values there in test runs", env::HISTORY),
        )
    })
}
