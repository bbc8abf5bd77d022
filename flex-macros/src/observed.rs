//! `#[observed]`: what the assertions of a plain test compare is recorded. `cargo flex detect` writes it into a copy of the
//! sources; nobody writes it by hand.

use crate::numbering::numbered;
use crate::quoted::{ToTokens as _, quote};
use crate::token::{Delimiter, Group, TokenStream, TokenTree};

/// The same function, whose assertions are recorded where somebody asks for it. What is no function with a body stays as
/// it is.
pub fn expand(item: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let Some(TokenTree::Group(body)) = tokens.pop() else {
        return item;
    };
    let begins_with_attributes = || {
        let mut inner = body.stream().into_iter();
        let is = |token: Option<TokenTree>, c| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == c);
        is(inner.next(), '#') && is(inner.next(), '!')
    };
    if body.delimiter() != Delimiter::Brace || begins_with_attributes() {
        return item;
    }
    let walked = numbered(TokenTree::from(body.clone()).to_tokens());
    let inside = match walked.into_iter().next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => return item,
    };
    // It is dropped last, and so after the last assertion, whichever way the test ends.
    let inside = quote! {[inside]
        let __flex_observed = ::flex_harness::__private::ObservedPlainTest::begin(::core::file!(), ::core::line!());
        #inside
    };
    let mut body_now = Group::new(Delimiter::Brace, inside);
    body_now.set_span(body.span());
    tokens.push(body_now.into());
    tokens.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::text;

    fn expanded(item: &str) -> String {
        text(&expand(item.parse().unwrap()))
    }

    #[test]
    fn assertions_of_the_body_are_recorded_and_all_else_stays() {
        let plain = expanded("fn a() -> Result<(), u8> { let x = f()?; assert!(x < 1.0); Ok(()) }");
        assert!(
            plain.starts_with("fna()->Result<(),u8>{let__flex_observed="),
            "{plain}"
        );
        assert!(
            plain.contains("letx=f()?;assert!(") && plain.ends_with("Ok(())}"),
            "{plain}"
        );
        assert!(plain.contains("__FLEX_SITE"), "{plain}");
        let none = expanded("fn a() { f(); }");
        assert!(
            none.ends_with("f();}") && !none.contains("__FLEX_SITE"),
            "{none}"
        );
    }

    #[test]
    fn what_cannot_begin_with_a_statement_stays() {
        for item in ["fn a() { #![allow(unused)] f(); }", "struct A;", "fn a();"] {
            assert_eq!(expanded(item), text(&item.parse().unwrap()));
        }
    }
}
