//! Comparison operators, and the ways to cut tokens at them.

use crate::token::{Spacing, TokenStream, TokenTree};

/// `<`, `<=`, `>` or `>=`.
#[derive(Clone)]
pub struct Operator {
    pub tokens: TokenStream,
    /// Whether the left side is to be the smaller one.
    pub ascending: bool,
    /// Whether equal sides break it.
    pub is_strict: bool,
    /// The index of its first token.
    pub(super) place: usize,
}

/// The comparison operators outside of brackets.
pub(super) fn operators(tokens: &[TokenTree]) -> Vec<Operator> {
    let mut operators = Vec::new();
    let mut place = 0;
    while place < tokens.len() {
        let (length, ascending) = match joined(&tokens[place..]).as_str() {
            // Shifts and arrows.
            "<<" | ">>" | "->" | "=>" => (2, None),
            "<=" => (2, Some(true)),
            ">=" => (2, Some(false)),
            operator if operator.starts_with('<') => (1, Some(true)),
            operator if operator.starts_with('>') => (1, Some(false)),
            _ => (1, None),
        };
        if let Some(ascending) = ascending {
            operators.push(Operator {
                tokens: tokens[place..place + length].iter().cloned().collect(),
                ascending,
                is_strict: joined(&tokens[place..place + length]).len() == 1,
                place,
            });
        }
        place += length;
    }
    operators
}

/// The characters that the source joins to one operator, or begins one with: at most two.
fn joined(tokens: &[TokenTree]) -> String {
    match tokens {
        [TokenTree::Punct(first), TokenTree::Punct(second), ..]
            if first.spacing() == Spacing::Joint =>
        {
            [first.as_char(), second.as_char()].iter().collect()
        }
        [TokenTree::Punct(first), ..] => first.as_char().to_string(),
        _ => String::new(),
    }
}

/// Every choice of one or two operators.
pub(super) fn cuttings(operators: &[Operator]) -> Vec<Vec<Operator>> {
    let mut one = Vec::new();
    let mut two = Vec::new();
    for (i, first) in operators.iter().enumerate() {
        one.push(vec![first.clone()]);
        for second in &operators[i + 1..] {
            two.push(vec![first.clone(), second.clone()]);
        }
    }
    [one, two].concat()
}
