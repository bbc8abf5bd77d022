//! Enforcement: what a run showed is held against the bounds file, and reruns settle what is in doubt.
//!
//! [`Enforcement`] is a machine without IO. It answers each run with a [`Verdict`]; a failing one holds a [`FailedTest`],
//! which is a value. Its words, and its JSON, are made where somebody reads them.

mod doubt;
mod failure;
mod judge;
mod machine;
mod mismatch;
mod problem;
mod replayed;
mod report;
mod stray;

pub use failure::{FailedTest, Reason, Warning};
pub(crate) use judge::TestBounds;
pub use machine::{Ended, Enforcement, Verdict, WantedRun};
pub use mismatch::Mismatch;
pub use problem::{Confirmed, Judged, Problem, ProblemCause, Rerun};
pub(crate) use replayed::TestReplay;
pub use replayed::{ReplayDifference, Replayed};
pub use stray::{STRAYS_FILE, Stray, log_strays};

#[cfg(test)]
mod tests;
