//! The tests that a change can affect, each with a reason. In doubt a test is selected.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::change::{ChangeKind, ChangedItem, TOP_LEVEL};
use crate::changes::{ChangedFile, Changes, Content};
use crate::govern::governed;
use crate::graph::{Graph, Node, ProjectFile, Use};
use crate::source::{Item, ItemKind, Language, Source};

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
pub enum Reason {
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
) -> Vec<Option<Reason>> {
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
                Some(ChangeKind::Added) => return Some(Reason::New),
                Some(_) => return Some(Reason::Changed),
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
                return Some(Reason::Executes { function });
            }
        }
        let chain = nodes
            .iter()
            .find_map(|node| by_names.get(node).or_else(|| around.get(node)));
        if let Some(chain) = chain {
            return Some(Reason::Reaches {
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
            return Some(Reason::Governed {
                file: file.path.clone(),
            });
        }
        for (file, reaching) in &reads {
            if let Some(chain) = nodes.iter().find_map(|node| reaching.get(node)) {
                return Some(Reason::Reads {
                    file: (*file).to_owned(),
                    chain: shown(chain),
                });
            }
        }
        let is_declared = |file: &&ChangedFile| depends(&test.file, &file.path);
        if let Some(file) = changes.files.iter().find(is_declared) {
            return Some(Reason::Reads {
                file: file.path.clone(),
                chain: Vec::new(),
            });
        }
        let is_source = |file: &ChangedFile| {
            file.content == Content::Source && Language::of(&file.path) == Some(language)
        };
        (nodes.is_empty() && changes.files.iter().any(is_source)).then_some(Reason::NoSource)
    };
    tests.iter().zip(&nodes).map(reason).collect()
}

/// What changed, as items of the graph.
#[derive(Default)]
struct Changed {
    /// Changed items that are followed by names.
    by_names: BTreeSet<Node>,
    /// Changed functions of which it is known who executed them.
    traced: BTreeSet<Node>,
    /// The same, as the map has them.
    functions: Vec<(String, String)>,
    /// What became of items.
    kinds: BTreeMap<Node, ChangeKind>,
    /// Items that name a changed file that is no source.
    readers: Vec<(String, BTreeSet<Node>)>,
}

impl Changed {
    fn of(graph: &Graph<'_>, changes: &Changes, map: Option<&ExecutionMap>) -> Self {
        let mut changed = Changed::default();
        for file in &changes.files {
            let index = graph
                .files()
                .iter()
                .position(|known| known.path == file.path);
            match index {
                Some(index) => changed.source(graph, file, index, map),
                None => {
                    let readers = readers(graph, &file.path);
                    if !readers.is_empty() {
                        changed.readers.push((file.path.clone(), readers));
                    }
                }
            }
        }
        changed
    }

    fn source(
        &mut self,
        graph: &Graph<'_>,
        file: &ChangedFile,
        index: usize,
        map: Option<&ExecutionMap>,
    ) {
        let items = &graph.files()[index].source.items;
        let is_fresh = map.is_some_and(|map| map.fresh.contains(&file.path));
        for change in &file.items {
            let is_function = change.function != TOP_LEVEL;
            let is_it = |item: &Item| match (is_function, &change.name) {
                (true, _) => item.kind == ItemKind::Function && item.name == change.function,
                (false, Some(name)) => item.kind != ItemKind::Function && item.name == *name,
                (false, None) => item.kind == ItemKind::Rest,
            };
            let found = (0..items.len()).filter(|number| is_it(&items[*number]));
            let mut found: Vec<Node> = found.map(|number| (index, number)).collect();
            if found.is_empty()
                || (!is_function && change.name.is_none() && change.lines.is_empty())
            {
                // All of the file, if it is not known what.
                found = (0..items.len()).map(|number| (index, number)).collect();
            }
            for node in &found {
                self.kinds.insert(*node, change.change);
            }
            // A cached function is executed for the first test alone.
            let is_cached = |node: &Node| {
                let mentions = &items[node.1].mentions;
                mentions
                    .iter()
                    .any(|mention| mention.name.contains("cache"))
            };
            let is_known = is_function && is_fresh && change.change == ChangeKind::Changed;
            if is_known && !found.iter().any(is_cached) {
                self.functions
                    .push((file.path.clone(), change.function.clone()));
                self.traced.extend(found);
            } else {
                self.by_names.extend(found);
            }
        }
    }
}

