//! Details: what every assertion says besides what it compares.

use crate::quoted::{ToTokens as _, quote, quote_spanned};
use crate::token::{Literal, Span, TokenStream, TokenTree};

use crate::settings::{Errors, Setting, check_confidence, check_keys};
use crate::site::{borrowed, some};
use crate::syntax::{Error, Expr, ExprKind, Input, Parse, Result, literal_text};
use crate::tokens::ends;

/// The options and the message of an assertion: `, name = "…", "message {}", x`.
pub struct Details {
    pub settings: Vec<Setting>,
    message: Option<TokenStream>,
}

impl Parse for Details {
    fn parse(input: &mut Input) -> Result<Self> {
        let mut settings = Vec::new();
        let mut message = None;
        while !input.is_empty() {
            if !input.take_punct(",") {
                return Err(input.error("expected `,` and an option or a message"));
            }
            if input.is_empty() {
                break;
            }
            if is_setting(input) {
                settings.push(input.parse()?);
            } else {
                check_message(&mut input.clone())?;
                message = Some(input.rest());
            }
        }
        Ok(Details { settings, message })
    }
}

/// Whether `key = …` comes next.
fn is_setting(input: &Input) -> bool {
    let mut ahead = input.clone();
    matches!(ahead.next(), Some(TokenTree::Ident(_)))
        && ahead.is_punct("=")
        && !ahead.is_punct("==")
}

/// A message begins with a text, or with a macro that makes one.
fn check_message(input: &mut Input) -> Result<()> {
    let first = input.parse::<Expr>()?;
    match &first.kind {
        ExprKind::Macro(..) | ExprKind::Group(_) => Ok(()),
        ExprKind::Literal(literal) if literal_text(literal).is_some() => Ok(()),
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
        for setting in &self.settings {
            let Setting { key, value } = setting;
            if !learned && (setting.is("domain") || setting.is("confidence")) {
                let message = format!(
                    "`{key}` is for a learned bound, and nothing here is `_`; remove it, or write `_` for the bound"
                );
                errors.push(Error::new_spanned(key, message));
            } else if setting.is("confidence") {
                check_confidence(value, errors);
            }
        }
        self.check_name(errors);
    }

    /// Refuses a name that is written out and empty.
    pub fn check_name(&self, errors: &mut Errors) {
        if let Some(name) = self.literal_name().filter(|name| is_blank(name)) {
            let message =
                "a `name` has at least one letter; without `name`, the site is named by its text";
            errors.push(Error::new_spanned(name, message));
        }
    }

    /// The value of an option.
    pub fn get(&self, key: &str) -> Option<&Expr> {
        let mut settings = self.settings.iter();
        settings
            .find(|setting| setting.is(key))
            .map(|setting| &setting.value)
    }

    /// The `name`, if it is written out.
    pub fn literal_name(&self) -> Option<&Literal> {
        self.get("name").and_then(literal)
    }

    /// The `Extras` of the site.
    pub fn extras(&self) -> TokenStream {
        let said = |said: Option<TokenStream>| some(said.map(|said| quote!([said] &|| #said)));
        let shown = |value: &Expr| {
            let value = borrowed(&value.to_tokens());
            quote!([value] ::std::string::ToString::to_string(#value))
        };
        let name = self.get("name").filter(|name| literal(name).is_none());
        let name = said(name.map(shown));
        let case = said(self.get("case").map(shown));
        let domain = said(self.get("domain").map(
            |domain| quote_spanned!(inside(domain) => [domain] ::flex_harness::__private::IntoDomain::into_domain(#domain)),
        ));
        let confidence = said(self.get("confidence").map(|value| value.to_tokens()));
        let message =
            said((self.message.as_ref()).map(
                |message| quote!([message] ::std::fmt::format(::core::format_args!(#message))),
            ));
        quote! {[name, case, domain, confidence, message]
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
pub fn inside(expression: &Expr) -> Span {
    ends(&expression.to_tokens()).0
}

/// A text that is written out.
fn literal(value: &Expr) -> Option<&Literal> {
    match &value.kind {
        ExprKind::Literal(text) if literal_text(text).is_some() => Some(text),
        ExprKind::Group(inside) => literal(inside),
        _ => None,
    }
}

fn is_blank(text: &Literal) -> bool {
    literal_text(text).is_some_and(|text| text.is_empty())
}
