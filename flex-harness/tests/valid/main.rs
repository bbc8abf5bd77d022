//! Odd uses of the macros that are no mistakes: that they compile is the test. Nothing of them is run.

// Clippy would have them be less odd.
#[cfg(not(clippy))]
mod asserted;
#[cfg(not(clippy))]
mod attributes;
#[cfg(not(clippy))]
mod claims;
#[cfg(not(clippy))]
mod places;

fn main() {}
