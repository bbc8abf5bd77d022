//! The files that the plugin keeps in pytest's cache.

use std::path::{Path, PathBuf};

/// The record of a search, below the root that pytest finds.
pub const CACHED_RECORD: &str = ".pytest_cache/d/flex/detect.json";

/// Returns where a record would be for tests with this path or node id: in a cache at or above them, the nearest first.
pub fn in_caches(tests: &Path) -> Vec<PathBuf> {
    let text = tests.to_string_lossy();
    // A node id begins with the file.
    let file = Path::new(text.split("::").next().unwrap_or_default());
    let start = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folders = start.ancestors();
    folders.map(|folder| folder.join(CACHED_RECORD)).collect()
}
