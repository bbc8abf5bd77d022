//! What differs between two commits, or between a commit and the files as they are.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use flex_gate::change::ChangeKind;

use super::{Commit, Repository, os_string};
use crate::exit::Failure;

/// A file that differs.
#[derive(Debug)]
pub struct DiffedFile {
    /// Its path from the top of the repository; the old one if it is gone.
    pub path: PathBuf,
    /// Its path before, if it was renamed.
    pub old_path: Option<PathBuf>,
    /// What became of it.
    pub change: ChangeKind,
    /// What it held.
    pub old: FileText,
    /// What it holds.
    pub new: FileText,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// Text.
    Text(String),
    /// Something else, or too much.
    Binary,
    /// There is no such file.
    Absent,
}

impl FileText {
    /// Bytes, as text if they are one. A byte order mark is no part of it.
    fn of(bytes: &[u8]) -> Self {
        const LARGEST: usize = 8 << 20;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) if bytes.len() <= LARGEST && !bytes.contains(&0) => {
                FileText::Text(text.to_owned())
            }
            _ => FileText::Binary,
        }
    }

    /// The text; empty if there is none.
    pub fn text(&self) -> &str {
        match self {
            FileText::Text(text) => text,
            FileText::Binary | FileText::Absent => "",
        }
    }
}

/// A line of `git diff --raw`.
struct Raw {
    old_id: String,
    new_id: String,
    status: u8,
    /// Whether both sides that there are are ordinary files.
    is_plain: bool,
    path: PathBuf,
    old_path: Option<PathBuf>,
}

impl Repository {
    /// The files that differ between a commit and another, or the files as they are, in the order of their paths.
    pub fn diff(&self, base: &Commit, head: Option<&Commit>) -> Result<Vec<DiffedFile>, Failure> {
        let failed = |why: String| Failure::input(format!("git diff: {why}"), "see what git says");
        let options = [
            "diff",
            "--raw",
            "-z",
            "--no-abbrev",
            "--find-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=none",
        ];
        let mut words = options.to_vec();
        words.push(base.id());
        words.extend(head.map(Commit::id));
        words.push("--");
        let mut changed = raws(&self.run(&words, b"").map_err(failed)?);
        if head.is_none() {
            let words = ["ls-files", "-z", "--others", "--exclude-standard"];
            let untracked = self.run(&words, b"").map_err(failed)?;
            let paths = untracked.split(|byte| *byte == 0).filter(|p| !p.is_empty());
            changed.extend(paths.map(|path| Raw {
                old_id: String::new(),
                new_id: String::new(),
                status: b'A',
                is_plain: true,
                path: os_string(path).into(),
                old_path: None,
            }));
        }
        changed.sort_by(|a, b| a.path.cmp(&b.path));
        let ids = changed.iter().flat_map(|raw| [&raw.old_id, &raw.new_id]);
        let blobs = self.blobs(ids).map_err(failed)?;
        let text = |id: &str| blobs.get(id).map(|bytes| FileText::of(bytes));
        let files = changed.into_iter().map(|raw| {
            let change = match raw.status {
                b'A' => ChangeKind::Added,
                b'D' => ChangeKind::Removed,
                _ => ChangeKind::Changed,
            };
            let here = || match (head, raw.is_plain) {
                (None, true) => fs::read(self.top.join(&raw.path)).ok(),
                _ => None,
            };
            let old = match change {
                ChangeKind::Added => FileText::Absent,
                _ => text(&raw.old_id).unwrap_or(FileText::Binary),
            };
            let new = match change {
                ChangeKind::Removed => FileText::Absent,
                _ => text(&raw.new_id)
                    .or_else(|| here().map(|bytes| FileText::of(&bytes)))
                    .unwrap_or(FileText::Binary),
            };
            DiffedFile {
                path: raw.path,
                old_path: raw.old_path,
                change,
                old,
                new,
            }
        });
        Ok(files.collect())
    }

    /// The contents of blobs. What is no blob, such as a commit of a submodule, is left out.
    fn blobs<'a>(
        &self,
        ids: impl Iterator<Item = &'a String>,
    ) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let is_one = |id: &&String| id.len() >= 40 && id.bytes().any(|byte| byte != b'0');
        let wanted: Vec<&str> = ids.filter(is_one).map(String::as_str).collect();
        let mut input = wanted.join("\n");
        input.push('\n');
        let mut found = BTreeMap::new();
        if wanted.is_empty() {
            return Ok(found);
        }
        let output = self.run(&["cat-file", "--batch"], input.as_bytes())?;
        let mut rest = &output[..];
        // `<id> <type> <size>`, the bytes, and a line break; or `<id> missing`.
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let header = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 1..];
            let words: Vec<&str> = header.split(' ').collect();
            if let [id, kind, size] = words[..]
                && let Ok(size) = size.parse::<usize>()
                && size < rest.len()
            {
                if kind == "blob" {
                    found.insert(id.to_owned(), rest[..size].to_vec());
                }
                rest = &rest[size + 1..];
            }
        }
        Ok(found)
    }
}

/// Reads `:100644 100644 <id> <id> M\0path\0`, with a second path behind a rename.
fn raws(output: &[u8]) -> Vec<Raw> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut raws = Vec::new();
    while let Some(head) = fields.next().filter(|head| head.first() == Some(&b':')) {
        let head = String::from_utf8_lossy(head).into_owned();
        let words: Vec<&str> = head[1..].split(' ').collect();
        let [old_mode, new_mode, old_id, new_id, status] = words[..] else {
            break;
        };
        let mut path = || fields.next().map(|path| PathBuf::from(os_string(path)));
        let Some(first) = path() else { break };
        let status = status.bytes().next().unwrap_or(b'M');
        let (path, old_path) = match status {
            b'R' => match path() {
                Some(new) => (new, Some(first)),
                None => break,
            },
            // A copy is a file of its own.
            b'C' => (path().unwrap_or(first), None),
            _ => (first, None),
        };
        let is_plain = |mode: &str| mode.starts_with("100") || mode == "000000";
        raws.push(Raw {
            old_id: old_id.to_owned(),
            new_id: new_id.to_owned(),
            status: if status == b'C' { b'A' } else { status },
            is_plain: is_plain(old_mode) && is_plain(new_mode),
            path,
            old_path,
        });
    }
    raws
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_known() {
        assert_eq!(
            FileText::of(b"\xef\xbb\xbfa"),
            FileText::Text("a".to_owned())
        );
        assert_eq!(FileText::of(b"a\0b"), FileText::Binary);
        assert_eq!(FileText::of(b"caf\xe9"), FileText::Binary);
    }

    #[test]
    fn raw_lines_are_read_with_any_path() {
        let id = "1".repeat(40);
        let line =
            |status: &str, paths: &str| format!(":100644 100644 {id} {id} {status}\0{paths}\0");
        let output = line("M", "a b\nc.rs") + &line("R097", "old.rs\0new.rs") + &line("D", ":x");
        let found: Vec<_> = raws(output.as_bytes())
            .into_iter()
            .map(|raw| (raw.path, raw.old_path, raw.status))
            .collect();
        assert_eq!(
            found,
            [
                ("a b\nc.rs".into(), None, b'M'),
                ("new.rs".into(), Some("old.rs".into()), b'R'),
                (":x".into(), None, b'D'),
            ]
        );
    }
}
