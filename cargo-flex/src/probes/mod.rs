//! What tests of cargo programs touch that can differ from run to run: the runs that tell, and the lines of what they
//! touch.

mod places;
mod plain;
mod trace;

pub use places::Places;
pub use plain::{PlainProbe, Touched, TouchedRuns, plain_command};
pub use trace::{Tracing, trace};
