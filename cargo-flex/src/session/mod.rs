//! Shared parts of commands that run tests: which tests, how many at a time, for how long, and how far they are.

mod ending;
mod interrupt;
mod parallel;
mod progress;
mod request;
mod schedule;
mod selection;
mod test_args;
mod tied;
mod time_budget;

pub use ending::{exit_of, most_urgent};
pub use interrupt::Interrupt;
pub use parallel::{for_each, locked};
pub use progress::{Display, ShardBar, ShardDisplay, TestBar};
pub use request::{base_seed, check_request, jobs};
pub use schedule::{Ran, Turn, run_all};
pub use selection::TestFilter;
pub use test_args::TestArgs;
pub use tied::{become_tied, tied};
