//! The grammar of `assert_tail_bound!`: one comparison or a chain of two, then details.
//!
//! By Rust's own grammar, neither `_ < x < _`, a chained comparison, can be read, nor `n as f64 < _`, which begins
//! generics. So the tokens are cut at comparison operators in every possible way, and the way counts whose pieces are all operands.

mod operand;
mod operator;

use crate::token::{Delimiter, TokenStream, TokenTree};

use crate::details::Details;
use crate::syntax::{self, Error, Expr, Input, Result};
use crate::tokens::text;
pub use operand::{Operand, OperandKind};
use operand::{check_operand, kind};
pub use operator::Operator;
use operator::{cuttings, operators};

/// `left < right` or `left < right < right`.
pub struct Comparison {
    /// Two or three.
    pub operands: Vec<Operand>,
    /// One less.
    pub operators: Vec<Operator>,
    /// The tokens without white space.
    pub text: String,
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
        let (expression, rest) = beside(piece, cut, "before")?;
        let rest = Input::new(rest);
        rest.check_end().map_err(Stage::Expressions.refuse())?;
        expressions.push(expression);
    }
    let last = cuts.last().expect("a cutting has at least one operator");
    let (expression, rest) = beside(&with_details, last, "after")?;
    expressions.push(expression);
    let end = tokens.len() - rest.clone().into_iter().count();
    pieces.push(tokens[start..end].iter().cloned().collect());

    for expression in &expressions {
        check_operand(expression).map_err(Stage::Operands.refuse())?;
    }
    let details = syntax::parse(rest).map_err(Stage::Details.refuse())?;
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

/// Reads the expression beside an operator, and what follows it.
fn beside(
    piece: &TokenStream,
    operator: &Operator,
    side: &str,
) -> std::result::Result<(Expr, TokenStream), Refusal> {
    let mut input = Input::new(piece.clone());
    let parsed = if piece.is_empty() {
        let message = format!("expected a value or `_` {side} this operator");
        Err(Error::new_spanned(&operator.tokens, message))
    } else {
        input.parse()
    };
    let expression = parsed.map_err(Stage::Expressions.refuse())?;
    Ok((expression, input.rest()))
}

/// The error for an input without a comparison operator.
fn no_comparison(tokens: &[TokenTree]) -> Error {
    let input = tokens.iter().cloned().collect::<TokenStream>();
    if input.is_empty() {
        return Error::new_spanned(
            input,
            "expected a comparison: write `x < _` to learn the bound of `x`",
        );
    }
    match Input::new(input).parse::<Expr>() {
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
