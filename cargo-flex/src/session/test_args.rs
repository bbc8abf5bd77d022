//! The options that name tests, as commands that run tests of all kinds take them.

use std::path::PathBuf;

use clap::Args;

use super::TestFilter;

/// Which tests.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Only tests whose path contains one of these words
    pub filters: Vec<String>,

    /// The tests of pytest in this file or folder, or with this node id, instead of cargo packages
    #[arg(long, value_name = "PATH", conflicts_with_all = ["exact", "include_ignored"])]
    pub pytest: Option<PathBuf>,

    /// Only tests of pytest that this expression names
    #[arg(
        short = 'k',
        value_name = "EXPR",
        requires = "pytest",
        conflicts_with = "filters"
    )]
    pub keyword: Option<String>,

    /// Filters are whole paths
    #[arg(long)]
    pub exact: bool,

    /// Ignored tests too
    #[arg(long)]
    pub include_ignored: bool,
}

impl TestArgs {
    /// The tests of cargo that are named, for a command that does this with tests: "searches".
    pub fn filter(&self, verb: &'static str) -> TestFilter<'_> {
        TestFilter {
            words: &self.filters,
            exact: self.exact,
            include_ignored: self.include_ignored,
            nouns: ["test", "tests"],
            verb,
            hint: "does `cargo test` run any with these options?",
        }
    }
}
