//! `#[stochastic_test]`: a function becomes a registered test and a `#[test]`.

use crate::quoted::{ToTokens as _, listed, quote, quote_spanned};
use crate::token::{Delimiter, Ident, Span, TokenStream, TokenTree};

use crate::attributes::Attributes;
use crate::features;
use crate::numbering::numbered;
use crate::runtime::Runtime;
use crate::settings::Errors;
use crate::syntax::{
    Attribute, Error, Input, Parameter, Parse, Result, Signature, Type, parse,
    without_invisible_brackets,
};
use crate::test_options::{options, settings};
use crate::tokens::{ends, fingerprint, is_word};

/// Expands the attribute.
pub fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let function = parse::<Function>(without_invisible_brackets(item))?;
    let mut errors = Errors::default();
    check_signature(&function.signature, &mut errors);
    let settings = settings(arguments, &mut errors);
    let options = options(&settings, &mut errors);
    let runtime = Runtime::of(&settings, &function.signature.asyncness, &mut errors);
    let Function {
        attributes,
        visibility,
        signature,
        body,
    } = function;
    let fingerprint = fingerprint(&[signature.to_tokens(), body.clone()].to_tokens());
    let attributes = Attributes::sort(attributes, &mut errors);
    errors.into_result()?;

    let ignored = attributes.ignored();
    let Attributes {
        cfgs,
        on_test,
        on_body,
        ..
    } = &attributes;
    let name = &signature.name;
    // As libtest names it, with the `r#` of a raw identifier.
    let libtest_name = name.to_string();
    let features = features::active();
    let test = Ident::new(
        &format!("__flex_{}", libtest_name.trim_start_matches("r#")),
        name.span(),
    );
    let rng = Ident::new("__flex_rng", Span::mixed_site());
    let call = call(&signature, &rng, &runtime);
    let body = numbered(body);
    // All at module level: in targets with `harness = false`, `#[test]` functions vanish.
    Ok(
        quote! {[cfgs, test, libtest_name, features, ignored, options, fingerprint, on_body, signature, body, rng, call, on_test, visibility, name]
            #cfgs
            #[doc(hidden)]
            #[allow(non_upper_case_globals)]
            static #test: ::flex_harness::__private::StochasticTest = ::flex_harness::__private::StochasticTest {
                identity: ::flex_harness::__identity!(#libtest_name, #features, #ignored),
                options: #options,
                fingerprint: #fingerprint,
                body: {
                    #on_body
                    #signature #body
                    |#rng| #call
                },
            };
            #cfgs
            ::flex_harness::__private::inventory::submit! {
                ::flex_harness::__private::Registration(&#test)
            }
            #cfgs
            #on_test
            #[::core::prelude::v1::test]
            #[allow(non_snake_case)]
            #visibility fn #name() {
                ::flex_harness::__private::run(&#test)
            }
        },
    )
}

/// A function whose body is left to the compiler to understand.
struct Function {
    attributes: Vec<Attribute>,
    visibility: TokenStream,
    signature: Signature,
    /// One group in braces.
    body: TokenStream,
}

impl Parse for Function {
    fn parse(input: &mut Input) -> Result<Self> {
        let attributes = Attribute::parse_all(input)?;
        let item = input.clone().rest();
        let mut tokens = item.clone().into_iter();
        if !tokens.any(|token| matches!(token, TokenTree::Ident(word) if is_word(&word, "fn"))) {
            return Err(Error::new_spanned(
                item,
                "`#[stochastic_test]` goes on a function: `fn name(rng: &mut TestRng) { … }`",
            ));
        }
        let start = input.place();
        if input.take_word("pub") {
            input.take_group(Delimiter::Parenthesis);
        }
        let visibility = input.since(start);
        let signature = input.parse()?;
        let start = input.place();
        if input.take_group(Delimiter::Brace).is_none() {
            return Err(input.error("a stochastic test has a body: `{ … }`"));
        }
        Ok(Function {
            attributes,
            visibility,
            signature,
            body: input.since(start),
        })
    }
}

/// A stochastic test is a plain function of `&mut TestRng`, or of nothing.
fn check_signature(signature: &Signature, errors: &mut Errors) {
    const PARAMETER: &str = "a stochastic test takes `rng: &mut TestRng`, or nothing";
    let mut refuse = |tokens: &TokenStream, message: &str| {
        if !tokens.is_empty() {
            errors.push(Error::new_spanned(tokens, message));
        }
    };
    let Signature {
        constness,
        safety,
        abi,
        generics,
        parameters,
        ..
    } = signature;
    refuse(constness, "a stochastic test is not `const`; remove this");
    refuse(
        safety,
        "a stochastic test is not `unsafe`; remove this, and write `unsafe { … }` in the body",
    );
    refuse(abi, "a stochastic test has no `extern`; remove this");
    refuse(
        generics,
        "a stochastic test has no generics; write a generic helper function, and a test for each type",
    );
    let Some((first, rest)) = parameters.split_first() else {
        return;
    };
    match first {
        Parameter::Receiver(receiver) => {
            return refuse(
                receiver,
                "a stochastic test is a free function, not a method; it takes `rng: &mut TestRng`, or nothing",
            );
        }
        Parameter::Variadic(dots) => refuse(dots, PARAMETER),
        Parameter::Typed {
            type_, type_tokens, ..
        } => {
            if !is_mutable_reference_to_named_type(type_) {
                refuse(type_tokens, PARAMETER);
            }
        }
    }
    refuse(
        &listed(rest),
        "a stochastic test takes no more than `rng: &mut TestRng`; draw everything else from `rng`",
    );
}

/// Whether the type can be `&mut TestRng`, by whatever name it goes; the compiler knows more.
fn is_mutable_reference_to_named_type(type_: &Type) -> bool {
    match type_ {
        Type::Reference {
            is_mutable, target, ..
        } => *is_mutable && matches!(**target, Type::Path(_)),
        Type::Group(inside) => is_mutable_reference_to_named_type(inside),
        _ => false,
    }
}

/// The call of the function with the body. Type errors point at its parameter and at its return type.
fn call(signature: &Signature, rng: &Ident, runtime: &Runtime) -> TokenStream {
    let argument = match signature.parameters.first() {
        Some(Parameter::Typed { type_tokens, .. }) => {
            let (first, last) = ends(type_tokens);
            let mut rng = rng.clone();
            rng.set_span(last);
            quote_spanned!(first => [rng] &mut *#rng)
        }
        _ => quote!([]),
    };
    let (first, last) = ends(&signature.output);
    let mut name = signature.name.clone();
    name.set_span(first);
    let call = quote_spanned!(last => [argument] (#argument));
    let result = runtime.run(quote!([name, call] #name #call));
    quote!([result] ::flex_harness::__private::Ending::ending(#result))
}
