//! Items of Python sources.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::fingerprint;
use super::mentions::Mentions;
use super::names::{bound_names, python_path};
use super::{ItemKind, ItemRole, SourceItem, children, lines_of, lines_of_all, text_of};

/// The items of a source.
pub fn items(root: Node<'_>, text: &str) -> Vec<SourceItem> {
    let mut reader = Reader {
        text,
        items: Vec::new(),
        rest: Vec::new(),
    };
    reader.within(root, "");
    let rest = std::mem::take(&mut reader.rest);
    reader.unnamed("", ItemKind::Rest, &rest);
    reader.items
}

struct Reader<'t> {
    text: &'t str,
    items: Vec<SourceItem>,
    /// What has no name.
    rest: Vec<Node<'t>>,
}

impl<'t> Reader<'t> {
    /// Reads the statements of a module, a class or a block in one of them.
    fn within(&mut self, node: Node<'t>, path: &str) {
        for child in children(node) {
            self.statement(child, path);
        }
    }

    fn statement(&mut self, node: Node<'t>, path: &str) {
        match node.kind() {
            "comment" => {}
            "function_definition" | "class_definition" => self.definition(node, node, path),
            "decorated_definition" => match node.child_by_field_name("definition") {
                Some(definition) => self.definition(node, definition, path),
                None => self.rest.push(node),
            },
            "import_statement" | "import_from_statement" => self.import(node, path),
            "expression_statement" => {
                let mut names = BTreeSet::new();
                let inner = node.named_child(0);
                if let Some(inner) = inner
                    .filter(|inner| matches!(inner.kind(), "assignment" | "augmented_assignment"))
                    && let Some(left) = inner.child_by_field_name("left")
                {
                    bound_names(left, self.text, &mut names);
                }
                for name in &names {
                    let item = self.item(&joined(path, name), ItemKind::Named, &[node]);
                    self.items.push(item);
                }
                if names.is_empty() {
                    self.rest.push(node);
                }
            }
            // Conditions and handlers around statements that are read like those of the module.
            "if_statement" | "try_statement" | "with_statement" | "else_clause" | "elif_clause"
            | "except_clause" | "finally_clause" | "for_statement" | "while_statement"
            | "block" | "ERROR" => {
                for child in children(node) {
                    match child.kind() {
                        kind if kind.ends_with("_statement")
                            || kind.ends_with("_clause")
                            || kind.ends_with("_definition")
                            || matches!(kind, "block" | "ERROR" | "comment") =>
                        {
                            self.statement(child, path);
                        }
                        _ => self.rest.push(child),
                    }
                }
            }
            _ => self.rest.push(node),
        }
    }

    /// A function or a class; `whole` has its decorators.
    fn definition(&mut self, whole: Node<'t>, node: Node<'t>, path: &str) {
        let Some(name) = node.child_by_field_name("name") else {
            return self.rest.push(whole);
        };
        let name = joined(path, text_of(name, self.text));
        let decorators = children(whole).into_iter();
        let decorators: Vec<Node<'t>> = decorators.filter(|n| n.kind() == "decorator").collect();
        if node.kind() == "function_definition" {
            let mut item = self.item(&name, ItemKind::Function, &[whole]);
            item.parameters = parameters(node, self.text);
            item.role = role(&decorators, item.last_name(), self.text);
            return self.items.push(item);
        }
        // A class: what stands before its body, then what stands in it.
        let body = node.child_by_field_name("body");
        let head = children(node).into_iter();
        let head = head.filter(|child| Some(*child) != body);
        let nodes: Vec<Node<'t>> = decorators.into_iter().chain(head).collect();
        let mut item = self.item(&name, ItemKind::Named, &nodes);
        item.lines = (
            lines_of(whole).0,
            nodes.last().map_or(1, |n| lines_of(*n).1),
        );
        self.items.push(item);
        if let Some(body) = body {
            let before = std::mem::take(&mut self.rest);
            self.within(body, &name);
            let within = std::mem::replace(&mut self.rest, before);
            self.unnamed(&name, ItemKind::Named, &within);
        }
    }

