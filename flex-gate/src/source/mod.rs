//! Sources as items: functions, methods, and what is in no function, each with the names that it mentions.
//!
//! The parser is tree-sitter's, which makes the best of a text that is not (yet) correct. An item has a fingerprint of
//! its tokens, so that comments and spaces do not change it.

mod fingerprint;
mod mentions;
mod names;
mod python;
mod rust;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Parser};

pub use mentions::Mention;
use mentions::Mentions;

/// A language that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Files that end with `.rs`.
    Rust,
    /// Files that end with `.py`, and stubs of them.
    Python,
}

impl Language {
    /// The language of a file, by its name.
    pub fn of(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "rs" => Some(Language::Rust),
            // Nothing executes the stubs of type checkers, `.pyi`.
            "py" => Some(Language::Python),
            _ => None,
        }
    }

    /// What stands between the names of a path.
    pub fn separator(self) -> &'static str {
        match self {
            Language::Rust => "::",
            Language::Python => ".",
        }
    }
}

/// A source, as its items.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Its language.
    pub language: Language,
    /// Its items, in their order. Names may come more than once.
    pub items: Vec<SourceItem>,
    /// Whether there was something that is not of the language.
    pub has_errors: bool,
}

/// A part of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceItem {
    /// Its name with those that it stands in, such as `Sketch::merge` or `TestSketch.test_merge`; empty for what has none.
    pub name: String,
    /// What it is.
    pub kind: ItemKind,
    /// The first and the last line, counted from 1.
    pub lines: (u32, u32),
    /// By this it is seen whether anything but comments and spaces has changed.
    pub fingerprint: u64,
    /// The names that it mentions, each once.
    pub mentions: Vec<Mention>,
    /// Parameters of a function, by which pytest knows fixtures.
    pub parameters: Vec<String>,
    /// Texts that it holds, which may be names of files.
    pub texts: Vec<String>,
    /// What it is for a test runner.
    pub role: ItemRole,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// A function or a method.
    Function,
    /// A name for something else: a constant, a type, a class with what stands in it, a macro.
    Named,
    /// A name for something of another file: the path of what it names, and how many folders to go up first if it is
    /// relative. The last part is a name or a module.
    Import {
        /// The path, such as `["numpy", "random"]`.
        path: Vec<String>,
        /// Python's leading dots.
        up: usize,
        /// Whether all names of the path are meant, and not the path itself.
        all: bool,
    },
    /// Everything that has no name: statements of a module, attributes of a crate.
    Rest,
}

/// What an item is for whoever runs tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemRole {
    /// A fixture of pytest, with the name by which tests ask for it.
    pub fixture: Option<String>,
    /// A fixture that nobody asks for.
    pub is_autouse: bool,
    /// Whether an attribute marks it as a test.
    pub is_test: bool,
    /// Whether it is a macro.
    pub is_macro: bool,
    /// The trait whose method it is; `Some` for all that stands in `impl Trait for Type`.
    pub of_trait: Option<String>,
}

impl Source {
    /// The numbers of its imports, by the name that they bind.
    pub(crate) fn imports(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut imports: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, item) in self.items.iter().enumerate() {
            if matches!(item.kind, ItemKind::Import { .. }) {
                imports.entry(item.last_name()).or_default().push(number);
            }
        }
        imports
    }
}

impl SourceItem {
    /// The last part of its name.
    pub fn last_name(&self) -> &str {
        let after = self.name.rsplit("::").next().unwrap_or_default();
        after.rsplit('.').next().unwrap_or_default()
    }

    /// The part of its name before the last, by which it is a method; empty if it stands by itself.
    pub fn container(&self) -> &str {
        let before = self.name.len() - self.last_name().len();
        self.name[..before].trim_end_matches([':', '.'])
    }
}

/// Reads a source.
pub fn read(language: Language, text: &str) -> Source {
    let mut parser = Parser::new();
    let grammar = match language {
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
    };
    let tree = parser
        .set_language(&grammar)
        .ok()
        .and_then(|()| parser.parse(text, None))
        .filter(|tree| !is_deep(tree.root_node()));
    let Some(tree) = tree else {
        // Nobody wrote that by hand: all of the text is one item then.
        let rest = SourceItem::new("", ItemKind::Rest, (1, text.lines().count().max(1) as u32));
        return Source {
            language,
            items: vec![SourceItem {
                fingerprint: fingerprint::of_text(text),
                ..rest
            }],
            has_errors: true,
        };
    };
    let root = tree.root_node();
    let mut items = match language {
        Language::Rust => rust::items(root, text),
        Language::Python => python::items(root, text),
    };
    // A module of Python is executed, also where that is its imports alone.
    if !items.iter().any(|item| item.kind == ItemKind::Rest) {
        items.push(SourceItem::new("", ItemKind::Rest, (1, 1)));
    }
    Source {
        language,
        items,
        has_errors: root.has_error(),
    }
}

impl SourceItem {
    /// An item of which nothing else is known.
    pub(crate) fn new(name: &str, kind: ItemKind, lines: (u32, u32)) -> Self {
        SourceItem {
            name: name.to_owned(),
            kind,
            lines,
            fingerprint: fingerprint::NOTHING,
            mentions: Vec::new(),
            parameters: Vec::new(),
            texts: Vec::new(),
            role: ItemRole::default(),
        }
    }

    /// The item with its fingerprint and all that it mentions.
    fn with(mut self, fingerprint: u64, mentions: Mentions) -> Self {
        self.fingerprint = fingerprint;
        self.mentions = mentions.names.into_iter().collect();
        self.texts = mentions.texts.into_iter().collect();
        self
    }
}

/// Whether nodes are nested so deeply that nobody should walk down by recursion.
fn is_deep(root: Node<'_>) -> bool {
    const DEEPEST: usize = 1000;
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            if depth > DEEPEST {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// The lines of a node, counted from 1.
fn lines_of(node: Node<'_>) -> (u32, u32) {
    let (first, last) = (node.start_position(), node.end_position());
    // A node that ends with a line break ends on the line before.
    let back = usize::from(last.column == 0 && last.row > first.row);
    (first.row as u32 + 1, (last.row - back) as u32 + 1)
}

/// From the first line of nodes in order to the last.
fn lines_of_all(nodes: &[Node<'_>]) -> (u32, u32) {
    (
        nodes.first().map_or(1, |first| lines_of(*first).0),
        nodes.last().map_or(1, |last| lines_of(*last).1),
    )
}

/// The text of a node.
fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The children of a node.
fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    // By index, each would be looked for from the first on.
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

#[cfg(test)]
mod tests;
