//! Calls of macros in a token stream, and their arguments.

use std::ops::{Range, RangeInclusive};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// `path::name!(tokens)`.
#[derive(Debug, Clone)]
pub struct Call {
    /// The last part of its path.
    pub name: String,
    /// The bytes of the whole path, without `!`.
    pub path: Range<usize>,
    /// The bytes of all of it.
    pub range: Range<usize>,
    /// Its lines.
    pub lines: RangeInclusive<u32>,
    /// What is in the brackets.
    pub tokens: Vec<TokenTree>,
    /// The byte after the opening bracket.
    open: usize,
}

impl Call {
    /// The value of `key = value` among the arguments.
    pub fn option(&self, key: &str) -> Option<&[TokenTree]> {
        option(&self.tokens, key)
    }

    /// Where another argument can be put.
    pub fn after_last_argument(&self) -> usize {
        end_of_last(&self.tokens).unwrap_or(self.open)
    }
}

/// The value of `key = value` among arguments.
pub fn option<'a>(tokens: &'a [TokenTree], key: &str) -> Option<&'a [TokenTree]> {
    arguments(tokens).find_map(|argument| match argument {
        [TokenTree::Ident(name), TokenTree::Punct(equals), value @ ..]
            if name == key && equals.as_char() == '=' && !value.is_empty() =>
        {
            Some(value)
        }
        _ => None,
    })
}

/// Where the last argument ends, if there is one.
pub fn end_of_last(tokens: &[TokenTree]) -> Option<usize> {
    let last = tokens.iter().rfind(|token| !is_comma(token))?;
    Some(last.span().byte_range().end)
}

/// Every call of a macro, also inside of others.
pub fn calls(stream: &TokenStream) -> Vec<Call> {
    let tokens: Vec<TokenTree> = stream.clone().into_iter().collect();
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        if let [.., TokenTree::Ident(name), TokenTree::Punct(bang)] = &tokens[..i]
            && bang.as_char() == '!'
            && group.delimiter() != Delimiter::None
        {
            let path = path_start(&tokens[..i - 1])..name.span().byte_range().end;
            let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
            found.push(Call {
                name: name.to_string(),
                range: path.start..group.span_close().byte_range().end,
                lines: line(name.span().start().line)..=line(group.span_close().end().line),
                path,
                tokens: group.stream().into_iter().collect(),
                open: group.span_open().byte_range().end,
            });
        }
        found.extend(calls(&group.stream()));
    }
    found
}

/// Where the path begins that ends with these tokens.
fn path_start(tokens: &[TokenTree]) -> usize {
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ':');
    match tokens {
        [
            before @ ..,
            TokenTree::Ident(_),
            first,
            second,
            TokenTree::Ident(_),
        ] if is_colon(first) && is_colon(second) => path_start(&tokens[..before.len() + 1]),
        [.., name] => name.span().byte_range().start,
        [] => 0,
    }
}

/// The tokens between the commas.
pub fn arguments(tokens: &[TokenTree]) -> impl Iterator<Item = &[TokenTree]> {
    tokens.split(is_comma)
}

/// The tokens before the first comma.
pub fn up_to_comma(tokens: &[TokenTree]) -> &[TokenTree] {
    arguments(tokens).next().unwrap_or_default()
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}

/// The tokens without brackets around all of them.
pub fn opened(tokens: &[TokenTree]) -> Vec<TokenTree> {
    match tokens {
        [TokenTree::Group(group)]
            if matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::None) =>
        {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            opened(&inner)
        }
        _ => tokens.to_vec(),
    }
}

/// The bytes of these tokens.
pub fn range(tokens: &[TokenTree]) -> Option<Range<usize>> {
    let first = tokens.first()?.span().byte_range();
    let last = tokens.last()?.span().byte_range();
    Some(first.start..last.end)
}
