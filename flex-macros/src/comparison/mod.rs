//! The grammar of `assert_tail_bound!`: one comparison or a chain of two, then details.
//!
//! `syn` alone reads neither `_ < x < _`, a chained comparison, nor `n as f64 < _`, which it takes for generics. So the
//! tokens are cut at comparison operators in every possible way, and the way counts whose pieces are all operands.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::{BinOp, Error, Expr, Result};

use crate::settings::number;
use crate::site::Details;
use crate::tokens::text;

/// `left < right` or `left < right < right`.
pub struct Comparison {
    /// Two or three.
    pub operands: Vec<Operand>,
    /// One less.
    pub operators: Vec<Operator>,
    /// The tokens without white space.
    pub text: String,
}

/// What is compared.
pub struct Operand {
    pub tokens: TokenStream,
    pub kind: OperandKind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OperandKind {
    /// `_`: a bound to be learned.
    Learned,
    /// A literal number: a bound that is written out.
    Literal(f64),
    /// Any other expression.
    Expression,
}

/// `<`, `<=`, `>` or `>=`.
#[derive(Clone)]
pub struct Operator {
    pub tokens: TokenStream,
    /// Whether the left side is to be the smaller one.
    pub ascending: bool,
    /// Whether equal sides break it.
    pub is_strict: bool,
    /// The index of its first token.
    place: usize,
}

/// Reads the input of `assert_tail_bound!`.
pub fn parse(input: TokenStream) -> Result<(Comparison, Details)> {
    let tokens = opened(input).into_iter().collect::<Vec<_>>();
    let operators = operators(&tokens);
    let mut readings = Vec::new();
    let mut refusals = Vec::new();
    for cuts in cuttings(&operators) {
        match read(&tokens, cuts) {
            Ok(reading) => readings.push(reading),
            Err(refusal) => refusals.push(refusal),
        }
    }
    let Some(first) = operators.first() else {
        return Err(no_comparison(&tokens));
    };
    match (readings.pop(), readings.len()) {
        (Some(reading), 0) => Ok(reading),
        (Some(_), _) => Err(Error::new_spanned(
            &first.tokens,
            "this can be read in more than one way; put brackets around the operands",
        )),
        // Of all reasons, the one of the cutting that came furthest is about what the user meant.
        (None, _) => Err(refusals
            .into_iter()
            .rev()
            .max_by_key(|refusal| refusal.stage)
            .map_or_else(|| no_comparison(&tokens), |refusal| refusal.error)),
    }
}

/// The tokens, taken out of the invisible brackets that a `macro_rules!` macro puts around a whole `$comparison:expr`.
fn opened(input: TokenStream) -> TokenStream {
    let mut tokens = input.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(group)), next)
            if group.delimiter() == Delimiter::None && next.as_ref().is_none_or(is_comma) =>
        {
            let rest = next.into_iter().chain(tokens);
            opened(group.stream()).into_iter().chain(rest).collect()
        }
        _ => input,
    }
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}

/// The comparison operators outside of brackets.
fn operators(tokens: &[TokenTree]) -> Vec<Operator> {
    let mut operators = Vec::new();
    let mut place = 0;
    while place < tokens.len() {
        let (length, ascending) = match joined(&tokens[place..]).as_str() {
            // Shifts and arrows.
            "<<" | ">>" | "->" | "=>" => (2, None),
            "<=" => (2, Some(true)),
            ">=" => (2, Some(false)),
            operator if operator.starts_with('<') => (1, Some(true)),
            operator if operator.starts_with('>') => (1, Some(false)),
            _ => (1, None),
        };
        if let Some(ascending) = ascending {
            operators.push(Operator {
                tokens: tokens[place..place + length].iter().cloned().collect(),
                ascending,
                is_strict: joined(&tokens[place..place + length]).len() == 1,
                place,
            });
        }
        place += length;
    }
    operators
}

/// The characters that the source joins to one operator, or begins one with: at most two.
fn joined(tokens: &[TokenTree]) -> String {
    match tokens {
        [TokenTree::Punct(first), TokenTree::Punct(second), ..]
            if first.spacing() == Spacing::Joint =>
        {
            [first.as_char(), second.as_char()].iter().collect()
        }
        [TokenTree::Punct(first), ..] => first.as_char().to_string(),
        _ => String::new(),
    }
}

/// Every choice of one or two operators.
fn cuttings(operators: &[Operator]) -> Vec<Vec<Operator>> {
    let mut one = Vec::new();
    let mut two = Vec::new();
    for (i, first) in operators.iter().enumerate() {
        one.push(vec![first.clone()]);
        for second in &operators[i + 1..] {
            two.push(vec![first.clone(), second.clone()]);
        }
    }
    [one, two].concat()
}

/// Why a cutting is no reading.
struct Refusal {
    stage: Stage,
    error: Error,
}

/// How far a cutting came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// A piece is no expression.
    Expressions,
    /// A piece is an expression, but no operand.
    Operands,
    /// What follows the comparison is wrong.
    Details,
}

impl Stage {
    fn refuse(self) -> impl Fn(Error) -> Refusal {
        move |error| Refusal { stage: self, error }
    }
}

