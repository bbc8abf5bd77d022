//! Items of Rust sources.

use tree_sitter::Node;

use super::fingerprint;
use super::mentions::Mentions;
use super::names::rust_path;
use super::{ItemKind, ItemRole, SourceItem, children, lines_of, lines_of_all, text_of};

/// The items of a source.
pub fn items(root: Node<'_>, text: &str) -> Vec<SourceItem> {
    let mut reader = Reader {
        text,
        items: Vec::new(),
        rest: Vec::new(),
    };
    reader.within(root, "", &ItemRole::default());
    let rest = reader.rest.clone();
    if let (Some(first), Some(last)) = (rest.first(), rest.last()) {
        let lines = (lines_of(*first).0, lines_of(*last).1);
        let item = reader.item("", ItemKind::Rest, lines, &rest);
        reader.items.push(item);
    }
    reader.items
}

struct Reader<'t> {
    text: &'t str,
    items: Vec<SourceItem>,
    /// What has no name.
    rest: Vec<Node<'t>>,
}

impl<'t> Reader<'t> {
    /// Reads what stands in a file, a module, an `impl` or a trait.
    fn within(&mut self, node: Node<'t>, path: &str, role: &ItemRole) {
        let mut attributes: Vec<Node<'t>> = Vec::new();
        for child in children(node) {
            match child.kind() {
                "attribute_item" => attributes.push(child),
                "line_comment" | "block_comment" => {}
                _ => {
                    let before = std::mem::take(&mut attributes);
                    self.one(child, before, path, role);
                }
            }
        }
        self.rest.extend(attributes);
    }

    fn one(&mut self, node: Node<'t>, attributes: Vec<Node<'t>>, path: &str, role: &ItemRole) {
        let name = node
            .child_by_field_name("name")
            .map(|name| joined(path, text_of(name, self.text)));
        let body = node.child_by_field_name("body");
        match (node.kind(), name) {
            ("function_item" | "function_signature_item", Some(name)) => {
                let mut item = self.whole(&name, ItemKind::Function, node, attributes.clone());
                let is_test = |attribute: &Node<'_>| is_test(text_of(*attribute, self.text));
                item.role = ItemRole {
                    is_test: attributes.iter().any(is_test),
                    ..role.clone()
                };
                self.items.push(item);
            }
            ("mod_item" | "trait_item", Some(name)) if body.is_some() => {
                let role = ItemRole::default();
                self.header(&name, ItemKind::Named, node, attributes, &role);
                self.body(body, &name, &role);
            }
            ("impl_item", _) => {
                let of = node.child_by_field_name("type");
                let of = of.and_then(|of| rust_path(of, self.text).pop());
                let name = joined(path, of.as_deref().unwrap_or("?"));
                let of_trait = node.child_by_field_name("trait");
                let role = ItemRole {
                    of_trait: of_trait.and_then(|of| rust_path(of, self.text).pop()),
                    ..ItemRole::default()
                };
                self.header(&name, ItemKind::Named, node, attributes, &role);
                self.body(body, &name, &role);
            }
            ("use_declaration", _) => {
                let argument = node.child_by_field_name("argument");
                let mut names = Vec::new();
                if let Some(argument) = argument {
                    imports(argument, &[], self.text, &mut names);
                }
                for (name, target, all) in names {
                    let kind = ItemKind::Import {
                        path: target.clone(),
                        up: 0,
                        all,
                    };
                    let mut item = SourceItem::new(&joined(path, &name), kind, lines_of(node));
                    item.fingerprint =
                        fingerprint::of_text(&format!("{} {all}", target.join("::")));
                    self.items.push(item);
                }
            }
            (
                "struct_item" | "enum_item" | "union_item" | "type_item" | "const_item"
                | "static_item" | "macro_definition" | "mod_item" | "associated_type",
                Some(name),
            ) => {
                let mut item = self.whole(&name, ItemKind::Named, node, attributes);
                item.role = role.clone();
                item.role.is_macro = node.kind() == "macro_definition";
                self.items.push(item);
            }
            ("macro_invocation" | "expression_statement", _) => {
                let mut names = Vec::new();
                defined_in_tokens(node, self.text, &mut names);
                for (name, is_test) in &names {
                    let kind = ItemKind::Function;
                    let mut item = self.whole(&joined(path, name), kind, node, attributes.clone());
                    item.role.is_test = *is_test;
                    self.items.push(item);
                }
                if names.is_empty() {
                    self.rest.extend(attributes);
                    self.rest.push(node);
                }
            }
            // What is not Rust may still hold items.
            ("ERROR" | "foreign_mod_item", _) => {
                self.rest.extend(attributes);
                self.within(body.unwrap_or(node), path, role);
            }
            _ => {
                self.rest.extend(attributes);
                self.rest.push(node);
            }
        }
    }

