//! The options of `#[stochastic_test(…)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, Lit, Result, Token};

use crate::settings::{Errors, Setting, check_confidence, check_keys, number};
use crate::site::some;
use crate::tokens::ends;

const OPTIONS: [&str; 9] = [
    "confidence",
    "runs",
    "max_runs",
    "tail",
    "effort",
    "on_ceiling",
    "overlap",
    "entropy",
    "attempts",
];

/// The value of the `options` field of the test.
pub fn options(arguments: TokenStream, errors: &mut Errors) -> TokenStream {
    let settings = match parse(arguments) {
        Ok(settings) => settings,
        Err(error) => {
            errors.push(error);
            Vec::new()
        }
    };
    check_keys(&settings, &OPTIONS, errors);
    let runs = settings.iter().find(|setting| setting.key == "runs");
    let runs = runs.map(|setting| &setting.value);
    let fields = settings.iter().map(|setting| field(setting, runs, errors));
    let fields = fields.collect::<TokenStream>();
    let all_given = settings.len() == OPTIONS.len();
    let rest = (!all_given).then(|| quote!(..::flex_harness::__private::Options::NONE));
    quote!(::flex_harness::__private::Options { #fields #rest })
}

fn parse(arguments: TokenStream) -> Result<Vec<Setting>> {
    let settings = Punctuated::<Setting, Token![,]>::parse_terminated.parse2(arguments)?;
    Ok(settings.into_iter().collect())
}

/// One field of the options. Unknown keys, which are reported already, have none.
fn field(setting: &Setting, runs: Option<&Expr>, errors: &mut Errors) -> TokenStream {
    let Setting { key, value } = setting;
    let mut refuse = |message: &str| errors.push(Error::new_spanned(value, message));
    match key.to_string().as_str() {
        "confidence" => {
            check_confidence(value, errors);
            let between = quote!(__FLEX_VALUE > 0.0 && __FLEX_VALUE < 1.0);
            let value = checked(
                value,
                &quote!(f64),
                &between,
                "`confidence` is a probability between 0 and 1",
            );
            quote!(confidence: #value,)
        }
        "runs" => {
            const MESSAGE: &str = "`runs` is at least 1: the calibration runs to begin with";
            if number(value).is_some_and(|runs| runs < 1.0) {
                refuse(MESSAGE);
            }
            let value = checked(value, &quote!(u32), &quote!(__FLEX_VALUE > 0), MESSAGE);
            quote!(runs: #value,)
        }
        "max_runs" => {
            const MESSAGE: &str = "`max_runs` is at least 1, and not less than `runs`";
            let least = runs.map_or(Some(1.0), number);
            if number(value).is_some_and(|most| least.is_some_and(|least| most < least)) {
                refuse(MESSAGE);
            }
            let least = runs.map_or_else(|| quote!(1), |runs| quote!(#runs));
            let value = checked(
                value,
                &quote!(u32),
                &quote!(__FLEX_VALUE >= #least),
                MESSAGE,
            );
            quote!(max_runs: #value,)
        }
        "attempts" => {
            const MESSAGE: &str =
                "`attempts` is at least 1: the runs of which one must not fail by itself";
            if number(value).is_some_and(|attempts| attempts < 1.0) {
                refuse(MESSAGE);
            }
            let value = checked(value, &quote!(u32), &quote!(__FLEX_VALUE > 0), MESSAGE);
            quote!(attempts: #value,)
        }
        "effort" => {
            const MESSAGE: &str = "`effort` is not negative: the expected extra runs per run, like 0.3, or 0.0 for none";
            if number(value).is_some_and(|effort| effort < 0.0) {
                refuse(MESSAGE);
            }
            let value = checked(value, &quote!(f64), &quote!(__FLEX_VALUE >= 0.0), MESSAGE);
            quote!(effort: #value,)
        }
        "tail" => {
            let is_light = match word(value).as_deref() {
                Some("light") => true,
                Some("any") => false,
                _ => {
                    refuse(
                        "the only promise about the tail is `tail = light`: at most exponential; `tail = any`, the default, promises nothing",
                    );
                    false
                }
            };
            let is_light = some(Some(quote!(#is_light)));
            quote!(light: #is_light,)
        }
        "on_ceiling" => {
            let warns = match word(value).as_deref() {
                Some("warn") => true,
                Some("fail") => false,
                _ => {
                    refuse(
                        "write `on_ceiling = fail`, which is the default, or `on_ceiling = warn`",
                    );
                    false
                }
            };
            let warns = some(Some(quote!(#warns)));
            quote!(ceiling_warns: #warns,)
        }
        "overlap" => match value {
            Expr::Lit(ExprLit {
                lit: Lit::Bool(overlap),
                ..
            }) => {
                let overlap = some(Some(quote!(#overlap)));
                quote!(overlap: #overlap,)
            }
            _ => {
                refuse(
                    "write `overlap = true` if the runs of this test may overlap in time, or leave it out",
                );
                quote!()
            }
        },
        "entropy" => {
            let is_controlled = match word(value).as_deref() {
                Some("controlled") => {
                    let (first, _) = ends(&quote!(#value));
                    // Whether it can be had is known to the crate with the feature.
                    quote_spanned!(first=> ::flex_harness::__entropy_controlled!())
                }
                Some("system") => quote!(false),
                _ => {
                    refuse(
                        "write `entropy = controlled`, or `entropy = system`, which is the default",
                    );
                    quote!(false)
                }
            };
            let is_controlled = some(Some(is_controlled));
            quote!(controlled: #is_controlled,)
        }
        _ => quote!(),
    }
}

/// The value, checked by the compiler: it need not be a literal.
fn checked(
    value: &Expr,
    type_: &TokenStream,
    condition: &TokenStream,
    message: &str,
) -> TokenStream {
    let (first, _) = ends(&quote!(#value));
    let value = quote_spanned! {first=> {
        const __FLEX_VALUE: #type_ = #value;
        const { ::core::assert!(#condition, #message) }
        __FLEX_VALUE
    }};
    some(Some(value))
}

/// A value that is a single word, with or without quotes.
fn word(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}
