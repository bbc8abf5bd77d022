//! How long to rerun a test in search of failures, and what that finds and costs.

#[cfg(feature = "search")]
pub mod convergence;
#[cfg(feature = "search")]
pub mod geweke;
pub mod reruns;
#[cfg(feature = "search")]
pub mod select;
#[cfg(feature = "search")]
pub mod strategies;
