//! What runs showed, collected over many of them: the lines of [`crate::kept`], in a place that people name
//! (docs/reference/history.md).
//!
//! Every line is added in one write and never changed, and every process has a file of its own where the place is a folder.
//! So files may be copied together from anywhere: what is there twice counts once.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use flex_core::sorted::sort;
use flex_core::visible::visible;

use crate::json::Object;
use crate::kept::append_line;
use crate::project::date::now;
use crate::project::env;
use crate::text_file;

/// The ending of files of lines.
pub const ENDING: &str = "jsonl";

/// A file of more bytes than that becomes the older one.
const FULL: u64 = 64 << 20;

/// The files of all processes in a folder have so many bytes at most when another one begins.
const ALL_FULL: u64 = 1 << 30;

/// Where values are collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryPlace {
    path: PathBuf,
}

impl HistoryPlace {
    /// The history at this path: a file, if it is one or ends in `.jsonl`, and else a folder.
    pub fn at(path: PathBuf) -> Self {
        HistoryPlace { path }
    }

    /// The path that was stated.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line. What there is to say if that is not possible is said once in a process.
    pub fn append_or_say(&self, line: &str) -> Option<String> {
        static SAID: AtomicBool = AtomicBool::new(false);
        let error = self.append(line).err()?;
        (!SAID.swap(true, Ordering::Relaxed)).then(|| {
            let path = self.path.display().to_string();
            format!(
                "warning: {}={}: {error}; values of this process are not collected\n",
                env::HISTORY,
                visible(&path)
            )
        })
    }

    /// Adds a line.
    pub fn append(&self, line: &str) -> io::Result<()> {
        let is_file =
            self.path.is_file() || self.path.extension().is_some_and(|ending| ending == ENDING);
        let file = match is_file && !self.path.is_dir() {
            true => self.path.clone(),
            false => {
                let file = self.path.join(file_of_process());
                if !file.exists() {
                    make_room(&self.path, ALL_FULL);
                }
                file
            }
        };
        let older = file.with_extension(format!("old.{ENDING}"));
        append_line(&file, &older, FULL, line)
    }
}

/// The name of the file of this process, which no other has, on whatever machine.
fn file_of_process() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let random = RandomState::new().build_hasher().finish();
        let process = std::process::id();
        format!("{:010}-{process}-{random:016x}.{ENDING}", now())
    })
}

/// Whether a process of ours named a file so; the names of older ones come first.
fn is_of_process(name: &str) -> bool {
    let Some(name) = name
        .strip_suffix(ENDING)
        .and_then(|name| name.strip_suffix('.'))
    else {
        return false;
    };
    let mut parts = name.strip_suffix(".old").unwrap_or(name).split('-');
    let mut is_number = |radix, digits: std::ops::RangeInclusive<usize>| {
        let part = parts.next().unwrap_or_default();
        digits.contains(&part.len()) && part.chars().all(|c| c.is_digit(radix))
    };
    is_number(10, 10..=10)
        && is_number(10, 1..=10)
        && is_number(16, 16..=16)
        && parts.next().is_none()
}

/// The order in which files were written: `a.old.jsonl` before `a.jsonl`.
fn age(file: &Path) -> (PathBuf, bool) {
    let named = file.with_extension("");
    match named.extension().is_some_and(|end| end == "old") {
        true => (named.with_extension(""), false),
        false => (named, true),
    }
}

/// Removes the oldest files of processes in a folder, until the others have so many bytes at most. What people put there
/// under other names stays. What cannot be removed stays too.
fn make_room(folder: &Path, most: u64) {
    let mut files: Vec<(PathBuf, u64)> = Vec::new();
    let mut all = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_of_process);
        if let (true, Ok(about)) = (is_ours, entry.metadata()) {
            files.push((entry.path(), about.len()));
            all += about.len();
        }
    }
    sort(&mut files, |(a, _), (b, _)| age(a) < age(b));
    for (file, bytes) in files {
        if all <= most {
            return;
        }
        let removed = fs::remove_file(file);
        // What another process removed just now is gone, too.
        let is_gone = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
        if removed.map_or_else(is_gone, |()| true) {
            all -= bytes;
        }
    }
}

