//! Names that are bound to a literal: `const EPS: f64 = 1e-3;`, `let eps = 1e-3;`.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};

use super::{calls, is_literal};

/// The literal that a name is bound to where it is used, if it is bound once there and to nothing else.
///
/// Looked at are the blocks around the place of use, the innermost first.
pub fn number_of(file: &TokenStream, name: &str, used_at: usize) -> Option<Range<usize>> {
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
            [Some(value)] => return calls::range(value).filter(|_| is_literal(value)),
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
