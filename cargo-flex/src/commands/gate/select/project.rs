//! The sources of a repository.

use std::sync::Mutex;

use flex_gate::graph::ProjectFile;
use flex_gate::source::{self, Language};

use crate::exit::Failure;
use crate::git::Repository;
use crate::session::{for_each, jobs, locked};

/// Sources that are larger were not written by people, and nobody calls what is in them by name.
const LARGEST: usize = 2 << 20;

/// The files of a repository that are Rust or Python, as they are.
pub fn files(repository: &Repository) -> Result<Vec<ProjectFile>, Failure> {
    let paths = repository.files()?.into_iter().filter_map(|path| {
        let text = path.to_str()?.replace('\\', "/");
        Some((Language::of(&text)?, text))
    });
    let found = Mutex::new(Vec::new());
    for_each(paths.collect(), jobs(None), |(language, path)| {
        let whole = repository.top().join(&path);
        let is_plain = whole
            .symlink_metadata()
            .is_ok_and(|metadata| metadata.is_file());
        let text = is_plain.then(|| std::fs::read(&whole).ok()).flatten();
        let text = text.filter(|bytes| bytes.len() <= LARGEST);
        if let Some(text) = text {
            let text = String::from_utf8_lossy(&text);
            let source = source::read(language, &text);
            locked(&found).push(ProjectFile { path, source });
        }
    });
    let mut files = std::mem::take(&mut *locked(&found));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
