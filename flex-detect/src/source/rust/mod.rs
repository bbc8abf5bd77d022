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
mod observe;
mod seeds;

pub use assertion::RustAssertion;
pub use find::parses;
pub use learn::learn;
pub use number::NumberInRust;
pub use observe::{names_crate, observable};
pub use seeds::{FixedSeed, fixed_seeds};

#[cfg(test)]
mod tests;
