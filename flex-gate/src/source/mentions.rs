//! The names that a part of a source mentions, with what stands before them: a module, a type, a value.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::fingerprint::is_comment;
use super::names::{bound_names, bound_parameters, python_path, rust_path};
use super::{children, text_of};

/// A name that is mentioned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// The name.
    pub name: String,
    /// What stands before it, as far as that is a path of names: `["numpy", "random"]`. A value whose name is not known
    /// is `?`.
    pub path: Vec<String>,
    /// Whether it is asked of a value, as in `value.name`.
    pub is_member: bool,
}

/// All that a part of a source mentions.
#[derive(Debug, Default)]
pub struct Mentions {
    /// The names.
    pub names: BTreeSet<Mention>,
    /// The texts.
    pub texts: BTreeSet<String>,
    /// Names that are bound within, which stand for nothing outside.
    bound: BTreeSet<String>,
}

/// Texts that are longer are no names of files.
const LONGEST: usize = 200;

impl Mentions {
    /// What nodes of Rust mention.
    pub fn of_rust(nodes: &[Node<'_>], text: &str) -> Self {
        let mut mentions = Mentions::default();
        nodes.iter().for_each(|node| mentions.rust(*node, text));
        mentions.without_bound()
    }

    /// What nodes of Python mention.
    pub fn of_python(nodes: &[Node<'_>], text: &str) -> Self {
        let mut mentions = Mentions::default();
        nodes.iter().for_each(|node| mentions.python(*node, text));
        mentions.without_bound()
    }

    fn without_bound(mut self) -> Self {
        let bound = std::mem::take(&mut self.bound);
        self.names
            .retain(|mention| !mention.path.is_empty() || !bound.contains(&mention.name));
        self
    }

    fn add(&mut self, name: &str, path: Vec<String>, is_member: bool) {
        self.names.insert(Mention {
            name: name.to_owned(),
            path,
            is_member,
        });
    }

    fn add_text(&mut self, literal: &str) {
        let inner = literal.trim_matches(|c: char| "rbfuRBFU#\"'".contains(c));
        if inner.is_empty() || inner.len() > LONGEST {
            return;
        }
        self.texts.insert(inner.to_owned());
        // Names of functions are given as texts to whoever replaces or looks them up.
        let parts: Vec<&str> = inner.split('.').collect();
        let is_name = |part: &&str| {
            let first = part.chars().next();
            first.is_some_and(|c| c.is_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        if let ([path @ .., name], true) = (&parts[..], parts.iter().all(is_name)) {
            let path: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
            let is_member = !path.is_empty();
            self.add(name, path, is_member);
        }
    }

    fn rust(&mut self, node: Node<'_>, text: &str) {
        match node.kind() {
            _ if is_comment(node) => return,
            "string_literal" | "raw_string_literal" => return self.add_text(text_of(node, text)),
            "scoped_identifier" | "scoped_type_identifier" => {
                let mut path = rust_path(node, text);
                if let Some(name) = path.pop() {
                    for (at, segment) in path.iter().enumerate() {
                        self.add(segment, path[..at].to_vec(), false);
                    }
                    self.add(&name, path, false);
                }
                // Types in `<T as Trait>::name` and `Vec<T>::name`.
                for child in children(node) {
                    if !matches!(child.kind(), "identifier" | "type_identifier") {
                        self.rust(child, text);
                    }
                }
                return;
            }
            "identifier" | "type_identifier" | "shorthand_field_identifier" => {
                return self.add(text_of(node, text), Vec::new(), false);
            }
            "field_identifier" => {
                let called = node.parent().and_then(|parent| parent.parent());
                let is_called = called.is_some_and(|called| {
                    matches!(called.kind(), "call_expression" | "generic_function")
                });
                if is_called {
                    self.add(text_of(node, text), vec!["?".to_owned()], true);
                }
                return;
            }
            "token_tree" => return self.rust_tokens(node, text),
            "let_declaration" | "parameter" | "for_expression" | "closure_parameters" => {
                let pattern = match node.kind() {
                    "closure_parameters" => Some(node),
                    _ => node.child_by_field_name("pattern"),
                };
                if let Some(pattern) = pattern {
                    bound_names(pattern, text, &mut self.bound);
                }
            }
            _ => {}
        }
        children(node)
            .into_iter()
            .for_each(|child| self.rust(child, text));
    }

    /// What the tokens of a macro mention, which are not parsed.
    fn rust_tokens(&mut self, node: Node<'_>, text: &str) {
        let tokens = children(node);
        let at = |index: Option<usize>| index.and_then(|index| tokens.get(index));
        let is = |index: Option<usize>, kind: &str| at(index).is_some_and(|t| t.kind() == kind);
        for (index, token) in tokens.iter().enumerate() {
            match token.kind() {
                "identifier" => {
                    let before = index.checked_sub(1);
                    let mut path = Vec::new();
                    let mut from = index;
                    while is(from.checked_sub(1), "::") && is(from.checked_sub(2), "identifier") {
                        from -= 2;
                        path.insert(0, text_of(tokens[from], text).to_owned());
                    }
                    let name = text_of(*token, text);
                    match is(before, ".") {
                        true if is(Some(index + 1), "token_tree") => {
                            self.add(name, vec!["?".to_owned()], true);
                        }
                        true => {}
                        false => self.add(name, path, false),
                    }
                }
                "token_tree" => self.rust_tokens(*token, text),
                "string_literal" | "raw_string_literal" => {
                    self.add_text(text_of(*token, text));
                    self.inline_arguments(text_of(*token, text));
                }
                _ => {}
            }
        }
    }

    /// Names in `"{name}"`, as the macros that format take them.
    fn inline_arguments(&mut self, literal: &str) {
        for part in literal.split('{').skip(1) {
            let name: String = part
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if name.chars().next().is_some_and(|c| !c.is_ascii_digit()) {
                self.add(&name, Vec::new(), false);
            }
        }
    }

    fn python(&mut self, node: Node<'_>, text: &str) {
        match node.kind() {
            _ if is_comment(node) => return,
            "string" => {
                self.add_text(text_of(node, text));
                for child in children(node) {
                    if child.kind() == "interpolation" {
                        self.python(child, text);
                    }
                }
                return;
            }
            "attribute" => {
                let mut path = python_path(node, text);
                if let Some(name) = path.pop() {
                    if let Some(first) = path.first().filter(|first| *first != "?") {
                        let first = first.clone();
                        self.add(&first, Vec::new(), false);
                    }
                    self.add(&name, path, true);
                }
                if let Some(object) = node.child_by_field_name("object") {
                    match object.kind() {
                        "identifier" => {}
                        _ => self.python(object, text),
                    }
                }
                return;
            }
            "identifier" => return self.add(text_of(node, text), Vec::new(), false),
            "keyword_argument" => {
                // The name belongs to whoever is called.
                if let Some(value) = node.child_by_field_name("value") {
                    self.python(value, text);
                }
                return;
            }
            "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => {
                if let Some(left) = node.child_by_field_name("left") {
                    bound_names(left, text, &mut self.bound);
                }
            }
            "named_expression" => {
                if let Some(name) = node.child_by_field_name("name") {
                    bound_names(name, text, &mut self.bound);
                }
            }
            "as_pattern_target" | "lambda_parameters" | "parameters" => {
                bound_parameters(node, text, &mut self.bound);
                // Defaults and types are mentions like any other.
                for child in children(node) {
                    for part in ["value", "type"] {
                        if let Some(part) = child.child_by_field_name(part) {
                            self.python(part, text);
                        }
                    }
                }
                return;
            }
            "global_statement" => return,
            _ => {}
        }
        children(node)
            .into_iter()
            .for_each(|child| self.python(child, text));
    }
}