/// Items that name a file: by its name, or by that of its folder.
fn readers(graph: &Graph<'_>, path: &str) -> BTreeSet<Node> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = folder.rsplit('/').next().unwrap_or_default();
    let names = |text: &String| {
        let end = text
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        text.contains(name) || (!folder.is_empty() && end == folder)
    };
    let files = graph.files().iter().enumerate();
    let items = files.flat_map(|(index, file)| {
        let items = file.source.items.iter().enumerate();
        items.map(move |(number, item)| ((index, number), item))
    });
    let found = items.filter(|(_, item)| item.texts.iter().any(names));
    found.map(|(node, _)| node).collect()
}

/// The items that a test is.
fn nodes_of(graph: &Graph<'_>, test: &TestTarget) -> Vec<Node> {
    let all =
        |is_file: &dyn Fn(&ProjectFile) -> bool, is_item: &dyn Fn(&Item) -> bool| -> Vec<Node> {
            let files = graph
                .files()
                .iter()
                .enumerate()
                .filter(|(_, file)| is_file(file));
            files
                .flat_map(|(index, file)| {
                    let items = file.source.items.iter().enumerate();
                    let items =
                        items.filter(|(_, item)| item.kind == ItemKind::Function && is_item(item));
                    items
                        .map(move |(number, _)| (index, number))
                        .collect::<Vec<_>>()
                })
                .collect()
        };
    if Language::of(&test.file) == Some(Language::Python) {
        let own = all(&|file| file.path == test.file, &|item| {
            item.name == test.function
        });
        if !own.is_empty() {
            return own;
        }
        // A method of a class that it inherits from, wherever that is.
        let last = test.function.rsplit('.').next().unwrap_or_default();
        let inherited = all(&|file| file.source.language == Language::Python, &|item| {
            !item.container().is_empty() && item.last_name() == last
        });
        let class = test.function.split('.').next().unwrap_or_default();
        let files = graph.files().iter().position(|file| file.path == test.file);
        let header = files.and_then(|index| {
            let items = graph.files()[index].source.items.iter();
            items
                .enumerate()
                .find(|(_, item)| item.name == class)
                .map(|(number, _)| (index, number))
        });
        return inherited.into_iter().chain(header).collect();
    }
    let folder = test.package.as_ref().and_then(|package| {
        let package = graph.packages().iter().find(|known| known.name == *package);
        package.map(|package| package.folder.clone())
    });
    let folder = folder.unwrap_or_default();
    let is_source = !["tests", "benches", "examples"].iter().any(|part| {
        let inner = test.file.strip_prefix(&folder).unwrap_or(&test.file);
        inner
            .trim_start_matches('/')
            .starts_with(&format!("{part}/"))
    });
    let in_target = |file: &ProjectFile| {
        let inner = file
            .path
            .strip_prefix(&folder)
            .unwrap_or(&file.path)
            .trim_start_matches('/');
        let in_source = inner.starts_with("src/");
        crate::govern::is_below(&file.path, &folder)
            && match is_source {
                true => in_source || file.path == test.file,
                false => file.path == test.file || (!in_source && inner.matches('/').count() > 1),
            }
    };
    // A case that a macro makes of a function has one name more.
    let segments: Vec<&str> = test.function.split("::").collect();
    for (length, tests_only) in [
        (segments.len(), true),
        (segments.len() - 1, true),
        (segments.len(), false),
    ] {
        let Some(last) = segments[..length].last() else {
            continue;
        };
        let named = all(&in_target, &|item| {
            item.last_name() == *last && (item.role.is_test || !tests_only)
        });
        // Of several, those whose modules fit best.
        let fit = |node: &Node| {
            let file = graph.files()[node.0]
                .path
                .trim_end_matches(".rs")
                .trim_end_matches("/mod");
            let whole = format!("{}::{}", file.replace('/', "::"), graph.item(*node).name);
            let whole: Vec<&str> = whole.split("::").collect();
            let wanted = segments[..length].iter().rev();
            wanted
                .zip(whole.iter().rev())
                .take_while(|(a, b)| a == b)
                .count()
        };
        let best = named.iter().map(fit).max();
        if let Some(best) = best {
            return named.into_iter().filter(|node| fit(node) == best).collect();
        }
    }
    Vec::new()
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
        let removed: Vec<Item> = removed.map(ChangedItem::removed).collect();
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
