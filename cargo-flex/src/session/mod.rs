//! What every command needs that runs tests: work in parallel, a time budget, progress.

pub mod parallel;
pub mod progress;
pub mod time_budget;
