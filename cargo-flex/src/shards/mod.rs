//! Runs made in many places: the options of commands that share them out or put them together, who makes the runs of a
//! test, and what is said of that.

mod again;
mod args;
mod making;
mod merging;
mod runs;
mod source;
mod test_runs;
#[cfg(test)]
mod tests;
mod texts;

use flex_shard::TestKey;

pub use args::{MakingArgs, ShardArgs};
pub use making::Making;
pub use merging::Putting;
pub use runs::Runs;
pub use source::{Playing, Source};
pub use test_runs::TestRuns;
pub use texts::{key_of_node, shown};

use crate::cargo::FoundTest;

/// The key of a test in shards.
pub fn key_of(test: &FoundTest<'_>) -> TestKey {
    TestKey {
        package: test.program.package.clone(),
        target: test.program.target.clone(),
        test: test.name.clone(),
        old: false,
        compared: false,
    }
}