/// Adds where values are from: the source of the test, the kind of machine, the engine, and the commit where it is known.
pub(crate) fn origin(line: &mut Object, fingerprint: &str) {
    line.text("fingerprint", fingerprint);
    line.text("platform", &platform());
    line.text("engine", concat!("flex ", env!("CARGO_PKG_VERSION")));
    line.maybe_text("commit", env::commit().as_deref());
}

/// The kind of machine, such as `x86_64-linux`.
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// The endings of files with lines: histories, and calibrations that were kept.
pub const LINES: [&str; 2] = [ENDING, "json"];

/// The text of a file, or why it cannot be read.
#[inline]
pub fn text(file: &Path) -> Result<String, String> {
    let text = text_file::read_text(file).map_err(|error| error.to_string())?;
    text.ok_or_else(|| "it is gone".to_owned())
}

/// All files at these paths, in the order of names: of folders, those with one of these endings. The error is a path where
/// nothing is.
#[inline]
pub fn files(paths: &[PathBuf], endings: &[&str]) -> Result<Vec<PathBuf>, PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, endings, DEPTH, &mut found);
        } else if path.exists() {
            found.push(path.clone());
            let older = path.with_extension(format!("old.{ENDING}"));
            found.extend(Some(older).filter(|older| older.is_file()));
        } else {
            return Err(path.clone());
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Folders within folders that are looked into: servers unpack each artifact into one of its own.
const DEPTH: usize = 6;

#[inline]
fn walk(folder: &Path, endings: &[&str], depth: usize, found: &mut Vec<PathBuf>) {
    // What cannot be listed holds nothing.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let kind = entry.file_type();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
            if depth > 0 {
                walk(&path, endings, depth - 1, found);
            }
        } else if ending.is_some_and(|ending| endings.contains(&ending)) {
            found.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_a_file_for_each_process_and_a_file_has_all() {
        let folder = tempfile::tempdir().unwrap();
        let many = folder.path().join("a/b");
        let history = HistoryPlace::at(many.clone());
        history.append("{\"a\":1}\n").unwrap();
        history.append("{\"a\":2}\n").unwrap();
        let files: Vec<PathBuf> = fs::read_dir(&many)
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        assert_eq!(files.len(), 1);
        assert_eq!(
            fs::read_to_string(&files[0]).unwrap(),
            "{\"a\":1}\n{\"a\":2}\n"
        );

        let one = folder.path().join("c/one.jsonl");
        // The last writer was killed.
        fs::create_dir(one.parent().unwrap()).unwrap();
        fs::write(&one, "{\"a\":1}\n{\"a\"").unwrap();
        HistoryPlace::at(one.clone()).append("{\"a\":3}\n").unwrap();
        assert_eq!(
            fs::read_to_string(&one).unwrap(),
            "{\"a\":1}\n{\"a\"\n{\"a\":3}\n"
        );
    }

    #[test]
    fn of_a_folder_that_is_full_the_oldest_files_of_processes_go() {
        let folder = tempfile::tempdir().unwrap();
        let history = HistoryPlace::at(folder.path().to_owned());
        history.append("{}\n").unwrap();
        let names = [
            "0000000001-7-00000000000000aa.jsonl",
            "0000000002-7-00000000000000aa.old.jsonl",
            "0000000002-7-00000000000000aa.jsonl",
            "0000000001-theirs.jsonl",
            "merged.jsonl",
        ];
        for name in names {
            fs::write(folder.path().join(name), [b'\n'; 100]).unwrap();
        }
        let left = || {
            let there = |name: &&str| folder.path().join(name).exists();
            names.into_iter().filter(there).collect::<Vec<&str>>()
        };
        make_room(folder.path(), 303);
        assert_eq!(left(), names);
        make_room(folder.path(), 302);
        assert_eq!(left(), names[1..]);
        make_room(folder.path(), 202);
        assert_eq!(left(), names[2..]);
        make_room(folder.path(), 3);
        assert_eq!(left(), names[3..]);
        // The file of this process is the newest.
        assert!(folder.path().join(file_of_process()).exists());
    }

    #[test]
    fn what_cannot_be_written_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let history = HistoryPlace::at(file.join("below"));
        let words = history.append_or_say("{}\n").unwrap();
        assert!(words.starts_with("warning: FLEX_HISTORY="), "{words}");
        assert_eq!(history.append_or_say("{}\n"), None);
    }
}
