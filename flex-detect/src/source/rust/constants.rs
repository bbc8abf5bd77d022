//! Names that are bound to a literal: `const EPS: f64 = 1e-3;`, `let eps = 1e-3;`.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};

use super::calls::{self, calls};
use super::comparison::{bounds, is_literal};
use super::kind::AssertionKind;

/// A name's only literal.
#[derive(Debug)]
pub struct Constant {
    /// The bytes of the literal.
    pub range: Range<usize>,
    /// The block that binds the name, and all that may use it.
    scope: TokenStream,
}

impl Constant {
    /// Whether the name is a bound or tolerance of one sort wherever it is used: with another number nothing else changes.
    pub fn only_bounds(&self, name: &str, from_above: bool) -> bool {
        let is_it = |operand: &[TokenTree]| matches!(operand, [TokenTree::Ident(it)] if it == name);
        let mut as_bound = 0;
        for call in calls(&self.scope) {
            let Some(kind) = AssertionKind::of(&call.name) else {
                continue;
            };
            if kind == AssertionKind::Comparison {
                for (above, operand) in bounds(&call.tokens) {
                    if is_it(&calls::opened(&operand)) {
                        if above != from_above {
                            return false;
                        }
                        as_bound += 1;
                    }
                }
            }
            // Tolerances, and what a message shows.
            for argument in calls::arguments(&call.tokens).skip(1) {
                let value = match argument {
                    [TokenTree::Ident(_), TokenTree::Punct(equals), value @ ..]
                        if equals.as_char() == '=' && from_above =>
                    {
                        value
                    }
                    _ if kind == AssertionKind::Comparison => argument,
                    _ => continue,
                };
                as_bound += usize::from(is_it(value));
            }
        }
        // It is named once where it is bound.
        occurrences(&self.scope, name) == as_bound + 1
    }
}

fn occurrences(tokens: &TokenStream, name: &str) -> usize {
    let count = |token: TokenTree| match token {
        TokenTree::Group(group) => occurrences(&group.stream(), name),
        TokenTree::Ident(ident) => usize::from(ident == name),
        _ => 0,
    };
    tokens.clone().into_iter().map(count).sum()
}

/// The literal that a name is bound to where it is used, if it is bound once there and to nothing else.
///
/// Looked at are the blocks around the place of use, the innermost first.
pub fn number_of(file: &TokenStream, name: &str, used_at: usize) -> Option<Constant> {
    let mut blocks = vec![file.clone()];
    loop {
        let around = blocks.last()?.clone().into_iter().find_map(|token| {
            let is_around = token.span().byte_range().contains(&used_at);
            match token {
                TokenTree::Group(group) if is_around => Some(group.stream()),
                _ => None,
            }
        });
        match around {
            Some(inner) => blocks.push(inner),
            None => break,
        }
    }
    for block in blocks.iter().rev() {
        let tokens: Vec<TokenTree> = block.clone().into_iter().collect();
        let bindings = bindings(&tokens, name);
        match &bindings[..] {
            [] => {}
            [Some(value)] if is_literal(value) => {
                return Some(Constant {
                    range: calls::range(value)?,
                    scope: block.clone(),
                });
            }
            _ => return None,
        }
    }
    None
}

/// The values that a name is bound to in a block; `None` for one that may change.
fn bindings(tokens: &[TokenTree], name: &str) -> Vec<Option<Vec<TokenTree>>> {
    let is_word =
        |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if ident == word);
    let is_punct =
        |token: &TokenTree, c: char| matches!(token, TokenTree::Punct(p) if p.as_char() == c);
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let is_binding = ["const", "static", "let"]
            .iter()
            .any(|word| is_word(token, word));
        if !is_binding {
            continue;
        }
        let rest = &tokens[i + 1..];
        let (is_mutable, rest) = match rest {
            [first, rest @ ..] if is_word(first, "mut") => (true, rest),
            rest => (false, rest),
        };
        if !rest.first().is_some_and(|token| is_word(token, name)) {
            continue;
        }
        let end = rest.iter().position(|token| is_punct(token, ';'));
        let statement = &rest[..end.unwrap_or(rest.len())];
        let equals = statement.iter().position(|token| is_punct(token, '='));
        let value = equals.map(|equals| statement[equals + 1..].to_vec());
        found.push(value.filter(|_| !is_mutable));
    }
    found
}
