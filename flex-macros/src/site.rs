//! Sites: what both assertions say besides what they compare, and the static that each expands to.

use proc_macro2::{Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitStr, Result, Token};

use crate::settings::{Errors, Setting, check_confidence, check_keys, number_tokens};
use crate::tokens::ends;

/// The options and the message of an assertion: `, name = "…", "message {}", x`.
pub struct Details {
    pub settings: Vec<Setting>,
    message: Option<TokenStream>,
}

impl Parse for Details {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut settings = Vec::new();
        let mut message = None;
        while !input.is_empty() {
            if !input.peek(Token![,]) {
                return Err(input.error("expected `,` and an option or a message"));
            }
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            if input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
                settings.push(input.parse()?);
            } else {
                check_message(&input.fork())?;
                message = Some(input.parse()?);
            }
        }
        Ok(Details { settings, message })
    }
}

/// A message begins with a text, or with a macro that makes one.
fn check_message(input: ParseStream) -> Result<()> {
    let first = input.parse::<Expr>()?;
    match first {
        Expr::Lit(ExprLit {
            lit: Lit::Str(_), ..
        })
        | Expr::Macro(_)
        | Expr::Group(_) => Ok(()),
        _ => Err(Error::new_spanned(
            first,
            "expected an option, like `name = \"…\"`, or a message, like `\"seen with {n} items\"`",
        )),
    }
}

/// The options of every site.
const OPTIONS: [&str; 4] = ["name", "case", "domain", "confidence"];

impl Details {
    /// Checks the options; `more` are those that only this macro has.
    pub fn check(&self, learned: bool, more: &[&str], errors: &mut Errors) {
        check_keys(&self.settings, &[more, &OPTIONS].concat(), errors);
        for Setting { key, value } in &self.settings {
            if !learned && (key == "domain" || key == "confidence") {
                let message = format!(
                    "`{key}` is for a learned bound, and nothing here is `_`; remove it, or write `_` for the bound"
                );
                errors.push(Error::new_spanned(key, message));
            } else if key == "confidence" {
                check_confidence(value, errors);
            } else if key == "name" && literal(value).is_some_and(|name| name.value().is_empty()) {
                let message = "a `name` has at least one letter; without `name`, the site is named by its text";
                errors.push(Error::new_spanned(value, message));
            }
        }
    }

    /// The value of an option.
    pub fn get(&self, key: &str) -> Option<&Expr> {
        let mut settings = self.settings.iter();
        settings
            .find(|setting| setting.key == key)
            .map(|setting| &setting.value)
    }

    /// The `Extras` of the site.
    pub fn extras(&self) -> TokenStream {
        let said = |said: Option<TokenStream>| some(said.map(|said| quote!(&|| #said)));
        let shown = |value: &Expr| {
            let value = borrowed(&quote!(#value));
            quote!(::std::string::ToString::to_string(#value))
        };
        let name = self.get("name").filter(|name| literal(name).is_none());
        let name = said(name.map(shown));
        let case = said(self.get("case").map(shown));
        let domain = said(self.get("domain").map(
            |domain| quote_spanned!(inside(domain)=> ::flex_harness::__private::IntoDomain::into_domain(#domain)),
        ));
        let confidence = said(self.get("confidence").map(|value| quote!(#value)));
        let message = said(
            (self.message.as_ref())
                .map(|message| quote!(::std::fmt::format(::core::format_args!(#message)))),
        );
        quote! {
            ::flex_harness::__private::Extras {
                name: #name,
                case: #case,
                domain: #domain,
                confidence: #confidence,
                message: #message,
            }
        }
    }
}

/// The place of an expression, with the names of the macro.
fn inside(expression: &Expr) -> Span {
    Span::mixed_site().located_at(expression.span())
}

/// A text that is written out.
fn literal(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

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
            quote!(::flex_harness::__private::Distance::#distance)
        }));
        quote!(text: #text, form: #form, distance: #distance,)
    }
}

/// The items of a site: the static `__FLEX_SITE`, and the function that tells where it is.
pub fn items(written: SiteTexts<'_>, number: u32, details: &Details) -> TokenStream {
    let written = written.fields();
    let name = details.get("name").and_then(literal);
    let name = some(name.map(|name| quote!(#name)));
    let number = Literal::u32_suffixed(number);
    quote! {
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
    let line = quote_spanned!(at=> ::core::line!());
    quote! {
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
        (true, true) => quote!(Less),
        (true, false) => quote!(AtMost),
        (false, true) => quote!(Greater),
        (false, false) => quote!(AtLeast),
    };
    let bound = number_tokens(bound);
    quote! {
        ::flex_harness::__private::Comparison {
            operator: ::flex_harness::__private::Operator::#operator,
            bound: #bound,
        }
    }
}

/// An `Option`, as tokens.
pub fn some(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// A reference to what the tokens evaluate to; type errors point at them.
pub fn borrowed(value: &TokenStream) -> TokenStream {
    let (first, last) = ends(value);
    let value = quote_spanned!(last=> (#value));
    quote_spanned!(first=> &#value)
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
