//! What can stand beside a comparison operator.

use crate::token::TokenStream;

use crate::settings::number;
use crate::syntax::{Error, Expr, ExprKind, Result};

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

/// An operand is a bare `_`, or binds more tightly than a comparison and has no `_` outside of brackets.
pub(super) fn check_operand(operand: &Expr) -> Result<()> {
    match &operand.kind {
        ExprKind::Infer => Ok(()),
        ExprKind::Group(inside) => check_operand(inside),
        ExprKind::Binary(_, operator, _) => {
            let message = match operator.text {
                "&&" => "one comparison at a time: write an assertion for each side of `&&`",
                "||" => {
                    "a bound cannot be learned or measured for `||`; compare one value, or use `assert!`"
                }
                "==" | "!=" => {
                    "bounds are compared by `<`, `<=`, `>` or `>=`; see `assert_close!` for equality"
                }
                "<" | "<=" | ">" | ">=" => {
                    "at most two comparisons: write `_ < x < _`, or an assertion for each value"
                }
                _ => return check_no_blank(operand),
            };
            Err(Error::new_spanned(&operator.tokens, message))
        }
        ExprKind::Assign | ExprKind::Range(..) | ExprKind::Closure { .. } | ExprKind::Let => {
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
    match &operand.kind {
        ExprKind::Infer => Err(Error::new_spanned(
            operand,
            "`_` stands for a whole bound: write `x - 1.0 < _`, not `x < _ + 1.0`",
        )),
        ExprKind::Binary(left, _, right) => {
            check_no_blank(left)?;
            check_no_blank(right)
        }
        ExprKind::Unary(_, part)
        | ExprKind::Reference { target: part, .. }
        | ExprKind::Cast(part, _)
        | ExprKind::MethodCall { receiver: part, .. }
        | ExprKind::Field(part, _) => check_no_blank(part),
        _ => Ok(()),
    }
}

/// What an operand stands for.
pub(super) fn kind(operand: &Expr) -> OperandKind {
    match &operand.kind {
        ExprKind::Infer => OperandKind::Learned,
        ExprKind::Group(inside) => kind(inside),
        _ => number(operand).map_or(OperandKind::Expression, OperandKind::Literal),
    }
}