    fn body(&mut self, body: Option<Node<'t>>, path: &str, role: &ItemRole) {
        if let Some(body) = body {
            let before = std::mem::take(&mut self.rest);
            self.within(body, path, role);
            // Braces are no statements, and macros within have no other name than that of what they stand in.
            let within = std::mem::replace(&mut self.rest, before);
            let within: Vec<Node<'t>> =
                within.into_iter().filter(|n| n.child_count() > 0).collect();
            if let Some(first) = within.first() {
                let item = self.item(path, ItemKind::Named, lines_of(*first), &within);
                self.items.push(item);
            }
        }
    }

    /// An item from all of a node.
    fn whole(
        &self,
        name: &str,
        kind: ItemKind,
        node: Node<'t>,
        attributes: Vec<Node<'t>>,
    ) -> SourceItem {
        let mut nodes = attributes;
        nodes.push(node);
        let lines = (lines_of(nodes[0]).0, lines_of(node).1);
        self.item(name, kind, lines, &nodes)
    }

    /// What stands before the braces of a module, a trait or an `impl`.
    fn header(
        &mut self,
        name: &str,
        kind: ItemKind,
        node: Node<'t>,
        attributes: Vec<Node<'t>>,
        role: &ItemRole,
    ) {
        let before = children(node).into_iter();
        let before = before.filter(|child| child.kind() != "declaration_list");
        let nodes: Vec<Node<'t>> = attributes.into_iter().chain(before).collect();
        let lines = lines_of_all(&nodes);
        let mut item = self.item(name, kind, lines, &nodes);
        item.role = role.clone();
        self.items.push(item);
    }

    fn item(
        &self,
        name: &str,
        kind: ItemKind,
        lines: (u32, u32),
        nodes: &[Node<'_>],
    ) -> SourceItem {
        let mentions = Mentions::of_rust(nodes, self.text);
        let print = fingerprint::of(nodes, self.text);
        SourceItem::new(name, kind, lines).with(print, mentions)
    }
}

fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}::{name}"),
    }
}

/// Whether an attribute makes a function a test: `#[test]`, `#[tokio::test]`, `#[stochastic_test(…)]`, `#[rstest]`.
fn is_test(attribute: &str) -> bool {
    let inner = attribute.trim_start_matches(['#', '[', ' ']);
    let path = inner.split(['(', ']', '=', ' ']).next().unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or_default();
    name == "test" || name.ends_with("_test") || name == "rstest" || name == "test_case"
}

/// The names that a `use` binds, each with the path of what it stands for, and whether that is all of a module.
fn imports(
    node: Node<'_>,
    before: &[String],
    text: &str,
    names: &mut Vec<(String, Vec<String>, bool)>,
) {
    let within = |more: Option<Node<'_>>| {
        let more = more.map_or_else(Vec::new, |more| rust_path(more, text));
        [before.to_vec(), more].concat()
    };
    match node.kind() {
        "scoped_use_list" => {
            let path = within(node.child_by_field_name("path"));
            if let Some(list) = node.child_by_field_name("list") {
                imports(list, &path, text, names);
            }
        }
        "use_list" => {
            for child in children(node) {
                if child.is_named() {
                    imports(child, before, text, names);
                }
            }
        }
        "use_as_clause" => {
            let path = within(node.child_by_field_name("path"));
            let alias = node.child_by_field_name("alias");
            if let Some(alias) = alias {
                names.push((text_of(alias, text).to_owned(), path, false));
            }
        }
        "use_wildcard" => {
            let path = within(node.named_child(0));
            names.push(("*".to_owned(), path, true));
        }
        _ => {
            let mut path = within(Some(node));
            if path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            if let Some(name) = path.last().cloned() {
                names.push((name, path, false));
            }
        }
    }
}

/// The functions that a macro is given as tokens, and whether an attribute makes them tests.
fn defined_in_tokens(node: Node<'_>, text: &str, names: &mut Vec<(String, bool)>) {
    let tokens = children(node);
    let mut is_marked = false;
    for (index, token) in tokens.iter().enumerate() {
        let is_word = |word: &str| text_of(*token, text) == word;
        if token.kind() == "token_tree" || token.kind() == "macro_invocation" {
            let is_attribute = index > 0 && text_of(tokens[index - 1], text) == "#";
            match is_attribute {
                true => is_marked |= is_test(&format!("#{}", text_of(*token, text))),
                false => defined_in_tokens(*token, text, names),
            }
        } else if is_word("fn")
            && let Some(name) = tokens
                .get(index + 1)
                .filter(|next| next.kind() == "identifier")
        {
            names.push((text_of(*name, text).to_owned(), is_marked));
            is_marked = false;
        }
    }
}
