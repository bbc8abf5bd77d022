//! What cargo knows and does: packages, test programs, and the stochastic tests inside of these.

pub mod build;
pub mod markers;
pub mod packages;
