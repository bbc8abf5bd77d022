//! Names in a tree of a parser: those of paths, and those that patterns and parameters bind.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::{children, text_of};

/// The names of a path of Rust, as far as they are names.
pub fn rust_path(node: Node<'_>, text: &str) -> Vec<String> {
    match node.kind() {
        "scoped_identifier" | "scoped_type_identifier" => {
            let mut path = node
                .child_by_field_name("path")
                .map_or_else(Vec::new, |path| rust_path(path, text));
            let name = node.child_by_field_name("name");
            path.extend(name.map(|name| text_of(name, text).to_owned()));
            path
        }
        "generic_type" | "bracketed_type" | "generic_type_with_turbofish" => {
            let inner = node
                .child_by_field_name("type")
                .or_else(|| node.named_child(0));
            inner.map_or_else(Vec::new, |inner| rust_path(inner, text))
        }
        "qualified_type" => {
            let inner = node.child_by_field_name("type");
            inner.map_or_else(Vec::new, |inner| rust_path(inner, text))
        }
        _ if node.child_count() == 0 => vec![text_of(node, text).to_owned()],
        _ => vec!["?".to_owned()],
    }
}

/// The names of a path of Python.
pub fn python_path(node: Node<'_>, text: &str) -> Vec<String> {
    match node.kind() {
        "attribute" => {
            let mut path = node
                .child_by_field_name("object")
                .map_or_else(Vec::new, |object| python_path(object, text));
            let name = node.child_by_field_name("attribute");
            path.extend(name.map(|name| text_of(name, text).to_owned()));
            path
        }
        "identifier" => vec![text_of(node, text).to_owned()],
        "dotted_name" => text_of(node, text)
            .split('.')
            .map(|part| part.trim().to_owned())
            .collect(),
        _ => vec!["?".to_owned()],
    }
}

/// Adds the names that a pattern binds.
pub fn bound_names(pattern: Node<'_>, text: &str, names: &mut BTreeSet<String>) {
    match pattern.kind() {
        "identifier" => {
            names.insert(text_of(pattern, text).to_owned());
        }
        // Not bound: a place within a value, a type, a path.
        "attribute" | "subscript" | "type_identifier" | "scoped_identifier" | "type" => {}
        _ => children(pattern)
            .into_iter()
            .for_each(|child| bound_names(child, text, names)),
    }
}

/// Adds the names of parameters, in their order where that matters.
pub fn bound_parameters(parameters: Node<'_>, text: &str, names: &mut BTreeSet<String>) {
    for child in children(parameters) {
        match child.kind() {
            "default_parameter" | "typed_default_parameter" => {
                if let Some(name) = child.child_by_field_name("name") {
                    bound_names(name, text, names);
                }
            }
            "typed_parameter" => {
                if let Some(name) = child.child(0) {
                    bound_names(name, text, names);
                }
            }
            _ => bound_names(child, text, names),
        }
    }
}
