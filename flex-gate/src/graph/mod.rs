//! The call graph of a project, by names: which item may use which. Where a name could be several things, it is all of
//! them.

mod python;
mod rust;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use crate::source::{ItemKind, Language, Source, SourceItem};

/// A source file of a project.
#[derive(Debug, Clone)]
pub struct ProjectFile {
    /// Its path from the top of the repository, with `/`.
    pub path: String,
    /// What it holds.
    pub source: Source,
}

/// A package of a cargo workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder from the top of the repository; empty for that.
    pub folder: String,
    /// The packages of the workspace that it depends on, also for its tests alone.
    pub needs: Vec<String>,
}

/// An item of a project: the number of its file, and its own number there.
pub type Node = (usize, usize);

/// How an item uses another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It mentions it.
    Mention,
    /// Whoever runs tests does something before or after the item itself: fixtures, modules that are imported.
    Around,
}

/// A project, with what uses what.
pub struct Graph<'a> {
    files: &'a [ProjectFile],
    packages: &'a [Package],
    /// Who uses an item, and how.
    users: HashMap<Node, Vec<(Node, Use)>>,
}

/// How a test comes to reach an item: the items on the way, that of the test first.
pub type Chain = Vec<Node>;

impl<'a> Graph<'a> {
    /// The graph of these files.
    pub fn new(files: &'a [ProjectFile], packages: &'a [Package]) -> Self {
        let mut graph = Graph {
            files,
            packages,
            users: HashMap::new(),
        };
        let names = Names::of(files);
        let python = python::Modules::of(files);
        let rust = rust::Crates::of(files, packages);
        for (index, file) in files.iter().enumerate() {
            let scope = match file.source.language {
                Language::Python => {
                    Scope::Python(python::PythonScope::new(&names, &python, files, index))
                }
                Language::Rust => Scope::Rust(rust::RustScope::new(&names, &rust, files, index)),
            };
            for number in 0..file.source.items.len() {
                let node = (index, number);
                let used = match &scope {
                    Scope::Python(scope) => scope.used_by(number),
                    Scope::Rust(scope) => scope.used_by(number),
                };
                for (target, how) in used {
                    graph.add(node, target, how);
                }
            }
        }
        graph
    }

    fn add(&mut self, user: Node, used: Node, how: Use) {
        if user != used {
            self.users.entry(used).or_default().push((user, how));
        }
    }

    /// The files.
    pub fn files(&self) -> &'a [ProjectFile] {
        self.files
    }

    /// The packages.
    pub fn packages(&self) -> &'a [Package] {
        self.packages
    }

    /// An item.
    pub fn item(&self, (file, item): Node) -> &'a SourceItem {
        &self.files[file].source.items[item]
    }

    /// All that reaches one of these items, with the shortest way. What `stops` says of a user and how it uses another
    /// is left out.
    pub fn reaching(
        &self,
        changed: &BTreeSet<Node>,
        stops: &dyn Fn(Node, Use) -> bool,
    ) -> BTreeMap<Node, Chain> {
        let mut next: BTreeMap<Node, Option<Node>> =
            changed.iter().map(|node| (*node, None)).collect();
        let mut queue: VecDeque<Node> = changed.iter().copied().collect();
        while let Some(node) = queue.pop_front() {
            for (user, how) in self.users.get(&node).into_iter().flatten() {
                if !next.contains_key(user) && !stops(*user, *how) {
                    next.insert(*user, Some(node));
                    queue.push_back(*user);
                }
            }
        }
        let chain = |from: Node| {
            let mut chain = vec![from];
            let mut at = from;
            while let Some(Some(after)) = next.get(&at) {
                chain.push(*after);
                at = *after;
            }
            chain
        };
        next.keys().map(|node| (*node, chain(*node))).collect()
    }

    /// An item for people: `src/lib.rs:Sketch::merge`.
    pub fn shown(&self, node: Node) -> String {
        let (item, path) = (self.item(node), &self.files[node.0].path);
        match (&item.kind, item.name.as_str()) {
            (_, "") => format!("{path}:top-level"),
            (ItemKind::Import { .. }, name) => format!("{path}:import of {name}"),
            (_, name) => format!("{path}:{name}"),
        }
    }
}

enum Scope<'s> {
    Python(python::PythonScope<'s>),
    Rust(rust::RustScope<'s>),
}

/// Items by the last part of their name.
struct Names<'a>(HashMap<&'a str, Vec<Node>>);

impl<'a> Names<'a> {
    fn of(files: &'a [ProjectFile]) -> Self {
        let mut names: HashMap<&str, Vec<Node>> = HashMap::new();
        for (index, file) in files.iter().enumerate() {
            for (number, item) in file.source.items.iter().enumerate() {
                names
                    .entry(item.last_name())
                    .or_default()
                    .push((index, number));
            }
        }
        Names(names)
    }

    fn named(&self, name: &str) -> &[Node] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}
