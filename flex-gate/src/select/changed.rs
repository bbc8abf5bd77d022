//! What a change is about, as items of the graph.

use std::collections::{BTreeMap, BTreeSet};

use super::ExecutionMap;
use crate::change::{ChangeKind, TOP_LEVEL};
use crate::changes::{ChangedFile, Changes};
use crate::graph::{Graph, Node};
use crate::source::{ItemKind, SourceItem};

/// What changed, as items of the graph.
#[derive(Default)]
pub struct Changed {
    /// Changed items that are followed by names.
    pub by_names: BTreeSet<Node>,
    /// Changed functions of which it is known who executed them.
    pub traced: BTreeSet<Node>,
    /// The same, as the map has them.
    pub functions: Vec<(String, String)>,
    /// What became of items.
    pub kinds: BTreeMap<Node, ChangeKind>,
    /// Items that name a changed file that is no source.
    pub readers: Vec<(String, BTreeSet<Node>)>,
}

impl Changed {
    pub fn of(graph: &Graph<'_>, changes: &Changes, map: Option<&ExecutionMap>) -> Self {
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
            let is_it = |item: &SourceItem| match (is_function, &change.name) {
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
