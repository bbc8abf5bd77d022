//! The state of a project's sources in Python: shards of one state are of no use to another.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Folders that hold no sources of the project.
const LEFT_OUT: &[&str] = &[
    "__pycache__",
    "node_modules",
    "site-packages",
    "target",
    "venv",
];

/// So many files are looked at.
const MOST: usize = 20_000;

/// When files of Python below a folder were written, and how long they are.
pub fn state(folder: &Path) -> String {
    let mut state = String::new();
    let (mut folders, mut files) = (vec![folder.to_owned()], 0);
    while let Some(next) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(&next)
            .into_iter()
            .flatten()
            .flatten()
            .collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let is_left_out = name.starts_with('.') || LEFT_OUT.contains(&&*name);
            if kind.is_dir() && !is_left_out {
                folders.push(entry.path());
            } else if kind.is_file() && name.ends_with(".py") && files < MOST {
                files += 1;
                let _ = write!(
                    state,
                    "{} {} ",
                    entry.path().display(),
                    state_of(&entry.path())
                );
            }
        }
    }
    state
}

/// How long a file is, and when it was written.
pub fn state_of(file: &Path) -> String {
    let metadata = fs::metadata(file);
    metadata.map_or(String::new(), |metadata| {
        let at = metadata
            .modified()
            .ok()
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        format!("{} {}", metadata.len(), at.unwrap_or_default().as_nanos())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_edited_is_another_state() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a.py", "");
        write("package/b.py", "x = 1\n");
        let first = state(folder.path());
        assert_eq!(first, state(folder.path()));
        write(".venv/c.py", "");
        write("package/__pycache__/b.py", "");
        write("notes.txt", "");
        assert_eq!(first, state(folder.path()));
        write("package/b.py", "x = 22\n");
        let second = state(folder.path());
        assert_ne!(first, second);
        write("c.py", "");
        assert_ne!(second, state(folder.path()));
    }
}
