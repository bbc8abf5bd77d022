//! What items of Rust use: by `use`, paths, methods, and traits whose methods are called by no name.

mod crates;

use std::collections::{BTreeMap, BTreeSet};

pub use crates::Crates;

use super::{Names, Node, ProjectFile, Use};
use crate::source::{ItemKind, Mention, SourceItem};

/// A file, and what names mean in it.
pub struct RustScope<'s> {
    names: &'s Names<'s>,
    crates: &'s Crates,
    files: &'s [ProjectFile],
    file: usize,
    /// Imports of the file, by the name that they bind.
    bound: BTreeMap<&'s str, Vec<usize>>,
}

impl<'s> RustScope<'s> {
    pub fn new(
        names: &'s Names<'s>,
        crates: &'s Crates,
        files: &'s [ProjectFile],
        file: usize,
    ) -> Self {
        RustScope {
            names,
            crates,
            files,
            file,
            bound: files[file].source.imports(),
        }
    }

    fn item(&self, (file, item): Node) -> &'s SourceItem {
        &self.files[file].source.items[item]
    }

    fn own(&self) -> impl Iterator<Item = (Node, &'s SourceItem)> {
        let items = self.files[self.file].source.items.iter().enumerate();
        items.map(|(number, item)| ((self.file, number), item))
    }

    /// Items of this name that can be seen from the file.
    fn visible(&self, name: &str) -> impl Iterator<Item = (Node, &'s SourceItem)> {
        let named = self.names.named(name).iter().copied();
        let seen = named.filter(|node| self.crates.sees(self.files, self.file, node.0));
        seen.map(|node| (node, self.item(node)))
    }

    /// What an item uses.
    pub fn used_by(&self, number: usize) -> Vec<(Node, Use)> {
        let item = self.item((self.file, number));
        let mut used: Vec<Node> = Vec::new();
        for mention in &item.mentions {
            used.extend(self.mentioned(item, mention));
        }
        if let ItemKind::Import {
            path, all: false, ..
        } = &item.kind
            && let [path @ .., name] = &path[..]
        {
            used.extend(self.by_path(item, path, name));
        }
        // A method needs its type.
        let container = item.container();
        if !container.is_empty() {
            used.extend(
                self.own()
                    .filter(|(_, other)| other.name == container)
                    .map(|(node, _)| node),
            );
        }
        // What a type does without being asked by name: methods of traits that others define.
        if item.kind == ItemKind::Named && is_type(item.last_name()) {
            let named = item.last_name();
            let all = self.files.iter().enumerate();
            let seen = all.filter(|(file, _)| {
                self.crates.sees(self.files, self.file, *file) || *file == self.file
            });
            for (index, file) in seen {
                for (number, other) in file.source.items.iter().enumerate() {
                    let is_of_type = last(other.container()) == named || other.last_name() == named;
                    let of_trait = other.role.of_trait.as_deref();
                    if is_of_type && of_trait.is_some_and(|of| !self.crates.traits.contains(of)) {
                        used.push((index, number));
                    }
                }
            }
        }
        let mut used: Vec<(Node, Use)> =
            used.into_iter().map(|node| (node, Use::Mention)).collect();
        let rests = self.own().filter(|(_, other)| other.kind == ItemKind::Rest);
        used.extend(rests.map(|(node, _)| (node, Use::Around)));
        used
    }

    fn mentioned(&self, item: &SourceItem, mention: &Mention) -> Vec<Node> {
        let Mention {
            name,
            path,
            is_member,
        } = mention;
        if *is_member {
            return self.methods(name);
        }
        if !path.is_empty() {
            return self.by_path(item, path, name);
        }
        let own = self
            .own()
            .filter(|(_, other)| other.last_name() == name && !is_type(last(other.container())));
        let mut found: Vec<Node> = own.map(|(node, _)| node).collect();
        for number in self.bound.get("*").into_iter().flatten() {
            if let ItemKind::Import { path, .. } = &self.item((self.file, *number)).kind {
                match path.last().map_or("", String::as_str) {
                    "super" | "self" | "crate" if !found.is_empty() => {}
                    _ => found.extend(self.by_path(item, path, name)),
                }
            }
        }
        if found.is_empty() {
            // Macros are known everywhere below where they are defined.
            let macros = self.visible(name).filter(|(_, other)| other.role.is_macro);
            found.extend(macros.map(|(node, _)| node));
        }
        found
    }

    /// What `path::name` may be.
    fn by_path(&self, item: &SourceItem, path: &[String], name: &str) -> Vec<Node> {
        let before = path.last().map_or("", String::as_str);
        let of_container = |of: &str| -> Vec<Node> {
            let is_of = |node: &Node, other: &SourceItem| {
                last(other.container()) == of
                    || (!is_type(last(other.container())) && self.module_of(node.0) == of)
            };
            self.visible(name)
                .filter(|(node, other)| is_of(node, other))
                .map(|(node, _)| node)
                .collect()
        };
        match before {
            "Self" => {
                let own = of_container(last(item.container()));
                return if own.is_empty() {
                    self.methods(name)
                } else {
                    own
                };
            }
            "?" => return self.methods(name),
            "self" | "super" | "crate" | "" => {
                let free = self.visible(name).filter(|(node, other)| {
                    self.crates.of_file[node.0] == self.crates.of_file[self.file]
                        && !is_type(last(other.container()))
                });
                return free.map(|(node, _)| node).collect();
            }
            _ => {}
        }
        let mut meanings = BTreeSet::from([before]);
        for number in self.bound.get(before).into_iter().flatten() {
            if let ItemKind::Import { path, .. } = &self.item((self.file, *number)).kind {
                meanings.extend(path.last().map(String::as_str));
            }
        }
        let mut found = Vec::new();
        for meaning in meanings {
            if let Some(package) = self.crates.names.iter().position(|known| known == meaning) {
                let of_crate = self.visible(name).filter(|(node, other)| {
                    self.crates.of_file[node.0] == Some(package)
                        && !is_type(last(other.container()))
                });
                found.extend(of_crate.map(|(node, _)| node));
            }
            found.extend(of_container(meaning));
            let is_ours = || self.visible(meaning).next().is_some();
            let is_parameter = || meaning.len() <= 2 && is_type(meaning);
            if found.is_empty() && is_type(meaning) && (is_parameter() || is_ours()) {
                found.extend(self.methods(name));
            }
        }
        found
    }

    /// Methods of this name, of any type that can be seen.
    fn methods(&self, name: &str) -> Vec<Node> {
        let of_types = self
            .visible(name)
            .filter(|(_, other)| is_type(last(other.container())));
        of_types.map(|(node, _)| node).collect()
    }

    /// The module that a file is, by its name.
    fn module_of(&self, file: usize) -> &'s str {
        let path = self.files[file].path.as_str();
        let stem = path.strip_suffix(".rs").unwrap_or(path);
        let stem = stem.strip_suffix("/mod").unwrap_or(stem);
        stem.rsplit('/').next().unwrap_or_default()
    }
}

/// The last part of a path.
fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or_default()
}

/// Whether a name is that of a type, by custom.
fn is_type(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
