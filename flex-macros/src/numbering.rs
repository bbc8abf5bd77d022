//! Numbers for the sites of a test, so that two assertions with the same text are told apart wherever they stand.

use std::collections::HashMap;

use proc_macro2::{Group, TokenStream, TokenTree};

use crate::site::put_number;
use crate::{close, comparison};

/// Puts before the input of each assertion which of the equal texts it is: 1, 2, ….
///
/// It looks into all brackets, so that assertions in nested functions and in the arguments of other macros count too.
pub fn numbered(body: TokenStream) -> TokenStream {
    Numbering::default().walk(body)
}

/// How often each text occurred so far.
#[derive(Default)]
struct Numbering(HashMap<String, u32>);

impl Numbering {
    fn walk(&mut self, tokens: TokenStream) -> TokenStream {
        let mut walked = Vec::<TokenTree>::new();
        for token in tokens {
            let TokenTree::Group(group) = token else {
                walked.push(token);
                continue;
            };
            let mut stream = self.walk(group.stream());
            if let [.., TokenTree::Ident(name), TokenTree::Punct(bang)] = &walked[..]
                && bang.as_char() == '!'
                && let Some(text) = identity(&name.to_string(), &stream)
            {
                let number = match text {
                    Identity::Text(text) => {
                        let count = self.0.entry(text).or_default();
                        *count += 1;
                        *count
                    }
                    Identity::Name => 1,
                };
                stream = put_number(number, stream);
            }
            let mut numbered = Group::new(group.delimiter(), stream);
            numbered.set_span(group.span());
            walked.push(numbered.into());
        }
        walked.into_iter().collect()
    }
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
            let close = syn::parse2::<close::Close>(input.clone()).ok()?;
            (close.text().ok()?, close.details)
        }
        _ => return None,
    };
    Some(match details.get("name") {
        Some(_) => Identity::Name,
        None => Identity::Text(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::text;

    #[test]
    fn equal_texts_are_numbered() {
        let check = |source: &str, expected: &str| {
            assert_eq!(text(&numbered(source.parse().unwrap())), expected);
        };
        check(
            "assert_tail_bound!(x < _); assert_tail_bound!(y < _); assert_tail_bound!(x<_);",
            "assert_tail_bound!(@1x<_);assert_tail_bound!(@1y<_);assert_tail_bound!(@2x<_);",
        );
        // In brackets of any kind, with a path, and in other macros.
        check(
            "if a { flex_harness::assert_tail_bound![x < _] } else { vec![|| assert_tail_bound! { x < _ }] }",
            "ifa{flex_harness::assert_tail_bound![@1x<_]}else{vec![||assert_tail_bound!{@2x<_}]}",
        );
        check(
            "assert_close!(a, b, abs = _); assert_close!(a, b, rel = _); assert_close!(a, b, abs = _, case = 3)",
            "assert_close!(@1a,b,abs=_);assert_close!(@1a,b,rel=_);assert_close!(@2a,b,abs=_,case=3)",
        );
        // A name identifies a site by itself.
        check(
            "assert_tail_bound!(x < _, name = \"a\"); assert_tail_bound!(x < _)",
            "assert_tail_bound!(@1x<_,name=\"a\");assert_tail_bound!(@1x<_)",
        );
        // Not assertions, or not readable.
        check("assert_tail_bound != (x < y)", "assert_tail_bound!=(x<y)");
        check("assert_tail_bound!($x < _)", "assert_tail_bound!($x<_)");
        check("assert!(x < y)", "assert!(x<y)");
    }
}
