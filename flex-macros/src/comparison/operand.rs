//! What can stand beside a comparison operator.

use proc_macro2::TokenStream;
use syn::{BinOp, Error, Expr, Result};

use crate::settings::number;

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

/// What an operand stands for.
pub(super) fn kind(operand: &Expr) -> OperandKind {
    match operand {
        Expr::Infer(_) => OperandKind::Learned,
        Expr::Group(group) => kind(&group.expr),
        operand => number(operand).map_or(OperandKind::Expression, OperandKind::Literal),
    }
}
