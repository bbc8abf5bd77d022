//! What every command needs that runs tests: work in parallel, a time budget, progress.

mod parallel;
mod progress;
mod time_budget;

pub use parallel::{for_each, locked};
pub use progress::Display;
pub use time_budget::{TimeBudget, parse_duration};
