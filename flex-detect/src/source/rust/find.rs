//! Which assertion of a source a record speaks of.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::calls::{Call, calls};
use super::kind::AssertionKind;
use crate::record::ObservedSite;
use crate::source::NoPlace;

/// The assertion that the record speaks of, at its line, or by its text if lines have moved; and the tokens of the file.
pub(super) fn find(text: &str, site: &ObservedSite) -> Result<(Call, TokenStream), NoPlace> {
    let file = tokens(text)?;
    let known: Vec<Call> = calls(&file)
        .into_iter()
        .filter(|call| AssertionKind::of(&call.name).is_some())
        .collect();
    let wanted: String = site.text.split_whitespace().collect();
    let says_it = |call: &&Call| says(call, &wanted);
    let is_there = |call: &&Call| call.lines.contains(&site.place.line);
    let here: Vec<&Call> = known.iter().filter(is_there).collect();
    let call = match here[..] {
        [call] if site.text.is_empty() || says(call, &wanted) => Some(call),
        // Several in one line, or one inside of another.
        [_, _, ..] => only(here.iter().copied().filter(says_it)),
        _ => None,
    };
    let call = call.or_else(|| only(known.iter().filter(says_it)));
    match call {
        Some(call) => Ok((call.clone(), file)),
        None => Err(NoPlace::Changed(format!(
            "line {} no longer holds `{}`",
            site.place.line, site.text
        ))),
    }
}

/// Whether the text is Rust.
pub fn parses(text: &str) -> Result<(), String> {
    syn::parse_file(text).map(drop).map_err(|error| {
        let start = error.span().start();
        format!("line {}: {error}", start.line)
    })
}

/// The tokens of a Rust source.
pub(super) fn tokens(text: &str) -> Result<TokenStream, NoPlace> {
    let unreadable = |why: String| NoPlace::Unreadable(format!("not Rust: {why}"));
    parses(text).map_err(unreadable)?;
    // What makes a script of the file is no token; blanks keep every place where it is.
    let blank = if text.starts_with("#!") && !text.starts_with("#![") {
        let end = text.find('\n').unwrap_or(text.len());
        " ".repeat(end) + &text[end..]
    } else {
        text.to_owned()
    };
    blank
        .parse()
        .map_err(|error: proc_macro2::LexError| unreadable(error.to_string()))
}

/// Whether an assertion has this text, without white space.
fn says(call: &Call, wanted: &str) -> bool {
    let text: String = without_spaces(&call.tokens).split_whitespace().collect();
    let bang = wanted.find('!').map_or(0, |bang| bang + 1);
    // The record's text may be that of the condition, or of the whole assertion with its name and brackets.
    let inner = wanted[bang..].trim_matches(['(', ')', '[', ']', '{', '}', ';']);
    let arguments = wanted[bang..].split_once('(').map(|(_, rest)| rest);
    let arguments = arguments.and_then(|rest| rest.strip_suffix(')'));
    let has_arguments = |given: &str| !given.is_empty() && text.starts_with(given);
    !inner.is_empty() && (text.contains(inner) || arguments.is_some_and(has_arguments))
}

fn without_spaces(tokens: &[TokenTree]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                text += open;
                text += &without_spaces(&inner);
                text += close;
            }
            token => text += &token.to_string(),
        }
    }
    text
}

/// The only one of them.
pub(super) fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
