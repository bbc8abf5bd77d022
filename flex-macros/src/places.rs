//! Which brackets of a test's body hold code that runs there.
//!
//! Not the input of other macros, attributes, and what is evaluated by the compiler: constants, statics, `const fn`,
//! array lengths, generic arguments and the values of an `enum`. In doubt, a place is none.

use crate::token::{Delimiter, TokenTree};
use crate::tokens;

/// Words that `!` can follow as an operator.
const KEYWORDS: [&str; 8] = [
    "if", "while", "match", "return", "in", "break", "else", "yield",
];

/// Goes along with the tokens between two brackets.
#[derive(Default)]
pub struct Places {
    skipped: Option<Until>,
}

/// Where a place that is no place ends.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    Semicolon,
    Braces,
    End,
}

impl Places {
    /// Whether the place is none.
    pub fn skips(&self) -> bool {
        self.skipped.is_some()
    }

    /// Takes the token at `place`; for a bracket, whether what it holds runs here.
    pub fn enter(&mut self, tokens: &[TokenTree], place: usize, within: Delimiter) -> bool {
        let before = |distance: usize| place.checked_sub(distance).map(|place| &tokens[place]);
        match &tokens[place] {
            TokenTree::Ident(word) if self.skipped.is_none() => {
                self.skipped = match word.to_string().as_str() {
                    "const" => end_of_constant(before(1), &tokens[place + 1..]),
                    "static" if !is_punct(before(1), '\'') => Some(Until::Semicolon),
                    "enum" => Some(Until::Braces),
                    _ => None,
                };
                false
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => {
                match (within, self.skipped) {
                    // The length of an array.
                    (Delimiter::Bracket, _) => self.skipped = Some(Until::End),
                    (_, Some(Until::Semicolon)) => self.skipped = None,
                    _ => {}
                }
                false
            }
            TokenTree::Group(group) => {
                let is_skipped = self.skipped.is_some();
                let in_braces = group.delimiter() == Delimiter::Brace;
                if in_braces && self.skipped == Some(Until::Braces) {
                    self.skipped = None;
                }
                let is_attribute = is_punct(before(1), '#')
                    || (is_punct(before(1), '!') && is_punct(before(2), '#'));
                let is_macro = macro_name(&tokens[..place]).is_some()
                    || (is_punct(before(2), '!') && is_word(before(3), "macro_rules"));
                let next = tokens.get(place + 1);
                let is_generic = in_braces
                    && (is_punct(before(1), '<') || is_punct(before(1), ','))
                    && (is_punct(next, '>') || is_punct(next, ','));
                !(is_skipped || is_attribute || is_macro || is_generic)
            }
            _ => false,
        }
    }
}

/// Where the constant, the `const` block or the `const fn` ends whose first word stands between such tokens.
fn end_of_constant(before: Option<&TokenTree>, rest: &[TokenTree]) -> Option<Until> {
    // `*const T`, `&raw const x`, `<const N: usize>`.
    let is_part_of_type =
        ['*', '<', ','].iter().any(|punct| is_punct(before, *punct)) || is_word(before, "raw");
    let is_named = is_punct(rest.get(1), ':');
    // `const unsafe extern "C" fn` is the longest.
    let is_function = || rest.iter().take(4).any(|token| is_word(Some(token), "fn"));
    match rest.first() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            Some(Until::Braces)
        }
        _ if is_part_of_type => None,
        _ if !is_named && is_function() => Some(Until::Braces),
        _ => Some(Until::Semicolon),
    }
}

/// The name of the macro that brackets after these tokens would be the input of.
pub fn macro_name(before: &[TokenTree]) -> Option<String> {
    match before {
        [.., TokenTree::Ident(name), TokenTree::Punct(bang)] if bang.as_char() == '!' => {
            let name = name.to_string();
            (!KEYWORDS.contains(&name.as_str())).then_some(name)
        }
        _ => None,
    }
}

/// How many of the last tokens are the path of a macro and its `!`, and the words of the path.
pub fn macro_path(before: &[TokenTree]) -> (usize, Vec<String>) {
    let mut length = 1;
    let mut words = Vec::new();
    let before_end = |length: usize| before.len().checked_sub(length).map(|place| &before[place]);
    while let Some(TokenTree::Ident(word)) = before_end(length + 1) {
        words.insert(0, word.to_string());
        length += 1;
        if is_punct(before_end(length + 1), ':') && is_punct(before_end(length + 2), ':') {
            length += 2;
        } else {
            break;
        }
    }
    (length, words)
}

fn is_punct(token: Option<&TokenTree>, punct: char) -> bool {
    matches!(token, Some(TokenTree::Punct(token)) if token.as_char() == punct)
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(token)) if tokens::is_word(token, word))
}
