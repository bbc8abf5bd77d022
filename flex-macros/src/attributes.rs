//! The other attributes of a stochastic test: which of its items gets which.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Meta, Result, Token, parse_quote};

use crate::settings::Errors;

/// The attributes, sorted.
#[derive(Default)]
pub struct Attributes {
    /// `cfg`: for every item.
    pub cfgs: Vec<Attribute>,
    /// Doc comments and `ignore`: for the `#[test]` function.
    pub on_test: Vec<Attribute>,
    /// Lints and all others: for the function with the body.
    pub on_body: Vec<Attribute>,
    /// The conditions under which the test is ignored.
    ignored: Vec<TokenStream>,
}

impl Attributes {
    /// Sorts the attributes of a function.
    pub fn sort(attributes: Vec<Attribute>, errors: &mut Errors) -> Self {
        let mut sorted = Attributes::default();
        for attribute in attributes {
            match Conditional::read(&attribute) {
                Some(conditional) => sorted.add_conditional(conditional, errors),
                None => sorted.add(attribute, None, errors),
            }
        }
        sorted
    }

    /// Whether the test is ignored: a literal, or `cfg!(…)`.
    pub fn ignored(&self) -> TokenStream {
        match &self.ignored[..] {
            [] => quote!(false),
            conditions if conditions.iter().any(TokenStream::is_empty) => quote!(true),
            conditions => quote!(::core::cfg!(any(#(#conditions),*))),
        }
    }

    fn add_conditional(&mut self, conditional: Conditional, errors: &mut Errors) {
        let Conditional { condition, metas } = conditional;
        for meta in metas {
            self.add(parse_quote!(#[#meta]), Some(&condition), errors);
        }
    }

    fn add(&mut self, attribute: Attribute, condition: Option<&TokenStream>, errors: &mut Errors) {
        if let Err(error) = check(&attribute.meta) {
            errors.push(error);
        }
        let is_ignore = attribute.path().is_ident("ignore");
        if is_ignore {
            self.ignored.push(condition.cloned().unwrap_or_default());
        }
        let place = if attribute.path().is_ident("cfg") {
            &mut self.cfgs
        } else if is_ignore || attribute.path().is_ident("doc") {
            &mut self.on_test
        } else {
            &mut self.on_body
        };
        let meta = &attribute.meta;
        place.push(match condition {
            Some(condition) => parse_quote!(#[cfg_attr(#condition, #meta)]),
            None => attribute,
        });
    }
}

/// `cfg_attr(condition, metas…)`.
struct Conditional {
    condition: TokenStream,
    metas: Punctuated<Meta, Token![,]>,
}

impl Conditional {
    fn read(attribute: &Attribute) -> Option<Self> {
        let Meta::List(list) = &attribute.meta else {
            return None;
        };
        if !list.path.is_ident("cfg_attr") {
            return None;
        }
        let parser = |input: ParseStream| {
            let mut condition = TokenStream::new();
            while !input.peek(Token![,]) {
                condition.extend([input.parse::<proc_macro2::TokenTree>()?]);
            }
            input.parse::<Token![,]>()?;
            let metas = Punctuated::parse_terminated(input)?;
            Ok(Conditional { condition, metas })
        };
        parser.parse2(list.tokens.clone()).ok()
    }
}

/// Refuses attributes that make no sense beside `#[stochastic_test]`.
fn check(meta: &Meta) -> Result<()> {
    let path = meta.path();
    let last = path.segments.last();
    let message = match last.map(|segment| segment.ident.to_string()).as_deref() {
        Some("should_panic") => {
            "`#[should_panic]` would turn every failure that flex finds into a pass; \
             use `std::panic::catch_unwind` in the test and assert on its result"
        }
        Some("test") => "`#[stochastic_test]` makes a `#[test]` already; remove this attribute",
        Some("stochastic_test") => "`#[stochastic_test]` is given twice; remove one of them",
        _ => return Ok(()),
    };
    Err(Error::new_spanned(meta, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_sorted() {
        let check = |source: &str, expected: [&str; 4]| {
            let attributes = Attribute::parse_outer.parse_str(source).unwrap();
            let mut errors = Errors::default();
            let sorted = Attributes::sort(attributes, &mut errors);
            errors.into_result().unwrap();
            let written = |attributes: &[Attribute]| crate::tokens::text(&quote!(#(#attributes)*));
            let ignored = crate::tokens::text(&sorted.ignored());
            assert_eq!(written(&sorted.cfgs), expected[0], "{source}");
            assert_eq!(written(&sorted.on_test), expected[1], "{source}");
            assert_eq!(written(&sorted.on_body), expected[2], "{source}");
            assert_eq!(ignored, expected[3], "{source}");
        };
        check("", ["", "", "", "false"]);
        check(
            "#[cfg(unix)] #[ignore = \"slow\"]",
            ["#[cfg(unix)]", "#[ignore=\"slow\"]", "", "true"],
        );
        check(
            "#[cfg_attr(miri, ignore)] #[cfg_attr(not(feature = \"slow\"), ignore = \"slow\", allow(dead_code))]",
            [
                "",
                "#[cfg_attr(miri,ignore)]#[cfg_attr(not(feature=\"slow\"),ignore=\"slow\")]",
                "#[cfg_attr(not(feature=\"slow\"),allow(dead_code))]",
                "::core::cfg!(any(miri,not(feature=\"slow\")))",
            ],
        );
        check(
            "#[expect(unused)] #[inline(never)]",
            ["", "", "#[expect(unused)]#[inline(never)]", "false"],
        );
        check(
            "#[cfg_attr(true, ignore)] #[ignore]",
            ["", "#[cfg_attr(true,ignore)]#[ignore]", "", "true"],
        );
    }
}
