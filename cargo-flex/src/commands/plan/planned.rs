//! The answer to a plan, and words that all answers need.

use flex_core::words::thousands;
use serde_json::Value;

use crate::called;
use crate::exit::Failure;

/// The answer, for programs and for people.
pub struct Planned {
    pub json: Value,
    pub words: String,
}

/// A number of things, with an s for more than one.
pub fn count(number: f64, thing: &str) -> String {
    let s = if number == 1.0 { "" } else { "s" };
    format!("{} {thing}{s}", thousands(number))
}

/// What was asked makes no sense.
pub fn usage(error: impl ToString) -> Failure {
    Failure::input(error, format!("see `{} plan --help`", called::name()))
}
