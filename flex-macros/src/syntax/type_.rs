//! Types: where they end, and what the simple ones are.

use proc_macro2::{Delimiter, TokenTree};

use super::path::{Path, PathStyle, angles};
use super::{Input, Parse, Result};

/// A type.
#[derive(Debug)]
pub enum Type {
    Path(Path),
    Reference {
        has_lifetime: bool,
        is_mutable: bool,
        target: Box<Type>,
    },
    /// `_`.
    Infer,
    /// What a `macro_rules!` macro passed on.
    Group(Box<Type>),
    /// Any other.
    Other,
}

impl Parse for Type {
    fn parse(input: &mut Input) -> Result<Self> {
        let first = Type::parse_without_plus(input)?;
        if !input.is_punct("+") {
            return Ok(first);
        }
        bounds(input)?;
        Ok(Type::Other)
    }
}

impl Type {
    /// Reads a type where `+` is an operator.
    pub fn parse_without_plus(input: &mut Input) -> Result<Self> {
        if input.take_punct("&") {
            let has_lifetime = take_lifetime(input);
            let is_mutable = input.take_word("mut");
            return Ok(Type::Reference {
                has_lifetime,
                is_mutable,
                target: Box::new(Type::parse_without_plus(input)?),
            });
        }
        if input.take_punct("*") {
            if !input.take_word("const") && !input.take_word("mut") {
                return Err(input.error("expected `const` or `mut`"));
            }
            Type::parse_without_plus(input)?;
            return Ok(Type::Other);
        }
        if input.is_punct("<") {
            angles(input)?;
            if !input.take_punct("::") {
                return Err(input.error("expected `::`"));
            }
            Path::parse(input, PathStyle::Type)?;
            return Ok(Type::Other);
        }
        if input.is_punct("::") {
            return path(input);
        }
        match input.peek() {
            Some(TokenTree::Group(group)) => {
                let (delimiter, inside) = (group.delimiter(), group.stream());
                if delimiter == Delimiter::Brace {
                    return Err(input.error("expected a type"));
                }
                input.next();
                if delimiter == Delimiter::None && input.take_punct("::") {
                    Path::parse(input, PathStyle::Type)?;
                    return Ok(Type::Other);
                }
                Ok(match (delimiter, super::parse(inside)) {
                    (Delimiter::None, Ok(inside)) => Type::Group(Box::new(inside)),
                    _ => Type::Other,
                })
            }
            Some(TokenTree::Punct(punct)) if punct.as_char() == '!' => {
                input.next();
                Ok(Type::Other)
            }
            Some(TokenTree::Ident(word)) => match word.to_string().as_str() {
                "_" => {
                    input.next();
                    Ok(Type::Infer)
                }
                "dyn" | "impl" => {
                    bounds(input)?;
                    Ok(Type::Other)
                }
                "for" => {
                    input.next();
                    angles(input)?;
                    Type::parse_without_plus(input)?;
                    Ok(Type::Other)
                }
                "fn" | "unsafe" | "extern" => function(input),
                _ => path(input),
            },
            _ => Err(input.error("expected a type")),
        }
    }
}

fn path(input: &mut Input) -> Result<Type> {
    let path = Path::parse(input, PathStyle::Type)?;
    if input.is_punct("!") && matches!(input.peek_second(), Some(TokenTree::Group(_))) {
        input.skip(2);
        return Ok(Type::Other);
    }
    Ok(Type::Path(path))
}

/// `unsafe extern "C" fn(A) -> B`.
fn function(input: &mut Input) -> Result<Type> {
    input.take_word("unsafe");
    if input.take_word("extern") && matches!(input.peek(), Some(TokenTree::Literal(_))) {
        input.next();
    }
    if !input.take_word("fn") || input.take_group(Delimiter::Parenthesis).is_none() {
        return Err(input.error("expected a function type"));
    }
    if input.take_punct("->") {
        Type::parse_without_plus(input)?;
    }
    Ok(Type::Other)
}

/// What follows `dyn`, `impl` or a first bound: `A + 'a + ?Sized`.
fn bounds(input: &mut Input) -> Result<()> {
    loop {
        input.next();
        if !take_lifetime(input) && input.take_group(Delimiter::Parenthesis).is_none() {
            input.take_punct("?");
            if input.take_word("for") {
                angles(input)?;
            }
            Path::parse(input, PathStyle::Type)?;
        }
        if !input.is_punct("+") {
            return Ok(());
        }
    }
}

/// Reads `'a` if it comes next.
pub fn take_lifetime(input: &mut Input) -> bool {
    let is_next = input.is_punct("'");
    input.skip(if is_next { 2 } else { 0 });
    is_next
}
