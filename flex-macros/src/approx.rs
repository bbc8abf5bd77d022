//! The assertions of the crate approx in a stochastic test: recorded, and otherwise what they were.
//!
//! approx's macros end in a call of `assert!` that holds references to both values, and macros are looked up where the
//! user's call stands. So a local macro of that name sees the values and what became of them; texts, evaluation and the
//! panic stay approx's own. A version of approx that ends in another way is not recorded.

use crate::quoted::{quote, quote_spanned};
use crate::token::{Ident, Span, TokenStream};

use crate::settings::{Setting, number, number_tokens};
use crate::site::{SiteTexts, hard_items, some};
use crate::syntax::{Expr, Input, Parse, Result, parse};
use crate::tokens::text;

/// Whether the path is that of an assertion of approx, and which.
pub fn kind(path: &[String]) -> Option<ApproxKind> {
    match path {
        [name] => ApproxKind::of(name),
        [krate, name] if krate == "approx" => ApproxKind::of(name),
        _ => None,
    }
}

/// What approx's macros compare.
#[derive(Clone, Copy, PartialEq)]
pub enum ApproxKind {
    AbsDiff,
    Relative,
    Ulps,
}

impl ApproxKind {
    fn of(name: &str) -> Option<Self> {
        match name {
            "assert_abs_diff_eq" => Some(ApproxKind::AbsDiff),
            "assert_relative_eq" => Some(ApproxKind::Relative),
            "assert_ulps_eq" => Some(ApproxKind::Ulps),
            _ => None,
        }
    }

    /// The name of the comparison.
    fn name(self) -> &'static str {
        match self {
            ApproxKind::AbsDiff => "abs_diff_eq",
            ApproxKind::Relative => "relative_eq",
            ApproxKind::Ulps => "ulps_eq",
        }
    }

    /// The option besides `epsilon`.
    fn option(self) -> Option<&'static str> {
        match self {
            ApproxKind::AbsDiff => None,
            ApproxKind::Relative => Some("max_relative"),
            ApproxKind::Ulps => Some("max_ulps"),
        }
    }
}

/// The input of an assertion.
pub struct Near {
    kind: ApproxKind,
    options: Vec<Setting>,
    /// The tokens without white space.
    pub text: String,
}

impl Near {
    /// Reads the input. `None` if it is to be left alone.
    pub fn parse(kind: ApproxKind, input: &TokenStream) -> Option<Self> {
        let Arguments { options } = parse(input.clone()).ok()?;
        let known = |option: &Setting| {
            option.is("epsilon") || kind.option().is_some_and(|known| option.is(known))
        };
        let twice = |options: &[Setting]| matches!(options, [a, b] if a.is(&b.key.to_string()));
        if !options.iter().all(known) || options.len() > 2 || twice(&options) {
            return None;
        }
        Some(Near {
            kind,
            options,
            text: format!("{}({})", kind.name(), text(input)),
        })
    }

