//! `assert_mean!`, `assert_rate!` and the other assertions about all runs together: what a run shows, and what is
//! claimed.

mod family;
mod input;
mod options;

use crate::quoted::{ToTokens as _, quote, quote_spanned};
use crate::token::{Ident, Span, TokenStream};

pub use family::{DISTRIBUTED, Family, MEAN, NO_WORSE, RATE, SAME_DISTRIBUTION};
use input::{Claimed, Input};

use crate::details::{Details, inside};
use crate::settings::{Errors, number, number_tokens, word};
use crate::site::{SiteTexts, borrowed, items, some, take_number};
use crate::syntax::{Expr, ExprKind, Result};
use crate::tokens::ends;

/// Expands the macro of a family.
pub fn expand(family: &'static Family, input: TokenStream) -> Result<TokenStream> {
    let (nth, input) = take_number(input);
    let input = Input::parse(family, input)?;
    let mut errors = Errors::default();
    options::check(&input, &mut errors);
    errors.into_result()?;

    let written = SiteTexts {
        text: &input.text,
        form: &family.form(),
        distance: None,
    };
    let items = items(written, nth, input.details.literal_name());
    let claimed = claimed(&input);
    let settings = settings(&input);
    let extras = input.details.extras();
    Ok(quote! {[items, claimed, settings, extras] {
        #[allow(unused_imports)]
        use ::flex_harness::__private::{DrawnByIterator as _, NoDraws as _};
        #items
        #claimed
        ::flex_harness::__private::claimed(
            &__FLEX_SITE,
            __flex_claimed,
            __flex_draws,
            #settings,
            #extras,
        );
    }})
}

/// What the text of a site of this family is, and its details; an input that cannot be read reports that itself.
pub fn identity(name: &str, input: &TokenStream) -> Option<(String, Details)> {
    let family = Family::of_macro(name)?;
    let input = Input::parse(family, input.clone()).ok()?;
    Some((input.text, input.details))
}

/// The statements that evaluate what is claimed and what the run shows, in the order of the source.
fn claimed(input: &Input) -> TokenStream {
    let variant = |name: &str| Ident::new(name, Span::mixed_site());
    let family = variant(input.family.variant);
    let path = quote!([] ::flex_harness::__private::BareClaim);
    match &input.claimed {
        Claimed::Bounded {
            value,
            bound,
            operator,
        } => {
            let draws = draws(value, input.family.method);
            let operator = variant(operator);
            let bound = bound_tokens(bound);
            quote! {[draws, path, family, operator, bound]
                let __flex_draws = ::flex_harness::__private::draws(#draws);
                let __flex_claimed = #path::Bounded {
                    family: ::flex_harness::__private::Family::#family,
                    operator: ::flex_harness::__private::Operator::#operator,
                    bound: #bound,
                };
            }
        }
        Claimed::Held { value, tail } => {
            let draws = draws(value, input.family.method);
            let tail = variant(tail);
            quote! {[draws, path, family, tail]
                let __flex_draws = ::flex_harness::__private::draws(#draws);
                let __flex_claimed = #path::Held {
                    family: ::flex_harness::__private::Family::#family,
                    tail: ::flex_harness::__private::Tail::#tail,
                };
            }
        }
        Claimed::Near { value } => {
            let draws = draws(value, input.family.method);
            quote! {[draws, path]
                let __flex_draws = ::flex_harness::__private::draws(#draws);
                let __flex_claimed = #path::Near;
            }
        }
        Claimed::Law { value, law } => {
            let draws = draws(value, input.family.method);
            // References to closures are laws, those to other laws are not.
            let law = match &law.kind {
                ExprKind::Reference {
                    is_mutable: false,
                    target,
                } => target,
                _ => law,
            };
            let law = law.to_tokens();
            let (_, last) = ends(&law);
            let law = borrowed(&law);
            let places = Ident::new("__flex_places", last);
            quote! {[draws, law, places, path, family]
                let __flex_draws = #draws;
                let __flex_draws = {
                    #[allow(unused_imports)]
                    use ::flex_harness::__private::forms::*;
                    ::flex_harness::__private::Stated(#law).#places(&__flex_draws)
                };
                let __flex_claimed = #path::Laws(::flex_harness::__private::Family::#family);
            }
        }
        Claimed::Two { first, second } => {
            let (first, second) = (
                draws(first, input.family.method),
                draws(second, input.family.method),
            );
            quote! {[first, second, path, family]
                let __flex_first = #first;
                let __flex_draws = ::flex_harness::__private::draws_of_two(__flex_first, #second);
                let __flex_claimed = #path::Laws(::flex_harness::__private::Family::#family);
            }
        }
    }
}

/// The values of an expression as numbers. A variable is borrowed, since it may be needed later; what is computed on the
/// spot may be an iterator.
fn draws(value: &Expr, method: &str) -> TokenStream {
    let tokens = value.to_tokens();
    let (first, last) = ends(&tokens);
    let is_place = matches!(
        value.kind,
        ExprKind::Path(_) | ExprKind::Field(..) | ExprKind::Index(..)
    );
    let held = match is_place {
        true => borrowed(&tokens),
        false => quote_spanned!(last => [value] (#value)),
    };
    let method = Ident::new(method, last);
    quote_spanned!(first => [held, method] ::flex_harness::__private::Drawn::new(#held).#method())
}

/// A bound: a literal, or an expression of any number type.
fn bound_tokens(bound: &Expr) -> TokenStream {
    match number(bound) {
        Some(number) => number_tokens(number),
        None => {
            let bound = borrowed(&bound.to_tokens());
            quote!([bound] ::flex_harness::__private::measured(#bound).value)
        }
    }
}

/// The `ClaimSettings` of the site; numbers are evaluated when the site is hit for the first time.
fn settings(input: &Input) -> TokenStream {
    let details = &input.details;
    let numeric = |key: &str| {
        some(details.get(key).map(|value| {
            let number = bound_tokens(value);
            quote!([number] &|| #number)
        }))
    };
    let (margin, within, of) = (numeric("margin"), numeric("within"), numeric("of"));
    let max_runs = some(details.get("max_runs").map(|value| {
        let value =
            quote_spanned!(inside(value) => [value] { let __flex_runs: u32 = #value; __flex_runs });
        quote!([value] &|| #value)
    }));
    let is_word = |key: &str, expected: &str| {
        let value = details.get(key).and_then(word);
        value.as_deref() == Some(expected)
    };
    let undecided_fails = is_word("undecided", "fail");
    let independent = is_word("draws", "independent");
    let higher_is_better = is_word("better", "higher");
    quote! {[margin, within, of, max_runs, undecided_fails, independent, higher_is_better]
        ::flex_harness::__private::ClaimSettings {
            margin: #margin,
            within: #within,
            of: #of,
            max_runs: #max_runs,
            undecided_fails: #undecided_fails,
            independent: #independent,
            higher_is_better: #higher_is_better,
        }
    }
}
