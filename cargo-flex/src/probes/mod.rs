//! What tests of cargo programs touch that can differ from run to run: the runs that tell, and the lines of what they
//! touch.

mod places;
mod plain;
#[expect(dead_code, reason = "the command `trace` runs it")]
mod trace;

pub use places::Places;
pub use plain::{PlainProbe, Touched, TouchedRuns, plain_command};
#[expect(unused_imports, reason = "the command `trace` runs it")]
pub use trace::{Tracing, trace};