    /// Statements without a name, as one item.
    fn unnamed(&mut self, name: &str, kind: ItemKind, nodes: &[Node<'t>]) {
        let is_word = |node: &&Node<'t>| node.child_count() > 0 || node.is_named();
        let nodes: Vec<Node<'t>> = nodes.iter().filter(is_word).copied().collect();
        if !nodes.is_empty() {
            let item = self.item(name, kind, &nodes);
            self.items.push(item);
        }
    }

    fn import(&mut self, node: Node<'t>, path: &str) {
        let module = node.child_by_field_name("module_name");
        let (from, up) = module.map_or((Vec::new(), 0), |module| relative(module, self.text));
        let mut names = Vec::new();
        for child in children(node) {
            if Some(child) == module || !child.is_named() {
                continue;
            }
            let (target, alias) = match child.kind() {
                "aliased_import" => (
                    child.child_by_field_name("name"),
                    child.child_by_field_name("alias"),
                ),
                _ => (Some(child), None),
            };
            let target = target.map_or_else(Vec::new, |target| python_path(target, self.text));
            match child.kind() {
                "wildcard_import" => names.push(("*".to_owned(), from.clone(), true)),
                "dotted_name" | "aliased_import" => {
                    let alias = alias.map(|alias| text_of(alias, self.text).to_owned());
                    // `import a.b` binds `a`; `from a import b` binds `b`.
                    let own = match module {
                        None => target.first(),
                        Some(_) => target.last(),
                    };
                    let Some(name) = alias.or(own.cloned()) else {
                        continue;
                    };
                    names.push((name, [from.clone(), target].concat(), false));
                }
                _ => {}
            }
        }
        for (name, target, all) in names {
            let words = format!("{up} {} {all} {}", target.join("."), name);
            let kind = ItemKind::Import {
                path: target,
                up,
                all,
            };
            let mut item = SourceItem::new(&joined(path, &name), kind, lines_of(node));
            item.fingerprint = fingerprint::of_text(&words);
            self.items.push(item);
        }
    }

    fn item(&self, name: &str, kind: ItemKind, nodes: &[Node<'_>]) -> SourceItem {
        let mentions = Mentions::of_python(nodes, self.text);
        let lines = lines_of_all(nodes);
        let print = fingerprint::of(nodes, self.text);
        SourceItem::new(name, kind, lines).with(print, mentions)
    }
}

fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// The module of `from … import`, and its leading dots.
fn relative(module: Node<'_>, text: &str) -> (Vec<String>, usize) {
    let words = text_of(module, text);
    let up = words.len() - words.trim_start_matches('.').len();
    let path = words.trim_start_matches('.').split('.');
    let path = path.map(|part| part.trim().to_owned());
    (path.filter(|part| !part.is_empty()).collect(), up)
}

/// The names of parameters.
fn parameters(function: Node<'_>, text: &str) -> Vec<String> {
    let list = function.child_by_field_name("parameters");
    let of = |node: Node<'_>| {
        let name = match node.kind() {
            "identifier" => Some(node),
            "typed_parameter" => node.child(0),
            _ => node.child_by_field_name("name"),
        };
        name.filter(|name| name.kind() == "identifier")
            .map(|name| text_of(name, text).to_owned())
    };
    list.map_or_else(Vec::new, |list| {
        children(list).into_iter().filter_map(of).collect()
    })
}

/// What decorators make of a function.
fn role(decorators: &[Node<'_>], name: &str, text: &str) -> ItemRole {
    let mut role = ItemRole::default();
    for decorator in decorators {
        let words = text_of(*decorator, text);
        let called = words.split('(').next().unwrap_or_default();
        if called.ends_with("fixture") {
            let given = words.split_once("name=").and_then(|(_, rest)| {
                let rest = rest.trim_start();
                let quote = rest.chars().next().filter(|c| "\"'".contains(*c))?;
                rest[1..].split(quote).next()
            });
            role.fixture = Some(given.unwrap_or(name).to_owned());
            let words: String = words.split_whitespace().collect();
            role.is_autouse = words.contains("autouse=True");
        }
    }
    role
}
