//! The outermost value that an assertion lets pass: whether a value that equals its bound fails, and whether any can.

use flex_core::tail::{Domain, Side};

use crate::record::{ObservedSite, Role, Series};

/// Whether a value that equals the bound fails: by the operator if that was recorded, else as a run has shown, else by the
/// text or the function's name. In doubt it does: a bound one step too far keeps its promise.
pub fn is_strict(site: &ObservedSite, series: &Series) -> bool {
    if !matches!(series.role, Role::Upper | Role::Lower) {
        return false;
    }
    if let Some(known) = series.is_strict {
        return known;
    }
    let is_bound = |value: f64| series.bound == Some(value);
    let shown = series.values.iter().find(|(_, value)| is_bound(*value));
    match shown {
        Some((run, _)) => site.failed.contains(run),
        None => {
            // Without the name of a macro.
            let text = site.text.split_once("!(").map_or(&*site.text, |it| it.1);
            let others = text.replace("<=", "").replace(">=", "");
            let allows_equal = others.len() < text.len() && !others.contains(['<', '>', '!']);
            !allows_equal && !site.form.ends_with("Equal")
        }
    }
}

/// The outermost value that passes if `number` is the bound.
pub fn outermost(side: Side, number: f64, is_strict: bool) -> f64 {
    match side {
        _ if !is_strict => number,
        Side::Upper => number.next_down(),
        Side::Lower => number.next_up(),
    }
}

/// Whether at most the end of the domain itself is beyond a limit: of shares, `x < 1` catches only those that are 1.
pub fn is_at_end(domain: Option<Domain>, side: Side, limit: f64) -> bool {
    let first_to_fail = side.orient(side.orient(limit).next_up());
    is_out_of_reach(domain, side, first_to_fail)
}

/// Whether no value of the domain is beyond a limit: a count is never below 0.
pub fn is_out_of_reach(domain: Option<Domain>, side: Side, limit: f64) -> bool {
    domain.is_some_and(|domain| !side.is_beyond(domain.end(side), limit))
}
