//! Types and paths, which hold each other: where they end, and what the simple ones are.

use crate::token::{Delimiter, Ident, Spacing, TokenTree};

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

/// `a::b::<C>`.
#[derive(Debug)]
pub struct Path {
    /// Whether it begins with `::`.
    pub is_global: bool,
    pub segments: Vec<Segment>,
}

/// A word of a path.
#[derive(Debug)]
pub struct Segment {
    pub name: Ident,
    pub arguments: Arguments,
}

/// What follows a word of a path.
#[derive(Debug)]
pub enum Arguments {
    None,
    /// What stands between `<` and `>`.
    Angles(Vec<TokenTree>),
    /// `(A) -> B`.
    Brackets,
}

/// Where a path stands, which decides how generic arguments are written.
#[derive(Clone, Copy, PartialEq)]
pub enum PathStyle {
    /// After `::` only: `<` alone is a comparison.
    Expression,
    Type,
}

impl Path {
    /// Reads a path.
    pub fn parse(input: &mut Input, style: PathStyle) -> Result<Self> {
        let is_global = input.take_punct("::");
        let mut segments = vec![Segment::parse(input, style)?];
        while input.take_punct("::") {
            segments.push(Segment::parse(input, style)?);
        }
        Ok(Path {
            is_global,
            segments,
        })
    }

    /// The only word, if there is one and nothing else.
    pub fn word(&self) -> Option<&Ident> {
        match &self.segments[..] {
            [
                Segment {
                    name,
                    arguments: Arguments::None,
                },
            ] if !self.is_global => Some(name),
            _ => None,
        }
    }
}

impl Segment {
    fn parse(input: &mut Input, style: PathStyle) -> Result<Self> {
        let name = input.word()?;
        let is_open = |input: &Input| input.is_punct("<") && !input.is_punct("<=");
        let mut ahead = input.clone();
        let arguments = if ahead.take_punct("::") && ahead.is_punct("<") {
            *input = ahead;
            Arguments::Angles(angles(input)?)
        } else if style == PathStyle::Type && is_open(input) {
            Arguments::Angles(angles(input)?)
        } else if style == PathStyle::Type && input.take_group(Delimiter::Parenthesis).is_some() {
            if input.take_punct("->") {
                Type::parse_without_plus(input)?;
            }
            Arguments::Brackets
        } else {
            Arguments::None
        };
        Ok(Segment { name, arguments })
    }
}

/// Reads what stands between `<` and the `>` that belongs to it.
pub fn angles(input: &mut Input) -> Result<Vec<TokenTree>> {
    let mut inside = Vec::new();
    let mut depth = 0;
    loop {
        let Some(token) = input.next() else {
            return Err(input.error("expected `>`"));
        };
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth -= 1,
                // The arrow of `fn() -> T`.
                '-' if punct.spacing() == Spacing::Joint && input.is_punct(">") => {
                    inside.push(token);
                    inside.extend(input.next());
                    continue;
                }
                _ => {}
            }
        }
        if depth == 0 {
            inside.remove(0);
            return Ok(inside);
        }
        inside.push(token);
    }
}
