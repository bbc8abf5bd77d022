//! Tests, sites and runs as plain values, whatever language a test is written in and whoever runs it.
//!
//! A [`Test`] has [`Site`]s, each of which [asks](Asks) for a learned bound, declares one, or makes a
//! [claim](ClaimSpec) about all runs together. What one run showed is a
//! [`RunRecord`]; what the runs of one process showed is a [`ProcessRecord`]; what they touched that can differ from run
//! to run is a [`Probe`]. These are the only types of their kind:
//! other layers hold them and add nothing to what a test, a site or a run is.

mod claim;
mod comparison;
mod gathered;
mod inconclusive;
mod place;
mod probe;
mod process;
mod run;
mod site;
mod test;

pub use claim::{ClaimSpec, Claimed, Limit, MOST_RUNS};
pub use comparison::{Comparison, Operator};
pub use flex_bounds::claim::Family;
pub use flex_bounds::{Cause, Runner, TestId};
pub use flex_core::calibration::{About, SiteId, SiteSpec};
pub use gathered::Gathered;
pub use inconclusive::Inconclusive;
pub use place::Place;
pub use probe::{FirstStack, Probe, Touch, Variability};
pub use process::{HungRun, ProcessRecord, RecordedHit, RecordedRun, Took};
pub use run::{Draws, Fault, Hit, RunRecord};
pub use site::{
    Asks, Distance, MOST_CASES, RATIO_OF_TIMES, Site, SiteKey, too_many_cases, value_on,
};
pub use test::Test;
