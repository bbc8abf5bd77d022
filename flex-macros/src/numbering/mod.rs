//! The assertions in the body of a test: equal texts are numbered, plain assertions recorded.

use std::collections::HashMap;

use crate::token::{Delimiter, Group, TokenStream, TokenTree};

use crate::approx::Near;
use crate::asserted::Asserted;
use crate::places::{Places, macro_name, macro_path};
use crate::site::put_number;
use crate::syntax::parse;
use crate::{approx, assert_time, asserted, claim, close, comparison};

/// Puts before the input of each assertion which of the equal texts it is: 1, 2, …, and records plain assertions.
///
/// It looks into all brackets, so that assertions in nested functions and in the arguments of other macros count too.
/// Plain assertions in the arguments of other macros are left alone: nobody knows what those make of them.
pub fn numbered(body: TokenStream) -> TokenStream {
    let walked = Numbering::default().walk(&body, Delimiter::None, true);
    walked.unwrap_or(body)
}

/// How often each text occurred so far.
#[derive(Default)]
struct Numbering(HashMap<String, u32>);

impl Numbering {
    /// Walks through what stands between brackets; `runs` tells whether it is code that runs in the test.
    ///
    /// `None` if it holds no assertion: tokens that were taken apart are printed in another way.
    fn walk(&mut self, tokens: &TokenStream, within: Delimiter, runs: bool) -> Option<TokenStream> {
        let tokens = tokens.clone().into_iter().collect::<Vec<_>>();
        let mut places = Places::default();
        let mut walked = Vec::<TokenTree>::new();
        let mut is_changed = false;
        for (place, token) in tokens.iter().enumerate() {
            let runs_inside = places.enter(&tokens, place, within) && runs;
            let TokenTree::Group(group) = token else {
                walked.push(token.clone());
                continue;
            };
            let input = group.stream();
            let mut changed = self.walk(&input, group.delimiter(), runs_inside);
            if let Some(name) = macro_name(&tokens[..place]) {
                if let Some(identity) = identity(&name, changed.as_ref().unwrap_or(&input)) {
                    let number = match identity {
                        Identity::Text(text) => self.next(text),
                        Identity::Name => 1,
                    };
                    changed = Some(put_number(number, changed.unwrap_or(input)));
                } else if runs
                    && !places.skips()
                    && changed.is_none()
                    && self.record(&mut walked, group, tokens.get(place + 1))
                {
                    is_changed = true;
                    continue;
                }
            }
            is_changed |= changed.is_some();
            walked.push(match changed {
                Some(changed) => regrouped(group, changed),
                None => token.clone(),
            });
        }
        is_changed.then(|| walked.into_iter().collect())
    }

    /// Records the plain assertion that the brackets after these tokens are the input of, if they are.
    fn record(
        &mut self,
        walked: &mut Vec<TokenTree>,
        group: &Group,
        next: Option<&TokenTree>,
    ) -> bool {
        let (length, path) = macro_path(walked);
        let call = walked.len() - length;
        let at = walked[walked.len() - 2].span();
        let input = group.stream();
        if asserted::is_plain(&path) {
            let Some(asserted) = Asserted::parse(&input) else {
                return false;
            };
            let number = self.next(asserted.text.clone());
            let form = path
                .last()
                .map_or_else(String::new, |name| format!("{name}!"));
            walked.push(regrouped(group, asserted.recorded(&form, number, at)));
            return true;
        }
        // A block is no beginning of a longer expression, as `near!(…).clone()` would be.
        let goes_on =
            matches!(next, Some(TokenTree::Punct(punct)) if ['.', '?'].contains(&punct.as_char()));
        let near = approx::kind(&path).filter(|_| !goes_on);
        let Some(near) = near.and_then(|kind| Near::parse(kind, &input)) else {
            return false;
        };
        let number = self.next(near.text.clone());
        let call = walked.drain(call..).chain([group.clone().into()]);
        let call = call.collect::<TokenStream>();
        walked.extend(near.recorded(&call, number, at));
        true
    }

    /// The number of the next site with this text.
    fn next(&mut self, text: String) -> u32 {
        let count = self.0.entry(text).or_default();
        *count += 1;
        *count
    }
}

/// The brackets with something else in them.
fn regrouped(group: &Group, stream: TokenStream) -> TokenTree {
    let mut regrouped = Group::new(group.delimiter(), stream);
    regrouped.set_span(group.span());
    regrouped.into()
}

/// What identifies a site.
enum Identity {
    /// Its text and number.
    Text(String),
    /// Its own `name`.
    Name,
}

/// What identifies the assertion that calls this macro with this input. One that cannot be read reports that itself.
fn identity(name: &str, input: &TokenStream) -> Option<Identity> {
    let (text, details) = match name {
        "assert_tail_bound" => {
            let (comparison, details) = comparison::parse(input.clone()).ok()?;
            (comparison.text, details)
        }
        "assert_close" => {
            let close = parse::<close::Close>(input.clone()).ok()?;
            (close.text().ok()?, close.details)
        }
        "assert_time" => assert_time::identity(input.clone())?,
        _ => claim::identity(name, input)?,
    };
    Some(match details.get("name") {
        Some(_) => Identity::Name,
        None => Identity::Text(text),
    })
}

#[cfg(test)]
mod tests;
