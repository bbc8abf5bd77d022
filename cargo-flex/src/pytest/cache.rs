//! The files that the plugin keeps in pytest's cache.

use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use flex_run::project::env;
use flex_run::store::Store;

use crate::called;
use crate::exit::Failure;

/// Where the plugin keeps what nothing depends on, below the folder of pytest's cache.
pub const FLEX_CACHE: &str = ".pytest_cache/d/flex";

/// The record of a search, below the root that pytest finds.
pub const CACHED_RECORD: &str = ".pytest_cache/d/flex/detect.json";

/// The trace of all tests, below the root that pytest finds.
pub const CACHED_TRACE: &str = ".pytest_cache/d/flex/trace.json";

/// Returns where a file of a cache would be for tests with this path or node id: in a cache at or above them, the
/// nearest first.
pub fn in_caches(tests: &Path, file: &str) -> Vec<PathBuf> {
    let text = tests.to_string_lossy();
    // A node id begins with the file.
    let tests = Path::new(text.split("::").next().unwrap_or_default());
    let start = std::path::absolute(tests).unwrap_or_else(|_| tests.to_owned());
    let folders = start.ancestors();
    folders.map(|folder| folder.join(file)).collect()
}

/// The files of this name in caches, before pytest writes one of them.
pub struct Cached<'a> {
    tests: &'a Path,
    file: &'static str,
    known: Vec<(PathBuf, SystemTime)>,
}

impl<'a> Cached<'a> {
    /// Looks at what there is.
    pub fn before(tests: &'a Path, file: &'static str) -> Self {
        Cached {
            tests,
            file,
            known: found(tests, file),
        }
    }

    /// The nearest that there was.
    pub fn nearest(&self) -> Option<&Path> {
        self.known.first().map(|(path, _)| path.as_path())
    }

    /// The file that was written since.
    pub fn written(&self) -> Option<PathBuf> {
        let is_new = |file: &(PathBuf, SystemTime)| !self.known.contains(file);
        let file = found(self.tests, self.file).into_iter().find(is_new);
        file.map(|(path, _)| path)
    }
}

/// The files in caches, the nearest first, with when they were written.
fn found(tests: &Path, file: &str) -> Vec<(PathBuf, SystemTime)> {
    let written = |path: PathBuf| {
        let at = path.metadata().ok()?.modified().ok()?;
        Some((path, at))
    };
    in_caches(tests, file)
        .into_iter()
        .filter_map(written)
        .collect()
}

/// The bounds file that tests at this path have.
pub fn store_above(path: &Path) -> Result<Store, Failure> {
    let absolute = std::path::absolute(path)?;
    // Above `tests/..` lies no folder `tests`.
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    let whole = goes_up.then(|| path.canonicalize().ok()).flatten();
    let whole = whole.unwrap_or(absolute);
    let mut folders = whole.ancestors().map(env::bounds_file_in);
    let found = folders.find(|file| file.exists());
    found.map(Store::at).ok_or_else(|| {
        Failure::input(
            format!(
                "no {} lies at {} or above",
                env::BOUNDS_FILE,
                path.display()
            ),
            format!("learn one: {} calibrate --pytest PATH", called::name()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_above_a_folder_that_was_left_is_not_looked_at() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let inner = root.join("suite/inner");
        std::fs::create_dir_all(&inner).unwrap();
        for folder in [&root, &inner] {
            std::fs::write(env::bounds_file_in(folder), "version = 2\n").unwrap();
        }
        let check = |path: &str, expected: &Path| {
            let found = store_above(&root.join(path)).unwrap();
            assert_eq!(found.path(), env::bounds_file_in(expected), "{path}");
        };
        check("suite/inner", &inner);
        check("suite/inner/..", &root);
        check("suite/inner/test_it.py::test_it", &inner);
    }
}