    /// What stands in the place of the call at that place; `nth` tells equal texts apart.
    pub fn recorded(&self, call: &TokenStream, nth: u32, at: Span) -> TokenStream {
        let written = SiteTexts {
            text: &self.text,
            form: &format!("assert_{}!", self.kind.name()),
            distance: Some(self.distance()),
        };
        let site = hard_items(written, nth, at);
        let places = 0..self.options.len();
        let values = places.map(|place| Ident::new(&format!("value_{place}"), at));
        let values = values.collect::<Vec<_>>();
        let nearness = self.nearness(&values);
        let is_literal = |option: &Setting| number(&option.value).is_some();
        let (input, compared, computed) = if self.options.iter().all(is_literal) {
            let input = quote_spanned!(at => [] $input);
            (quote!([input] #input:tt), input, &values[..0])
        } else {
            // What is computed is computed once, for flex and for approx.
            let (mut seen, mut passed_on) = (TokenStream::new(), TokenStream::new());
            for (Setting { key, .. }, value) in self.options.iter().zip(&values) {
                seen.extend(quote_spanned!(at => [key, value] , #key = $#value:expr));
                passed_on.extend(quote_spanned!(at => [key, value] , #key = #value));
            }
            let input = quote_spanned!(at => [seen] (*$given:ident, *$expected:ident #seen));
            let compared = quote_spanned!(at => [passed_on] (*$given, *$expected #passed_on));
            (input, compared, &values[..])
        };
        let given = computed
            .iter()
            .map(|value| quote_spanned!(at => [value] $#value,));
        let given = given.collect::<TokenStream>();
        let computed = computed
            .iter()
            .map(|value| quote_spanned!(at => [value] #value,));
        let computed = computed.collect::<TokenStream>();
        let (options, options_said) = match &self.options[..] {
            [] => (quote!([]), quote!([])),
            _ => (
                quote_spanned!(at => [] stringify ! $options:tt,),
                quote_spanned!(at => [] stringify ! $options,),
            ),
        };
        // With the place of the user's call, so that type errors are there.
        let assert = quote_spanned! {at => [input, options, given, computed, nearness, compared, options_said]
            #[allow(unused_macros, unused_macro_rules)]
            macro_rules! assert {
                (
                    $eq:ident ! #input,
                    $format:literal,
                    stringify ! $name:tt,
                    stringify ! $left:tt,
                    stringify ! $right:tt,
                    #options
                    $left_value:ident,
                    $right_value:ident $(,)?
                ) => {
                    match (#given) {
                        (#computed) => {
                            let nearness = #nearness;
                            let kept = $eq ! #compared;
                            ::flex_harness::__private::asserted(
                                &__FLEX_SITE,
                                kept,
                                (&::flex_harness::__private::Operands($left_value, $right_value))
                                    .__flex_distance(nearness),
                            );
                            ::core::assert!(
                                kept,
                                $format,
                                stringify ! $name,
                                stringify ! $left,
                                stringify ! $right,
                                #options_said
                                $left_value,
                                $right_value,
                            )
                        }
                    }
                };
                ($($other:tt)*) => { ::core::assert!($($other)*) };
            }
        };
        quote! {[site, assert, call]
            {
                #[allow(unused_imports)]
                use ::flex_harness::__private::NotMeasured as _;
                #site
                #assert
                #call
            }
        }
    }

    /// What is bounded, as a variant of `Distance`. With `epsilon` alone, the absolute difference is what counts.
    fn distance(&self) -> &'static str {
        let has = |key: &str| self.options.iter().any(|option| option.is(key));
        let is_bounded = self.kind.option().is_some_and(has) || !has("epsilon");
        match self.kind {
            ApproxKind::Relative if is_bounded => "Relative",
            ApproxKind::Ulps if is_bounded => "Ulps",
            _ => "Absolute",
        }
    }

    /// The `Nearness`.
    fn nearness(&self, values: &[Ident]) -> TokenStream {
        let value = |key: &str| {
            let mut options = self.options.iter().zip(values);
            options.find(|(option, _)| option.is(key))
        };
        let measured = |option: Option<(&Setting, &Ident)>| {
            let value = option.map(|(option, value)| match number(&option.value) {
                Some(number) => number_tokens(number),
                None => {
                    quote!([value] (&::flex_harness::__private::Operand(&#value)).__flex_value())
                }
            });
            some(value)
        };
        let epsilon = value("epsilon");
        let own = self.kind.option().and_then(value);
        let distance = self.distance();
        let bound = if distance == "Absolute" { epsilon } else { own };
        let distance = Ident::new(distance, Span::mixed_site());
        let is_literal = bound.is_none_or(|(option, _)| number(&option.value).is_some());
        let (epsilon, bound) = (measured(epsilon), measured(bound));
        quote! {[distance, epsilon, bound, is_literal]
            ::flex_harness::__private::Nearness {
                distance: ::flex_harness::__private::Distance::#distance,
                epsilon: #epsilon,
                bound: #bound,
                is_literal: #is_literal,
            }
        }
    }
}

/// `given, expected` and options.
struct Arguments {
    options: Vec<Setting>,
}

impl Parse for Arguments {
    fn parse(input: &mut Input) -> Result<Self> {
        input.parse::<Expr>()?;
        if !input.take_punct(",") {
            return Err(input.error("expected `,`"));
        }
        input.parse::<Expr>()?;
        let mut options = Vec::new();
        while input.take_punct(",") && !input.is_empty() {
            options.push(input.parse()?);
        }
        Ok(Arguments { options })
    }
}