/// Reads the tokens as operands between the given operators, and details.
fn read(
    tokens: &[TokenTree],
    cuts: Vec<Operator>,
) -> std::result::Result<(Comparison, Details), Refusal> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for cut in &cuts {
        let piece = tokens[start..cut.place].iter().cloned();
        pieces.push(piece.collect::<TokenStream>());
        start = cut.place + cut.tokens.clone().into_iter().count();
    }
    let with_details = tokens[start..].iter().cloned().collect::<TokenStream>();

    let mut expressions = Vec::new();
    for (piece, cut) in pieces.iter().zip(&cuts) {
        let parsed = parse_piece(|input| input.parse(), piece, cut, "before");
        expressions.push(parsed?);
    }
    let last = cuts.last().expect("a cutting has at least one operator");
    let expression_and_rest = |input: ParseStream| {
        let expression = input.parse::<Expr>()?;
        Ok((expression, input.parse::<TokenStream>()?))
    };
    let (expression, rest) = parse_piece(expression_and_rest, &with_details, last, "after")?;
    expressions.push(expression);
    let end = tokens.len() - rest.clone().into_iter().count();
    pieces.push(tokens[start..end].iter().cloned().collect());

    for expression in &expressions {
        check_operand(expression).map_err(Stage::Operands.refuse())?;
    }
    let details = syn::parse2(rest).map_err(Stage::Details.refuse())?;
    let operands = pieces.into_iter().zip(&expressions);
    let operands = operands.map(|(tokens, expression)| Operand {
        tokens,
        kind: kind(expression),
    });
    let comparison = Comparison {
        operands: operands.collect(),
        operators: cuts,
        text: text(&tokens[..end].iter().cloned().collect()),
    };
    Ok((comparison, details))
}

/// Parses a piece beside an operator.
fn parse_piece<T>(
    parser: impl Fn(ParseStream) -> Result<T>,
    piece: &TokenStream,
    operator: &Operator,
    side: &str,
) -> std::result::Result<T, Refusal> {
    let parsed = if piece.is_empty() {
        let message = format!("expected a value or `_` {side} this operator");
        Err(Error::new_spanned(&operator.tokens, message))
    } else {
        parser.parse2(piece.clone())
    };
    parsed.map_err(Stage::Expressions.refuse())
}

/// An operand is a bare `_`, or binds more tightly than a comparison and has no `_` outside of brackets.
fn check_operand(operand: &Expr) -> Result<()> {
    match operand {
        Expr::Infer(_) => Ok(()),
        Expr::Group(group) => check_operand(&group.expr),
        Expr::Binary(binary) => {
            let operator = &binary.op;
            let message = match operator {
                BinOp::And(_) => {
                    "one comparison at a time: write an `assert_tail_bound!` for each side of `&&`"
                }
                BinOp::Or(_) => {
                    "a bound cannot be learned or measured for `||`; compare one value, or use `assert!`"
                }
                BinOp::Eq(_) | BinOp::Ne(_) => {
                    "`assert_tail_bound!` compares with `<`, `<=`, `>` or `>=`; see `assert_close!` for equality"
                }
                BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                    "at most two comparisons: write `_ < x < _`, or an `assert_tail_bound!` for each value"
                }
                _ => return check_no_blank(operand),
            };
            Err(Error::new_spanned(operator, message))
        }
        Expr::Assign(_) | Expr::Range(_) | Expr::Closure(_) | Expr::Let(_) => {
            Err(Error::new_spanned(
                operand,
                "this is not a number; put brackets around it if it is meant to be one",
            ))
        }
        _ => check_no_blank(operand),
    }
}

/// Refuses `_` as a part of an operand.
fn check_no_blank(operand: &Expr) -> Result<()> {
    match operand {
        Expr::Infer(blank) => Err(Error::new_spanned(
            blank,
            "`_` stands for a whole bound: write `x - 1.0 < _`, not `x < _ + 1.0`",
        )),
        Expr::Binary(binary) => {
            check_no_blank(&binary.left)?;
            check_no_blank(&binary.right)
        }
        Expr::Unary(unary) => check_no_blank(&unary.expr),
        Expr::Reference(reference) => check_no_blank(&reference.expr),
        Expr::Cast(cast) => check_no_blank(&cast.expr),
        Expr::MethodCall(call) => check_no_blank(&call.receiver),
        Expr::Field(field) => check_no_blank(&field.base),
        _ => Ok(()),
    }
}

fn kind(operand: &Expr) -> OperandKind {
    match operand {
        Expr::Infer(_) => OperandKind::Learned,
        Expr::Group(group) => kind(&group.expr),
        operand => number(operand).map_or(OperandKind::Expression, OperandKind::Literal),
    }
}

/// The error for an input without a comparison operator.
fn no_comparison(tokens: &[TokenTree]) -> Error {
    let input = tokens.iter().cloned().collect::<TokenStream>();
    let before_comma = |input: ParseStream| {
        let expression = input.parse::<Expr>()?;
        input.parse::<TokenStream>()?;
        Ok(expression)
    };
    if input.is_empty() {
        return Error::new_spanned(
            input,
            "expected a comparison: write `x < _` to learn the bound of `x`",
        );
    }
    match before_comma.parse2(input) {
        Ok(expression) => match check_operand(&expression) {
            Err(error) => error,
            Ok(()) => Error::new_spanned(
                expression,
                "expected a comparison: write `… < _` to learn the bound of this value",
            ),
        },
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests;
