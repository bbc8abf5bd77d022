//! Changes of a source between two texts of it: which functions, which names besides, which lines.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use similar::{Algorithm, ChangeTag, TextDiff};

use crate::source::{ItemKind, Language, Source, SourceItem, read};

/// What is in no function, where a function is named.
pub const TOP_LEVEL: &str = "top-level";

/// A changed part of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedItem {
    /// The function or method, or [`TOP_LEVEL`].
    pub function: String,
    /// At the top level: the name of the constant, type or class, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What became of it.
    pub change: ChangeKind,
    /// Its changed lines in the new text, as ranges; those of the old text if it is gone.
    pub lines: Vec<(u32, u32)>,
}

/// What became of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is another than before.
    Changed,
    /// It is gone.
    Removed,
}

impl ChangedItem {
    /// What is known of an item that is gone.
    pub(crate) fn removed(&self) -> SourceItem {
        let (name, kind) = match (self.function.as_str(), &self.name) {
            (TOP_LEVEL, Some(name)) => (name.as_str(), ItemKind::Named),
            (TOP_LEVEL, None) => ("", ItemKind::Rest),
            (function, _) => (function, ItemKind::Function),
        };
        SourceItem::new(name, kind, (1, 1))
    }
}

impl ChangeKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Changed => "changed",
            ChangeKind::Removed => "removed",
        }
    }
}

/// The changed items of a file, by its old and its new text; a text that is not there is empty. Comments and spaces are
/// no change.
pub fn changed_items(language: Language, old: &str, new: &str) -> Vec<ChangedItem> {
    let (before, after) = (read(language, old), read(language, new));
    let lines = ChangedLines::between(old, new);
    let mut changed: Vec<ChangedItem> = Vec::new();
    let (olds, news) = (by_name(&before), by_name(&after));
    let mut names: Vec<&(bool, &str)> = olds.keys().chain(news.keys()).collect();
    names.sort();
    names.dedup();
    for key in names {
        let (is_function, name) = *key;
        let nothing = Vec::new();
        let was = olds.get(key).unwrap_or(&nothing);
        let is = news.get(key).unwrap_or(&nothing);
        let prints = |items: &[&SourceItem]| -> Vec<u64> {
            items.iter().map(|item| item.fingerprint).collect()
        };
        if prints(was) == prints(is) {
            continue;
        }
        let change = match (was.is_empty(), is.is_empty()) {
            (true, _) => ChangeKind::Added,
            (_, true) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        let ranges = match change {
            ChangeKind::Removed => lines.within(&lines.old, was),
            _ => match lines.within(&lines.new, is) {
                // What was taken away leaves no line of its own.
                ranges if ranges.is_empty() => {
                    is.first().map(|item| item.lines).into_iter().collect()
                }
                ranges => ranges,
            },
        };
        changed.push(ChangedItem {
            function: match is_function {
                true => name.to_owned(),
                false => TOP_LEVEL.to_owned(),
            },
            name: (!is_function && !name.is_empty()).then(|| name.to_owned()),
            change,
            lines: ranges,
        });
    }
    let first = |item: &ChangedItem| item.lines.first().copied().unwrap_or_default();
    changed.sort_by_key(|item| (item.change == ChangeKind::Removed, first(item)));
    if after.has_errors && !before.has_errors && !changed.is_empty() {
        // What cannot be parsed cannot be imported, or compiled.
        let all = (1, new.lines().count().max(1) as u32);
        let is_rest = |item: &ChangedItem| item.function == TOP_LEVEL && item.name.is_none();
        if !changed.iter().any(is_rest) {
            changed.push(ChangedItem {
                function: TOP_LEVEL.to_owned(),
                name: None,
                change: ChangeKind::Changed,
                lines: vec![all],
            });
        }
    }
    changed
}

/// Items by whether they are functions, and by name, in their order.
fn by_name(source: &Source) -> BTreeMap<(bool, &str), Vec<&SourceItem>> {
    let mut names: BTreeMap<(bool, &str), Vec<&SourceItem>> = BTreeMap::new();
    for item in &source.items {
        let is_function = item.kind == ItemKind::Function;
        names
            .entry((is_function, &item.name))
            .or_default()
            .push(item);
    }
    names
}

/// The lines of two texts that are in one of them alone.
struct ChangedLines {
    old: Vec<u32>,
    new: Vec<u32>,
}

impl ChangedLines {
    fn between(old: &str, new: &str) -> Self {
        let diff = TextDiff::configure()
            .algorithm(Algorithm::Histogram)
            .diff_lines(old, new);
        let number = |index: Option<usize>| index.map(|index| index as u32 + 1);
        let mut lines = ChangedLines {
            old: Vec::new(),
            new: Vec::new(),
        };
        for change in diff.iter_all_changes() {
            match change.tag() {
                ChangeTag::Delete => lines.old.extend(number(change.old_index())),
                ChangeTag::Insert => lines.new.extend(number(change.new_index())),
                ChangeTag::Equal => {}
            }
        }
        lines
    }

    /// The changed lines of items, as ranges.
    fn within(&self, changed: &[u32], items: &[&SourceItem]) -> Vec<(u32, u32)> {
        let is_within = |line: &&u32| {
            items
                .iter()
                .any(|item| (item.lines.0..=item.lines.1).contains(line))
        };
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for line in changed.iter().filter(is_within) {
            match ranges.last_mut() {
                Some(last) if last.1 + 1 == *line => last.1 = *line,
                _ => ranges.push((*line, *line)),
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests;
