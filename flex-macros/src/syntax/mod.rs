//! As much of Rust's grammar as the macros need, read from tokens.
//!
//! `syn` reads all of it, and takes longer to build than everything else in this crate together. What is needed here is
//! where an expression ends, what it is on the outside, and what types and attributes look like; brackets are looked
//! into only by who asks. The compiler reads everything once more, and says what is wrong in there. A test holds the
//! reading of expressions equal to `syn`'s.

mod attribute;
mod block;
mod error;
mod expression;
mod input;
mod literal;
mod operator;
mod signature;
mod type_;

pub use attribute::{Attribute, Meta};
pub use error::{Error, Result};
pub use expression::{Expr, ExprKind};
pub use input::{Input, Parse, parse, parse_list, without_invisible_brackets};
pub use literal::{literal_number, literal_text};
pub use signature::{Parameter, Signature};
pub use type_::{Arguments, Path, Type};

#[cfg(test)]
mod tests;
