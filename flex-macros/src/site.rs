//! Sites: the static that each assertion expands to.

use crate::quoted::{ToTokens as _, quote, quote_spanned};
use crate::token::{Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::settings::number_tokens;
use crate::tokens::ends;

/// How an assertion is written.
#[derive(Clone, Copy)]
pub struct SiteTexts<'a> {
    /// The tokens without white space.
    pub text: &'a str,
    /// The macro.
    pub form: &'a str,
    /// The variant of `Distance` that is bounded; `None` if it is the value itself.
    pub distance: Option<&'static str>,
}

impl SiteTexts<'_> {
    /// The fields of `Assertion`.
    fn fields(self) -> TokenStream {
        let SiteTexts { text, form, .. } = self;
        let distance = some(self.distance.map(|distance| {
            let distance = Ident::new(distance, Span::mixed_site());
            quote!([distance] ::flex_harness::__private::Distance::#distance)
        }));
        quote!([text, form, distance] text: #text, form: #form, distance: #distance,)
    }
}

/// The items of a site: the static `__FLEX_SITE`, and the function that tells where it is. Its `name` may be a literal.
pub fn items(written: SiteTexts<'_>, number: u32, name: Option<&Literal>) -> TokenStream {
    let written = written.fields();
    let name = some(name.map(|name| name.to_tokens()));
    let number = Literal::u32_suffixed(number);
    quote! {[written, name, number]
        fn __flex_here() {}
        static __FLEX_SITE: ::flex_harness::__private::Assertion = ::flex_harness::__private::Assertion {
            #written
            name: #name,
            nth: #number,
            here: || ::core::any::type_name_of_val(&__flex_here),
            file: ::core::file!(),
            line: ::core::line!(),
            hard: false,
        };
    }
}

/// The static of a site that stops the run when it fails, in the body of a stochastic test.
pub fn hard_items(written: SiteTexts<'_>, number: u32, at: Span) -> TokenStream {
    let written = written.fields();
    let number = Literal::u32_suffixed(number);
    // The attribute is elsewhere: the line is that of the user's own tokens.
    let line = quote_spanned!(at => [] ::core::line!());
    quote! {[written, number, line]
        static __FLEX_SITE: ::flex_harness::__private::Assertion = ::flex_harness::__private::Assertion {
            #written
            name: ::core::option::Option::None,
            nth: #number,
            here: || "",
            file: ::core::file!(),
            line: #line,
            hard: true,
        };
    }
}

/// A comparison of a value with a bound on its right, as tokens.
pub fn comparison(is_upper: bool, is_strict: bool, bound: f64) -> TokenStream {
    let operator = match (is_upper, is_strict) {
        (true, true) => quote!([] Less),
        (true, false) => quote!([] AtMost),
        (false, true) => quote!([] Greater),
        (false, false) => quote!([] AtLeast),
    };
    let bound = number_tokens(bound);
    quote! {[operator, bound]
        ::flex_harness::__private::Comparison {
            operator: ::flex_harness::__private::Operator::#operator,
            bound: #bound,
        }
    }
}

/// An `Option`, as tokens.
pub fn some(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!([value] ::core::option::Option::Some(#value)),
        None => quote!([] ::core::option::Option::None),
    }
}

/// A reference to what the tokens evaluate to; type errors point at them.
pub fn borrowed(value: &TokenStream) -> TokenStream {
    let (first, last) = ends(value);
    let value = quote_spanned!(last => [value] (#value));
    quote_spanned!(first => [value] &#value)
}

/// Takes off the number that `#[stochastic_test]` put before the input of an assertion; 0 in a helper function.
pub fn take_number(input: TokenStream) -> (u32, TokenStream) {
    let mut tokens = input.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Punct(at)), Some(TokenTree::Literal(number))) if at.as_char() == '@' => {
            (number.to_string().parse().unwrap_or(0), tokens.collect())
        }
        _ => (0, input),
    }
}

/// Puts a number before the input of an assertion.
pub fn put_number(number: u32, input: TokenStream) -> TokenStream {
    let mark = [
        TokenTree::from(Punct::new('@', Spacing::Alone)),
        Literal::u32_unsuffixed(number).into(),
    ];
    mark.into_iter().chain(input).collect()
}
