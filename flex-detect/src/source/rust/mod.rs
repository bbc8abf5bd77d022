//! Numbers in the assertions of Rust sources.
//!
//! Assertions are macros, and what they hold need not be an expression: `_ < x < 0.5`. So they are read as tokens, which
//! know their place in the text.

mod assertion;
pub mod attribute;
mod calls;
mod comparison;
mod constants;
mod find;
mod kind;
mod learn;
mod number;

pub use assertion::Assertion;
pub use find::parses;
pub use learn::learn;
pub use number::NumberInRust;

#[cfg(test)]
mod tests;
