//! The macros of `flex-harness`, which re-exports them. They know no statistics.

#![forbid(unsafe_code)]

mod attributes;
mod close;
mod comparison;
mod numbering;
mod settings;
mod site;
mod stochastic_test;
mod tail_bound;
mod test_options;
mod tokens;

use proc_macro::TokenStream;

/// Test.
#[proc_macro_attribute]
pub fn stochastic_test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    stochastic_test::expand(arguments.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Bound.
#[proc_macro]
pub fn assert_tail_bound(input: TokenStream) -> TokenStream {
    expanded(tail_bound::expand(input.into()))
}

/// Close.
#[proc_macro]
pub fn assert_close(input: TokenStream) -> TokenStream {
    expanded(close::expand(input.into()))
}

/// The expansion of an assertion, which stands where an expression can; so do its errors.
fn expanded(expansion: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    let tokens = expansion.unwrap_or_else(|error| {
        let errors = error.into_compile_error();
        quote::quote!({ #errors })
    });
    tokens.into()
}
