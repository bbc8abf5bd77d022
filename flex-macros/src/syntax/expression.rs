//! Expressions: where they end, and what they are on the outside.

use crate::quoted::ToTokens;
use crate::token::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};

use super::operator::{BinaryOperator, Precedence, operator};
use super::type_::{Path, PathStyle, angles};
use super::{Input, Parse, Result, Type};

/// An expression and its tokens.
#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    tokens: TokenStream,
}

/// What an expression is; the contents of brackets are not read.
#[derive(Debug)]
pub enum ExprKind {
    /// `_`.
    Infer,
    Literal(Literal),
    Bool(bool),
    Path(Path),
    /// A call of a macro, with its brackets.
    Macro(Path, Group),
    /// What a `macro_rules!` macro passed on.
    Group(Box<Expr>),
    /// Anything in round brackets: an expression or a tuple.
    Brackets(Group),
    /// Anything in square brackets: an array, as a list or by its length.
    Array(Group),
    Binary(Box<Expr>, Operator, Box<Expr>),
    Assign,
    Range(Option<Box<Expr>>, BinaryOperator, Option<Box<Expr>>),
    /// `-`, `!` or `*`, and what it is before.
    Unary(char, Box<Expr>),
    /// `&x` or `&mut x`.
    Reference {
        is_mutable: bool,
        target: Box<Expr>,
    },
    Cast(Box<Expr>, Type),
    Call(Box<Expr>, Group),
    MethodCall {
        receiver: Box<Expr>,
        method: Ident,
        generics: Option<Vec<TokenTree>>,
        arguments: Group,
    },
    /// `base.name` or `base.0`.
    Field(Box<Expr>, TokenTree),
    Index(Box<Expr>, Group),
    Try(Box<Expr>),
    Await(Box<Expr>),
    Closure {
        /// Whether there is nothing but `move` before the parameters, and no type after them.
        is_plain: bool,
        is_move: bool,
        parameters: TokenStream,
        body: Box<Expr>,
    },
    /// `let pattern = expression`, as a condition.
    Let,
    /// Any other: blocks, `if`, `match`, structs, `return`, …
    Other,
}

/// An operator and its tokens.
#[derive(Debug)]
pub struct Operator {
    pub text: BinaryOperator,
    pub tokens: TokenStream,
}

impl Parse for Expr {
    fn parse(input: &mut Input) -> Result<Self> {
        Reader {
            input,
            has_structs: true,
        }
        .expression(Precedence::Assign)
    }
}

impl ToTokens for Expr {
    fn to_tokens(&self) -> TokenStream {
        self.tokens.clone()
    }
}

impl Expr {
    /// The expression within round brackets, if this is that.
    pub fn in_brackets(&self) -> Option<Expr> {
        match &self.kind {
            ExprKind::Brackets(group) => super::parse(group.stream()).ok(),
            _ => None,
        }
    }
}

/// Words that begin no expression.
const NO_EXPRESSIONS: [&str; 18] = [
    "as", "dyn", "else", "enum", "extern", "fn", "impl", "in", "mod", "mut", "pub", "ref",
    "struct", "trait", "type", "use", "where", "await",
];

/// Reads expressions.
pub(super) struct Reader<'a> {
    pub(super) input: &'a mut Input,
    /// Whether `Name { … }` is a struct; not in the condition of an `if`.
    pub(super) has_structs: bool,
}

