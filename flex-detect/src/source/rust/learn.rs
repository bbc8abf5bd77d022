//! An assertion whose number is left to flex: `assert!(x < 0.5)` becomes `assert_tail_bound!(x < _)`.

use super::assertion::RustAssertion;
use super::calls;
use super::kind::AssertionKind;
use crate::record::{Role, Series};
use crate::source::{Edit, NoPlace};

/// The edits that make the number of a series a learned one.
pub fn learn(text: &str, assertion: &RustAssertion, series: &Series) -> Result<Vec<Edit>, NoPlace> {
    let call = &assertion.call;
    let kind = AssertionKind::of(&call.name).unwrap_or(AssertionKind::Comparison);
    let mut edits = Vec::new();
    let name = match kind {
        AssertionKind::Comparison => "assert_tail_bound",
        AssertionKind::Close | AssertionKind::Approx => "assert_close",
    };
    if call.name != name {
        edits.push(Edit::replace(call.path.clone(), visible(text, name)));
    }
    match kind {
        AssertionKind::Comparison => {
            let operand = assertion.bound_operand(text, series)?;
            edits.extend(calls::range(&operand).map(|range| Edit::replace(range, "_")));
        }
        AssertionKind::Close => {
            let key = kind.key(series.role).ok_or_else(|| assertion.no_number())?;
            let value = call.option(key).and_then(calls::range);
            edits.extend(value.map(|range| Edit::replace(range, "_")));
        }
        AssertionKind::Approx => edits.extend(closeness(assertion, series.role)?),
    }
    Ok(edits)
}

/// Options of approx become the one of `assert_close!`.
fn closeness(assertion: &RustAssertion, role: Role) -> Result<Vec<Edit>, NoPlace> {
    let call = &assertion.call;
    let key = match role {
        Role::Absolute => "abs",
        Role::Relative => "rel",
        _ => return Err(assertion.no_number()),
    };
    let arguments: Vec<_> = calls::arguments(&call.tokens).collect();
    let compared = arguments.get(1).and_then(|argument| calls::range(argument));
    let compared = compared.ok_or_else(|| assertion.no_number())?;
    let end = call.after_last_argument();
    Ok(vec![Edit::replace(
        compared.end..end.max(compared.end),
        format!(", {key} = _"),
    )])
}

/// The name of our macro, with its crate unless the source knows it.
fn visible(text: &str, name: &str) -> String {
    let known = text.contains("flex_harness::prelude::*")
        || text
            .lines()
            .any(|line| line.contains("flex_harness") && line.contains(name));
    if known {
        name.to_owned()
    } else {
        format!("flex_harness::{name}")
    }
}
