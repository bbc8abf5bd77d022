//! The signature of a function.

use crate::quoted::ToTokens;
use crate::token::{Delimiter, Ident, TokenStream, TokenTree};

use super::type_::{angles, take_lifetime};
use super::{Attribute, Input, Parse, Result, Type, parse_list};

/// `async fn name<T>(parameters) -> Type`, without what is before and after.
pub struct Signature {
    pub constness: TokenStream,
    pub asyncness: TokenStream,
    pub safety: TokenStream,
    pub abi: TokenStream,
    pub name: Ident,
    pub generics: TokenStream,
    pub parameters: Vec<Parameter>,
    /// The type after `->`.
    pub output: TokenStream,
    tokens: TokenStream,
}

/// A parameter of a function.
pub enum Parameter {
    /// `self`, in whatever form.
    Receiver(TokenStream),
    Typed {
        type_: Type,
        /// The tokens of the type.
        type_tokens: TokenStream,
        tokens: TokenStream,
    },
    /// `...`.
    Variadic(TokenStream),
}

impl Parse for Signature {
    fn parse(input: &mut Input) -> Result<Self> {
        let start = input.place();
        let word = |input: &mut Input, words: &[&str]| {
            let place = input.place();
            let _ = words.iter().any(|word| input.take_word(word));
            input.since(place)
        };
        let constness = word(input, &["const"]);
        let asyncness = word(input, &["async"]);
        let safety = word(input, &["unsafe", "safe"]);
        let place = input.place();
        if input.take_word("extern") && matches!(input.peek(), Some(TokenTree::Literal(_))) {
            input.next();
        }
        let abi = input.since(place);
        if !input.take_word("fn") {
            return Err(input.error("expected `fn`"));
        }
        let name = input.word()?;
        let place = input.place();
        if input.is_punct("<") {
            angles(input)?;
        }
        let generics = input.since(place);
        let Some(parameters) = input.take_group(Delimiter::Parenthesis) else {
            return Err(input.error("expected parentheses"));
        };
        let has_output = input.take_punct("->");
        let place = input.place();
        if has_output {
            Type::parse(input)?;
        }
        let output = input.since(place);
        if input.is_word("where") {
            while !input.is_empty() && input.peek_group(Delimiter::Brace).is_none() {
                input.next();
            }
        }
        Ok(Signature {
            constness,
            asyncness,
            safety,
            abi,
            name,
            generics,
            parameters: parse_list(parameters.stream())?,
            output,
            tokens: input.since(start),
        })
    }
}

impl Parse for Parameter {
    fn parse(input: &mut Input) -> Result<Self> {
        let start = input.place();
        Attribute::parse_all(input)?;
        if input.take_punct("...") {
            return Ok(Parameter::Variadic(input.since(start)));
        }
        let mut ahead = input.clone();
        if ahead.take_punct("&") {
            take_lifetime(&mut ahead);
        }
        ahead.take_word("mut");
        if ahead.take_word("self") && !ahead.is_punct("::") {
            *input = ahead;
            if input.take_punct(":") {
                Type::parse(input)?;
            }
            return Ok(Parameter::Receiver(input.since(start)));
        }
        while input.is_punct("::") || !input.is_punct(":") {
            let length = if input.is_punct("::") { 2 } else { 1 };
            if input.is_empty() || input.is_punct(",") {
                return Err(input.error("expected `:`"));
            }
            input.skip(length);
        }
        input.next();
        let place = input.place();
        let type_ = Type::parse(input)?;
        Ok(Parameter::Typed {
            type_,
            type_tokens: input.since(place),
            tokens: input.since(start),
        })
    }
}

impl ToTokens for Signature {
    fn to_tokens(&self) -> TokenStream {
        self.tokens.clone()
    }
}

impl ToTokens for Parameter {
    fn to_tokens(&self) -> TokenStream {
        let (Parameter::Receiver(own)
        | Parameter::Typed { tokens: own, .. }
        | Parameter::Variadic(own)) = self;
        own.clone()
    }
}
