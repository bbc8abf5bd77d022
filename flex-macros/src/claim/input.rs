//! What stands between the brackets: a comparison, or one or two values, then details.

use crate::quoted::ToTokens as _;
use crate::token::TokenStream;

use super::family::Family;
use crate::comparison::{self, Comparison, Operand, OperandKind};
use crate::details::Details;
use crate::syntax::{self, Error, Expr, ExprKind, Result};
use crate::tokens::text;

/// The input of a macro.
pub struct Input {
    pub family: &'static Family,
    pub claimed: Claimed,
    pub details: Details,
    /// What identifies the site.
    pub text: String,
}

/// What is claimed.
pub enum Claimed {
    /// `value < bound`.
    Bounded {
        value: Expr,
        bound: Expr,
        /// A variant of `Operator`.
        operator: &'static str,
    },
    /// `value < _`, or `_ < value < _`.
    Held {
        value: Expr,
        /// A variant of `Tail`.
        tail: &'static str,
    },
    /// `value, within = …, of = …`.
    Near { value: Expr },
    /// `value, law`.
    Law { value: Expr, law: Expr },
    /// `first, second`.
    Two { first: Expr, second: Expr },
}

impl Input {
    /// Reads the input of the macro of a family.
    pub fn parse(family: &'static Family, input: TokenStream) -> Result<Self> {
        if input.is_empty() {
            let message = match family.compares() {
                true => family.expected("a comparison"),
                false => family.expected("two values"),
            };
            return Err(Error::new_spanned(input, message));
        }
        match family.compares() {
            true => match near(family, &input) {
                Some(near) => near,
                None => bounded(family, input),
            },
            false => two(family, input),
        }
    }
}

/// `value, within = 0.005, of = 0.0`; `None` if it has neither.
fn near(family: &'static Family, input: &TokenStream) -> Option<Result<Input>> {
    let mut input = syntax::Input::new(input.clone());
    let value = input.parse::<Expr>().ok()?;
    let details = input.parse::<Details>().ok()?;
    let (within, of) = (details.get("within"), details.get("of"));
    if within.is_none() && of.is_none() || !family.options.contains(&"within") {
        return None;
    }
    if let ExprKind::Binary(_, operator, _) = &value.kind
        && ["<", "<=", ">", ">="].contains(&operator.text)
    {
        return Some(Err(Error::new_spanned(
            &operator.tokens,
            "either a comparison or `within` and `of`, not both",
        )));
    }
    let (Some(within), Some(of)) = (within, of) else {
        return Some(Err(Error::new_spanned(
            &value,
            "`within` and `of` go together: `within = 0.005, of = 0.0` says that the mean is between -0.005 and 0.005",
        )));
    };
    if let Some(blank) = [within, of]
        .into_iter()
        .find(|one| matches!(one.kind, ExprKind::Infer))
    {
        return Some(Err(Error::new_spanned(
            blank,
            "a mean that stays where it was, up and down, is written `_ < x < _`",
        )));
    }
    let shown = |tokens: &Expr| text(&tokens.to_tokens());
    let text = format!(
        "{}({},within={},of={})",
        family.name,
        shown(&value),
        shown(within),
        shown(of)
    );
    Some(Ok(Input {
        family,
        claimed: Claimed::Near { value },
        details,
        text,
    }))
}

/// `value < bound`, `value < _` or `_ < value < _`.
fn bounded(family: &'static Family, input: TokenStream) -> Result<Input> {
    let (comparison, details) = comparison::parse(input)?;
    let text = format!("{}({})", family.name, comparison.text);
    let claimed = match held(&comparison) {
        Some(held) => held?,
        None => {
            let (value, bound, operator) = sides(family, &comparison)?;
            Claimed::Bounded {
                value,
                bound,
                operator,
            }
        }
    };
    Ok(Input {
        family,
        claimed,
        details,
        text,
    })
}

/// A value whose bounds are all learned; `None` if one is not.
fn held(comparison: &Comparison) -> Option<Result<Claimed>> {
    let is_learned = |operand: &Operand| operand.kind == OperandKind::Learned;
    let (value, tail) = match (&comparison.operands[..], &comparison.operators[..]) {
        ([value, bound], [operator]) if is_learned(bound) => (value, operator.ascending),
        ([bound, value], [operator]) if is_learned(bound) => (value, !operator.ascending),
        ([low, value, high], [first, second])
            if is_learned(low) && is_learned(high) && first.ascending == second.ascending =>
        {
            return learned(value, "Both");
        }
        _ => return None,
    };
    learned(value, if tail { "Upper" } else { "Lower" })
}

fn learned(value: &Operand, tail: &'static str) -> Option<Result<Claimed>> {
    if value.kind != OperandKind::Expression {
        return None;
    }
    let value = syntax::parse(value.tokens.clone());
    Some(value.map(|value| Claimed::Held { value, tail }))
}

/// The value, its bound, and the operator between them in this order.
fn sides(family: &Family, comparison: &Comparison) -> Result<(Expr, Expr, &'static str)> {
    let ([left, right], [operator]) = (&comparison.operands[..], &comparison.operators[..]) else {
        let second = comparison.operators.last().map(|operator| &operator.tokens);
        let message = match family.options.contains(&"within") {
            true => {
                "one comparison at a time: write `within = …, of = …` for a mean that is to lie between two numbers, `_ < x < _` for one that stays where it was"
            }
            false => "one comparison at a time; `_ < x < _` is a rate that stays where it was",
        };
        return Err(Error::new_spanned(second, message));
    };
    let is_value = |kind| kind == OperandKind::Expression;
    let (value, bound, ascending) = match (left.kind, right.kind) {
        (kind, _) if is_value(kind) => (left, right, operator.ascending),
        (_, kind) if is_value(kind) => (right, left, !operator.ascending),
        _ => {
            return Err(Error::new_spanned(
                &operator.tokens,
                "nothing to measure: one side must be a value of the run",
            ));
        }
    };
    let operator = match (ascending, operator.is_strict) {
        (true, true) => "Less",
        (true, false) => "AtMost",
        (false, true) => "Greater",
        (false, false) => "AtLeast",
    };
    Ok((
        syntax::parse(value.tokens.clone())?,
        syntax::parse(bound.tokens.clone())?,
        operator,
    ))
}

/// `first, second`.
fn two(family: &'static Family, input: TokenStream) -> Result<Input> {
    let mut input = syntax::Input::new(input);
    let first = input.parse::<Expr>()?;
    if !input.take_punct(",") || input.is_empty() {
        let message = family.expected("`,` and a second value");
        return Err(Error::new(input.span(), message));
    }
    let second = input.parse::<Expr>()?;
    for value in [&first, &second] {
        if matches!(value.kind, ExprKind::Infer | ExprKind::Assign) {
            return Err(Error::new_spanned(value, family.expected("a value")));
        }
    }
    let details = input.parse::<Details>()?;
    let text = format!(
        "{}({},{})",
        family.name,
        text(&first.to_tokens()),
        text(&second.to_tokens())
    );
    let claimed = match family.name {
        "distributed" => Claimed::Law {
            value: first,
            law: second,
        },
        _ => Claimed::Two { first, second },
    };
    Ok(Input {
        family,
        claimed,
        details,
        text,
    })
}