impl Reader<'_> {
    /// Reads an expression whose operators bind at least that tightly.
    pub(super) fn expression(&mut self, least: Precedence) -> Result<Expr> {
        let start = self.input.place();
        let mut left = match operator(self.input) {
            Some((text @ (".." | "..="), Precedence::Range)) if least <= Precedence::Range => {
                self.range(start, None, text)?
            }
            _ => self.unary()?,
        };
        while let Some((text, precedence)) = operator(self.input) {
            if precedence < least {
                break;
            }
            left = match precedence {
                Precedence::Range => self.range(start, Some(left), text)?,
                Precedence::Assign if text == "=" => {
                    self.input.next();
                    self.expression(Precedence::Assign)?;
                    self.from(start, ExprKind::Assign)
                }
                Precedence::Cast => {
                    self.input.next();
                    let type_ = Type::parse_without_plus(self.input)?;
                    self.from(start, ExprKind::Cast(Box::new(left), type_))
                }
                _ => self.binary(start, left, text, precedence)?,
            };
        }
        Ok(left)
    }

    fn binary(
        &mut self,
        start: usize,
        left: Expr,
        text: BinaryOperator,
        precedence: Precedence,
    ) -> Result<Expr> {
        let place = self.input.place();
        self.input.skip(text.len());
        let operator_tokens = self.input.since(place);
        let right = self.expression(match precedence {
            // From the right: `a += b += c`.
            Precedence::Assign => precedence,
            _ => precedence.tighter(),
        })?;
        if precedence == Precedence::Compare
            && matches!(operator(self.input), Some((_, Precedence::Compare)))
        {
            return Err(self.input.error("comparison operators cannot be chained"));
        }
        let operator = Operator {
            text,
            tokens: operator_tokens,
        };
        let kind = ExprKind::Binary(Box::new(left), operator, Box::new(right));
        Ok(self.from(start, kind))
    }

    fn range(&mut self, start: usize, left: Option<Expr>, text: BinaryOperator) -> Result<Expr> {
        self.input.skip(text.len());
        let right = if text == "..=" || self.begins() {
            Some(Box::new(self.expression(Precedence::Or)?))
        } else {
            None
        };
        let kind = ExprKind::Range(left.map(Box::new), text, right);
        Ok(self.from(start, kind))
    }

    fn unary(&mut self) -> Result<Expr> {
        let start = self.input.place();
        if self.input.take_punct("&") {
            let mut ahead = self.input.clone();
            let is_raw = ahead.take_word("raw") && (ahead.is_word("const") || ahead.is_word("mut"));
            if is_raw {
                self.input.skip(2);
                self.unary()?;
                return Ok(self.from(start, ExprKind::Other));
            }
            let is_mutable = self.input.take_word("mut");
            let target = Box::new(self.unary()?);
            return Ok(self.from(start, ExprKind::Reference { is_mutable, target }));
        }
        for operator in ['-', '!', '*'] {
            if self.input.take_punct(operator.encode_utf8(&mut [0; 4])) {
                let operand = Box::new(self.unary()?);
                return Ok(self.from(start, ExprKind::Unary(operator, operand)));
            }
        }
        if self.input.take_punct("#") && self.input.take_group(Delimiter::Bracket).is_some() {
            self.unary()?;
            return Ok(self.from(start, ExprKind::Other));
        }
        let (kind, goes_on) = self.atom()?;
        let mut expression = self.from(start, kind);
        while goes_on && let Some(longer) = self.longer(&mut expression)? {
            expression = self.from(start, longer);
        }
        Ok(expression)
    }

    /// What an expression becomes by what follows it.
    fn longer(&mut self, so_far: &mut Expr) -> Result<Option<ExprKind>> {
        let mut take = || {
            let kind = std::mem::replace(&mut so_far.kind, ExprKind::Other);
            let tokens = std::mem::take(&mut so_far.tokens);
            Box::new(Expr { kind, tokens })
        };
        if self.input.take_punct("?") {
            return Ok(Some(ExprKind::Try(take())));
        }
        if let Some(arguments) = self.input.take_group(Delimiter::Parenthesis) {
            return Ok(Some(ExprKind::Call(take(), arguments)));
        }
        if let Some(index) = self.input.take_group(Delimiter::Bracket) {
            return Ok(Some(ExprKind::Index(take(), index)));
        }
        if self.input.is_punct("..") || !self.input.take_punct(".") {
            return Ok(None);
        }
        if self.input.take_word("await") {
            return Ok(Some(ExprKind::Await(take())));
        }
        let Some(name @ (TokenTree::Ident(_) | TokenTree::Literal(_))) = self.input.peek().cloned()
        else {
            return Err(self.input.error("expected a field or a method"));
        };
        self.input.next();
        let TokenTree::Ident(method) = &name else {
            return Ok(Some(ExprKind::Field(take(), name)));
        };
        let generics = match self.input.take_punct("::") {
            true if self.input.is_punct("<") => Some(angles(self.input)?),
            true => return Err(self.input.error("expected `<`")),
            false => None,
        };
        let Some(arguments) = self.input.take_group(Delimiter::Parenthesis) else {
            return match generics {
                Some(_) => Err(self.input.error("expected parentheses")),
                None => Ok(Some(ExprKind::Field(take(), name))),
            };
        };
        Ok(Some(ExprKind::MethodCall {
            receiver: take(),
            method: method.clone(),
            generics,
            arguments,
        }))
    }

    /// An expression without operators, and whether what follows can make it longer.
    fn atom(&mut self) -> Result<(ExprKind, bool)> {
        let kind = match self.input.peek().cloned() {
            Some(TokenTree::Literal(literal)) => {
                self.input.next();
                ExprKind::Literal(literal)
            }
            Some(TokenTree::Group(group)) => {
                self.input.next();
                match group.delimiter() {
                    Delimiter::Parenthesis => ExprKind::Brackets(group),
                    Delimiter::Bracket => ExprKind::Array(group),
                    Delimiter::Brace => ExprKind::Other,
                    Delimiter::None => self.passed_on(&group)?,
                }
            }
            Some(TokenTree::Ident(word)) => return self.word(&word),
            Some(TokenTree::Punct(_)) if self.input.is_punct("|") => {
                return Ok((self.closure(true, false)?, false));
            }
            Some(TokenTree::Punct(_)) if self.input.is_punct("::") => self.path()?,
            Some(TokenTree::Punct(_)) if self.input.is_punct("'") => self.labelled()?,
            Some(TokenTree::Punct(_)) if self.input.is_punct("<") => {
                angles(self.input)?;
                if !self.input.take_punct("::") {
                    return Err(self.input.error("expected `::`"));
                }
                self.path()?;
                ExprKind::Other
            }
            _ => return Err(self.input.error("expected an expression")),
        };
        Ok((kind, true))
    }

    /// What a `macro_rules!` macro passed on: an expression, or a type whose path goes on.
    fn passed_on(&mut self, group: &Group) -> Result<ExprKind> {
        if self.input.take_punct("::") {
            self.path()?;
            return Ok(ExprKind::Other);
        }
        if self.has_structs && self.input.take_group(Delimiter::Brace).is_some() {
            return Ok(ExprKind::Other);
        }
        let inside = super::parse(group.stream());
        Ok(inside.map_or(ExprKind::Other, |inside| ExprKind::Group(Box::new(inside))))
    }

    /// An expression that begins with a word.
    fn word(&mut self, word: &Ident) -> Result<(ExprKind, bool)> {
        let word = word.to_string();
        if NO_EXPRESSIONS.contains(&word.as_str()) {
            return Err(self.input.error("expected an expression"));
        }
        let kind = match word.as_str() {
            "_" => ExprKind::Infer,
            "true" | "false" => ExprKind::Bool(word == "true"),
            _ => {
                return match self.keyword(&word)? {
                    Some(read) => Ok(read),
                    None => Ok((self.path()?, true)),
                };
            }
        };
        self.input.next();
        Ok((kind, true))
    }

    /// A path, and what it can begin: a call of a macro, or a struct.
    fn path(&mut self) -> Result<ExprKind> {
        let path = Path::parse(self.input, PathStyle::Expression)?;
        if self.input.is_punct("!")
            && let Some(TokenTree::Group(group)) = self.input.peek_second().cloned()
            && group.delimiter() != Delimiter::None
        {
            self.input.skip(2);
            return Ok(ExprKind::Macro(path, group));
        }
        if self.has_structs && self.input.take_group(Delimiter::Brace).is_some() {
            return Ok(ExprKind::Other);
        }
        Ok(ExprKind::Path(path))
    }

    /// A closure, after the words before its parameters.
    pub(super) fn closure(&mut self, is_plain: bool, is_move: bool) -> Result<ExprKind> {
        if !self.input.take_punct("|") {
            return Err(self.input.error("expected `|`"));
        }
        let start = self.input.place();
        while !self.input.is_punct("|") {
            if self.input.next().is_none() {
                return Err(self.input.error("expected `|`"));
            }
        }
        let parameters = self.input.since(start);
        self.input.next();
        let is_typed = self.input.take_punct("->");
        if is_typed {
            Type::parse_without_plus(self.input)?;
            if self.input.peek_group(Delimiter::Brace).is_none() {
                return Err(self.input.error("expected curly braces"));
            }
        }
        Ok(ExprKind::Closure {
            is_plain: is_plain && !is_typed,
            is_move,
            parameters,
            body: Box::new(self.expression(Precedence::Assign)?),
        })
    }

    /// Whether an expression can begin here.
    pub(super) fn begins(&self) -> bool {
        match self.input.peek() {
            None => false,
            Some(TokenTree::Punct(punct)) => match punct.as_char() {
                ':' => self.input.is_punct("::"),
                '.' => self.input.is_punct(".."),
                first => "-!*&|<#'".contains(first),
            },
            Some(TokenTree::Ident(word)) => !NO_EXPRESSIONS.contains(&word.to_string().as_str()),
            Some(TokenTree::Group(group)) => {
                self.has_structs || group.delimiter() != Delimiter::Brace
            }
            Some(TokenTree::Literal(_)) => true,
        }
    }

    /// The expression that began there.
    fn from(&self, start: usize, kind: ExprKind) -> Expr {
        Expr {
            kind,
            tokens: self.input.since(start),
        }
    }
}
