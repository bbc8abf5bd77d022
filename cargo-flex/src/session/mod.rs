//! Shared parts of commands that run tests: which tests, how many at a time, for how long, and how far they are.

mod parallel;
mod progress;
mod request;
mod schedule;
mod selection;
mod test_args;
mod time_budget;

pub use parallel::{for_each, locked};
pub use progress::Display;
pub use request::{base_seed, check_request, jobs};
pub use schedule::{Turn, run_all};
pub use selection::TestFilter;
pub use test_args::TestArgs;
pub use time_budget::parse_duration;
