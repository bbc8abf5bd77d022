//! Paths, with their generic arguments as tokens.

use proc_macro2::{Delimiter, Ident, Spacing, TokenTree};

use super::{Input, Result, Type};

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
