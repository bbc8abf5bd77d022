//! What a condition compares, as tokens: `_ < x < 0.5` is no expression.

use proc_macro2::{Spacing, TokenTree};

use super::calls;
use crate::source::literal::value;

/// Every operand of a comparison, and whether the other side is to stay below it.
pub(super) fn bounds(tokens: &[TokenTree]) -> Vec<(bool, Vec<TokenTree>)> {
    let condition = calls::up_to_comma(tokens);
    let mut bounds = Vec::new();
    let mut start = 0;
    let mut ascending_before = None;
    let mut at = 0;
    while at <= condition.len() {
        let (length, ascending) = match condition.get(at..) {
            Some(rest) if !rest.is_empty() => operator(rest),
            _ => (1, None),
        };
        if ascending.is_some() || at == condition.len() {
            let operand = condition[start..at].to_vec();
            // Right of `<` and left of `>` stands what bounds from above.
            if let Some(before) = ascending_before {
                bounds.push((before, operand.clone()));
            }
            if let Some(after) = ascending {
                bounds.push((!after, operand));
            }
            ascending_before = ascending;
            start = at + length;
        }
        at += length;
    }
    bounds
}

/// The right and the left side of a single comparison, and whether each bounds the other from above.
pub(super) fn sides(tokens: &[TokenTree]) -> Option<[(bool, Vec<TokenTree>); 2]> {
    match <[_; 2]>::try_from(bounds(tokens)) {
        Ok([left, right]) => Some([right, left]),
        Err(_) => None,
    }
}

/// How many tokens the operator here has, and whether it is `<` or `<=` (true), or `>` or `>=` (false).
fn operator(tokens: &[TokenTree]) -> (usize, Option<bool>) {
    let joined = match tokens {
        [TokenTree::Punct(first), TokenTree::Punct(second), ..]
            if first.spacing() == Spacing::Joint =>
        {
            [first.as_char(), second.as_char()].iter().collect()
        }
        [TokenTree::Punct(first), ..] => first.as_char().to_string(),
        _ => String::new(),
    };
    match joined.as_str() {
        "<<" | ">>" | "->" | "=>" => (2, None),
        "<=" => (2, Some(true)),
        ">=" => (2, Some(false)),
        joined if joined.starts_with('<') => (1, Some(true)),
        joined if joined.starts_with('>') => (1, Some(false)),
        _ => (1, None),
    }
}

pub(super) fn is_literal(tokens: &[TokenTree]) -> bool {
    match tokens {
        [TokenTree::Literal(number)] => value(&number.to_string()).is_some(),
        [TokenTree::Punct(sign), number] => {
            sign.as_char() == '-' && is_literal(std::slice::from_ref(number))
        }
        _ => false,
    }
}

/// Whether it is `f64::EPSILON`, a literal by another name.
pub(super) fn is_epsilon(tokens: &[TokenTree]) -> bool {
    let text: String = tokens.iter().map(ToString::to_string).collect();
    let text = text.strip_prefix("std::").unwrap_or(&text);
    matches!(text, "f64::EPSILON" | "f32::EPSILON")
}
