//! The tests that a change can affect, each with a reason. In doubt a test is selected.

mod changed;
mod targets;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use changed::Changed;
use targets::nodes_of;

use crate::change::{ChangeKind, ChangedItem};
use crate::changes::{ChangedFile, Changes, Content};
use crate::govern::governed;
use crate::graph::{Graph, Node, ProjectFile, Use};
use crate::source::{Language, Source, SourceItem};

/// A test, as its runner knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestTarget {
    /// What its runner calls it, without parameters.
    pub id: String,
    /// The file that it is in; for Rust that which its program begins with.
    pub file: String,
    /// Its function: `TestSketch.test_merge`, or the path of a test of Rust.
    pub function: String,
    /// The package of a test of Rust.
    pub package: Option<String>,
}

/// The functions that tests were seen to execute, as far as that still holds.
#[derive(Debug, Clone, Default)]
pub struct ExecutionMap {
    /// Files that are before the change as they were when tests were traced.
    pub fresh: BTreeSet<String>,
    /// File and function by test.
    pub executed: BTreeMap<String, BTreeSet<(String, String)>>,
}

/// Why a test is selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "why")]
pub enum SelectionReason {
    /// It is new.
    New,
    /// It is changed itself.
    Changed,
    /// It was seen to execute a changed function.
    Executes {
        /// The function.
        function: String,
    },
    /// It reaches a changed function by what is named in the sources.
    Reaches {
        /// The way there, the test first.
        chain: Vec<String>,
    },
    /// A file that governs it changed.
    Governed {
        /// The file.
        file: String,
    },
    /// A file that it reads, or is said to depend on, changed.
    Reads {
        /// The file.
        file: String,
        /// The way to whoever names the file, the test first.
        chain: Vec<String>,
    },
    /// Its source was not found, so that nobody knows what it reaches.
    NoSource,
    /// It failed when it was run last.
    LastFailed,
}

/// Says of each test why it is selected; `None` for those that are not. `depends` says whether a file is known to depend
/// on another by other means than its source.
pub fn select(
    graph: &Graph<'_>,
    changes: &Changes,
    tests: &[TestTarget],
    map: Option<&ExecutionMap>,
    depends: &dyn Fn(&str, &str) -> bool,
) -> Vec<Option<SelectionReason>> {
    let changed = Changed::of(graph, changes, map);
    let nodes: Vec<Vec<Node>> = tests.iter().map(|test| nodes_of(graph, test)).collect();
    let traced: BTreeSet<Node> = tests
        .iter()
        .zip(&nodes)
        .filter(|(test, _)| map.is_some_and(|map| map.executed.contains_key(&test.id)))
        .flat_map(|(_, nodes)| nodes.iter().copied())
        .collect();
    let by_names = graph.reaching(&changed.by_names, &|_, _| false);
    // What a test calls is known; what is done around it is not.
    let around = graph.reaching(&changed.traced, &|user, how| {
        how == Use::Mention && traced.contains(&user)
    });
    let reads: Vec<(&str, BTreeMap<Node, Vec<Node>>)> = changed
        .readers
        .iter()
        .map(|(file, readers)| (file.as_str(), graph.reaching(readers, &|_, _| false)))
        .collect();
    let shown = |chain: &Vec<Node>| chain.iter().map(|node| graph.shown(*node)).collect();
    let reason = |(test, nodes): (&TestTarget, &Vec<Node>)| {
        for node in nodes {
            match changed.kinds.get(node) {
                Some(ChangeKind::Added) => return Some(SelectionReason::New),
                Some(_) => return Some(SelectionReason::Changed),
                None => {}
            }
        }
        if let Some(executed) = map.and_then(|map| map.executed.get(&test.id)) {
            let hit = changed
                .functions
                .iter()
                .find(|function| executed.contains(*function));
            if let Some((file, function)) = hit {
                let function = format!("{file}:{function}");
                return Some(SelectionReason::Executes { function });
            }
        }
        let chain = nodes
            .iter()
            .find_map(|node| by_names.get(node).or_else(|| around.get(node)));
        if let Some(chain) = chain {
            return Some(SelectionReason::Reaches {
                chain: shown(chain),
            });
        }
        let language = Language::of(&test.file).unwrap_or(Language::Rust);
        let governs = |file: &&ChangedFile| {
            governed(&file.path).is_some_and(|governed| {
                governed.holds_for(
                    language,
                    &test.file,
                    test.package.as_deref(),
                    graph.packages(),
                )
            })
        };
        if let Some(file) = changes.files.iter().find(governs) {
            return Some(SelectionReason::Governed {
                file: file.path.clone(),
            });
        }
        for (file, reaching) in &reads {
            if let Some(chain) = nodes.iter().find_map(|node| reaching.get(node)) {
                return Some(SelectionReason::Reads {
                    file: (*file).to_owned(),
                    chain: shown(chain),
                });
            }
        }
        let is_declared = |file: &&ChangedFile| depends(&test.file, &file.path);
        if let Some(file) = changes.files.iter().find(is_declared) {
            return Some(SelectionReason::Reads {
                file: file.path.clone(),
                chain: Vec::new(),
            });
        }
        let is_source = |file: &ChangedFile| {
            file.content == Content::Source && Language::of(&file.path) == Some(language)
        };
        (nodes.is_empty() && changes.files.iter().any(is_source))
            .then_some(SelectionReason::NoSource)
    };
    tests.iter().zip(&nodes).map(reason).collect()
}

/// Adds what is gone to the files of a project, so that whoever mentions it still is found.
pub fn with_removed(mut files: Vec<ProjectFile>, changes: &Changes) -> Vec<ProjectFile> {
    for change in &changes.files {
        let Some(language) = Language::of(&change.path) else {
            continue;
        };
        let removed = change
            .items
            .iter()
            .filter(|item| item.change == ChangeKind::Removed);
        let removed: Vec<SourceItem> = removed.map(ChangedItem::removed).collect();
        match files.iter_mut().find(|file| file.path == change.path) {
            Some(file) => file.source.items.extend(removed),
            None if !removed.is_empty() => files.push(ProjectFile {
                path: change.path.clone(),
                source: Source {
                    language,
                    items: removed,
                    has_errors: false,
                },
            }),
            None => {}
        }
    }
    files
}

#[cfg(test)]
mod tests;
