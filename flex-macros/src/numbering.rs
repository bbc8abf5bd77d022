//! The assertions in the body of a test: equal texts are numbered, plain assertions recorded.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::approx::Near;
use crate::asserted::Asserted;
use crate::places::{Places, macro_name, macro_path};
use crate::site::put_number;
use crate::{approx, asserted, close, comparison};

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
        check("assert_eq!(x < y, true)", "assert_eq!(x<y,true)");
    }

    /// The number of recorded assertions with each text, in order; the others are left as they were.
    fn check_recorded(source: &str, expected: &[&str]) {
        let tokens = source.parse::<TokenStream>().unwrap();
        let walked = text(&numbered(tokens.clone()));
        if expected.is_empty() {
            assert_eq!(walked, text(&tokens));
        }
        let sites = walked.split("Assertion{text:\"").skip(1).map(|site| {
            let (text, rest) = site.split_once("\",").unwrap();
            let (_, number) = rest.split_once("nth:").unwrap();
            let (number, _) = number.split_once("u32").unwrap();
            format!("{text} {number}")
        });
        assert_eq!(sites.collect::<Vec<_>>(), expected, "{source}");
    }

    #[test]
    fn plain_assertions_are_numbered_with_the_others() {
        check_recorded(
            "assert!(x < y); assert!(x<y, \"{}\", 1)",
            &["x<y 1", "x<y 2"],
        );
        let source = "assert_tail_bound!(x < 1.0); std::assert!(x < 1.0); debug_assert![x < 1.0]";
        check_recorded(source, &["x<1.0 2", "x<1.0 3"]);
        let source = "::approx::assert_ulps_eq!(a, b); assert_ulps_eq!(a, b,)";
        check_recorded(source, &["ulps_eq(a,b) 1", "ulps_eq(a,b) 2"]);
    }

    #[test]
    fn plain_assertions_are_found_where_code_runs() {
        let found = [
            "if a { assert!(x < y) }",
            "if !{ assert!(x < y); a } {}",
            "let f = |x| assert!(x < y);",
            "f(a, { assert!(x < y) })",
            "fn f<const N: usize>() where T: A, { assert!(x < y) }",
            "fn f(x: &'static str, y: *const u8) { assert!(x < y) }",
            "const A: u8 = 1; assert!(x < y)",
            "const fn f() {} assert!(x < y)",
            "enum A {} assert!(x < y)",
            "let v = [assert!(x < y); 2];",
            "#[cfg(a)] assert!(x < y)",
            "mod m { fn f() { assert!(x < y) } }",
        ];
        for source in found {
            check_recorded(source, &["x<y 1"]);
        }
        let not_found = [
            "vec![assert!(x < y)]",
            "macro_rules! m { () => { assert!(x < y) } }",
            "#[a(assert!(x < y))] fn f() {}",
            "const A: () = assert!(x < y);",
            "static A: () = { assert!(x < y) };",
            "const { assert!(x < y) }",
            "f(a, const { assert!(x < y) })",
            "const unsafe extern \"C\" fn f() { assert!(x < y) }",
            "enum A { B = { assert!(x < y); 1 } }",
            "let v = [0; { assert!(x < y); 2 }];",
            "A::<{ assert!(x < y); 2 }>",
            "A::<u8, { assert!(x < y); 2 }, 3>",
            "mine::assert!(x < y)",
        ];
        for source in not_found {
            check_recorded(source, &[]);
        }
    }

    #[test]
    fn what_is_no_comparison_of_two_values_is_left_alone() {
        let sources = [
            "assert!(x < y && a)",
            "assert!((x < y))",
            "assert!(!x)",
            "assert!(x == y)",
            "assert!(1 < 2)",
            "assert!(x < y; 3)",
            "assert!(x < y \"message\")",
            "assert!()",
            "assert != (x < y)",
            "assert_abs_diff_eq!(a)",
            "assert_abs_diff_eq!(a, b, max_ulps = 3)",
            "assert_abs_diff_eq!(a, b, epsilon = 1.0, epsilon = 2.0)",
            "assert_abs_diff_eq!(a, b).clone()",
            "assert_abs_diff_ne!(a, b)",
        ];
        for source in sources {
            check_recorded(source, &[]);
        }
    }
}
