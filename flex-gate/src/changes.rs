//! The changes of a project: its changed files with what changed in them, as text and as JSON between the stages.

use std::fmt::Write as _;

use flex_core::visible::visible;
use serde::{Deserialize, Serialize};

use crate::change::{ChangeKind, ChangedItem, TOP_LEVEL};
use crate::format::{FormatError, versioned};

/// The version of the format.
pub const VERSION: u32 = 1;

/// All changes between two states of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// [`VERSION`].
    pub version: u32,
    /// The commit that it is compared with; `None` if functions were named by hand.
    #[serde(default)]
    pub base: Option<String>,
    /// The commit that is compared; `None` for the files as they are.
    #[serde(default)]
    pub head: Option<String>,
    /// The changed files.
    pub files: Vec<ChangedFile>,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Its path from the top of the repository; the old one if it is gone.
    pub path: String,
    /// Its path before, if it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// What became of it.
    pub change: ChangeKind,
    /// What it holds.
    pub content: Content,
    /// What changed in it, if it is a source that can be read.
    #[serde(default)]
    pub items: Vec<ChangedItem>,
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// Rust or Python.
    Source,
    /// Text of another kind.
    Text,
    /// Bytes that are no text.
    Binary,
}

/// How much is said of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Files.
    Files,
    /// Functions.
    Functions,
    /// Functions with their lines.
    Lines,
}

impl Changes {
    /// Reads what was written as JSON.
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        versioned(text, VERSION)
    }

    /// Reads lines such as `src/lib.rs:Sketch::merge`, as the text has them; a line without a function means all of a
    /// file.
    pub fn of_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let mut changes = Changes {
            version: VERSION,
            base: None,
            head: None,
            files: Vec::new(),
        };
        for line in lines {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (path, function) = split_line(line);
            let file = match changes.files.iter().position(|file| file.path == path) {
                Some(known) => known,
                None => {
                    changes.files.push(ChangedFile {
                        path: path.to_owned(),
                        old_path: None,
                        change: ChangeKind::Changed,
                        content: match crate::source::Language::of(path) {
                            Some(_) => Content::Source,
                            None => Content::Text,
                        },
                        items: Vec::new(),
                    });
                    changes.files.len() - 1
                }
            };
            changes.files[file].items.push(ChangedItem {
                function: function.unwrap_or(TOP_LEVEL).to_owned(),
                name: None,
                change: ChangeKind::Changed,
                lines: Vec::new(),
            });
        }
        changes
    }

    /// The changes for people: a line for each file or function, which [`of_lines`](Self::of_lines) reads.
    pub fn to_text(&self, detail: Detail) -> String {
        let mut text = String::new();
        for file in &self.files {
            let path = visible(&file.path);
            if detail == Detail::Files || file.items.is_empty() {
                let _ = writeln!(text, "{path}");
                continue;
            }
            for (index, item) in file.items.iter().enumerate() {
                let is_known = |other: &ChangedItem| other.function == item.function;
                if detail == Detail::Functions && file.items[..index].iter().any(is_known) {
                    continue;
                }
                let _ = write!(text, "{path}:{}", visible(&item.function));
                if detail == Detail::Lines {
                    let ranges = item
                        .lines
                        .iter()
                        .map(|(first, last)| format!("{first}:{last}"));
                    let ranges: Vec<String> = ranges.collect();
                    let _ = write!(text, " {}", ranges.join(","));
                    if let Some(name) = &item.name {
                        let _ = write!(text, " {}", visible(name));
                    }
                    if item.change != ChangeKind::Changed {
                        let _ = write!(text, " {}", item.change.as_str());
                    }
                }
                text.push('\n');
            }
        }
        text
    }
}

/// The file and the function of a line. A path may hold colons and spaces; that of a source ends with its suffix.
fn split_line(line: &str) -> (&str, Option<&str>) {
    let ends = [".rs:", ".py:"].iter().filter_map(|end| {
        let at = line.find(end)?;
        Some(at + end.len() - 1)
    });
    let at = ends
        .min()
        .or_else(|| match line.ends_with(".rs") || line.ends_with(".py") {
            true => None,
            false => line.rfind(':').filter(|_| !line.contains("::")),
        });
    match at {
        None => (line, None),
        Some(at) => {
            // What comes behind a space are lines.
            let function = line[at + 1..].split(' ').next().unwrap_or_default();
            (&line[..at], Some(function).filter(|name| !name.is_empty()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        for (line, path, function) in [
            (
                "src/lib.rs:Sketch::merge",
                "src/lib.rs",
                Some("Sketch::merge"),
            ),
            ("a b/c:d.py:C.m 19:23", "a b/c:d.py", Some("C.m")),
            ("src/lib.rs", "src/lib.rs", None),
            ("data/x.json", "data/x.json", None),
            ("t.py:top-level 3:3 LIMIT added", "t.py", Some("top-level")),
        ] {
            assert_eq!(split_line(line), (path, function), "{line}");
        }
        let text = "src/a.rs:f\nsrc/a.rs:S::g\nREADME.md\n";
        let changes = Changes::of_lines(text.lines());
        assert_eq!(changes.to_text(Detail::Files), "src/a.rs\nREADME.md\n");
        let functions = changes.to_text(Detail::Functions);
        assert_eq!(
            functions,
            "src/a.rs:f\nsrc/a.rs:S::g\nREADME.md:top-level\n"
        );
        let json = serde_json::to_string(&changes).unwrap();
        assert_eq!(Changes::parse(&json).unwrap(), changes);
    }
}
