//! Enforcement: what a run showed is held against the bounds file, and reruns settle what is in doubt.

pub mod doubt;
pub mod judge;
pub mod machine;
pub mod picture;
pub mod report;
