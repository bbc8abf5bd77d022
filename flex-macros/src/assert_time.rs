//! `assert_time!`: the processor time of one piece of code over that of another, compared as in `assert_tail_bound!`.

use crate::quoted::{ToTokens as _, quote_spanned};
use crate::token::{Span, TokenStream};

use crate::comparison::{self, Comparison, Operand, OperandKind};
use crate::details::Details;
use crate::site::take_number;
use crate::syntax::{self, Error, Expr, ExprKind, Result};
use crate::tail_bound;
use crate::tokens::ends;

/// Expands the macro.
pub fn expand(input: TokenStream) -> Result<TokenStream> {
    let (number, input) = take_number(input);
    let (mut comparison, details) = comparison::parse(input)?;
    let operand = quotient(&comparison)?;
    let Quotient { new, reference } = Quotient::read(&operand.tokens)?;
    let (first, last) = ends(&operand.tokens);
    let place = comparison
        .operands
        .iter()
        .position(|other| std::ptr::eq(other, operand));
    // Each is evaluated as often as its time needs.
    let new = evaluated(first, &new);
    let reference = evaluated(last, &reference);
    let ratio = quote_spanned!(first => [new, reference] ::flex_harness::__private::time_ratio(#new, #reference));
    if let Some(place) = place {
        comparison.operands[place].tokens = ratio;
    }
    comparison.text = named(&comparison.text);
    tail_bound::expanded(&comparison, &details, number, "assert_time!")
}

/// A closure that evaluates an expression, in which brackets are no mistake.
fn evaluated(place: Span, expression: &TokenStream) -> TokenStream {
    quote_spanned! {place => [expression]
        || {
            #[allow(unused_parens, clippy::let_and_return, clippy::let_unit_value)]
            let __flex_value = #expression;
            __flex_value
        }
    }
}

/// What the text of the site is, and its details; an input that cannot be read reports that itself.
pub fn identity(input: TokenStream) -> Option<(String, Details)> {
    let (comparison, details) = comparison::parse(input).ok()?;
    Some((named(&comparison.text), details))
}

fn named(text: &str) -> String {
    format!("time({text})")
}

/// The operand that is a quotient: of several the first, which is measured.
fn quotient(comparison: &Comparison) -> Result<&Operand> {
    let values = || {
        let operands = comparison.operands.iter();
        operands.filter(|operand| operand.kind == OperandKind::Expression)
    };
    let quotient = values().find(|operand| Quotient::read(&operand.tokens).is_ok());
    quotient.or_else(|| values().next()).ok_or_else(|| {
        let operator = &comparison.operators[0].tokens;
        Error::new_spanned(operator, format!("nothing to measure: {USAGE}"))
    })
}

const USAGE: &str = "write `assert_time!(new() / reference() < _)`";

/// `new() / reference()`.
struct Quotient {
    new: TokenStream,
    reference: TokenStream,
}

impl Quotient {
    fn read(tokens: &TokenStream) -> Result<Self> {
        let expression = syntax::parse::<Expr>(tokens.clone())?;
        let refuse = |what: &str| Err(Error::new_spanned(tokens, format!("{what}: {USAGE}")));
        let mut inner = &expression;
        while let ExprKind::Group(inside) = &inner.kind {
            inner = inside;
        }
        let is_quotient = |expression: &Expr| matches!(&expression.kind, ExprKind::Binary(_, operator, _) if operator.text == "/");
        match &inner.kind {
            ExprKind::Binary(left, operator, _) if operator.text == "/" && is_quotient(left) => {
                refuse("which of them is the reference? Put brackets around one side")
            }
            ExprKind::Binary(left, operator, right) if operator.text == "/" => Ok(Quotient {
                new: left.to_tokens(),
                reference: right.to_tokens(),
            }),
            _ => refuse(
                "a time says as much about the machine as about the code; compare it with another one of the same run",
            ),
        }
    }
}
