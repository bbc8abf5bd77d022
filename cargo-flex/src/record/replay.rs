//! How people repeat the runs that a record tells of, and where the sources of its tests are.

use std::path::{Path, PathBuf};

use flex_core::seed::Phase;
use flex_detect::record::{ObservedTest, Repeated, RunsSource};
use flex_run::calibrate::Observed;
use flex_run::model::Test;
use flex_run::project::commands::which_bounds;
use flex_run::project::env;

use crate::cargo::{CargoArgs, Program};

/// The runs of a record's tests: how they were made, and by which command one is repeated.
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    pub base: &'a str,
    pub phase: Phase,
    pub cargo: &'a CargoArgs,
    /// The folder of the workspace, which a record is relative to.
    pub root: &'a Path,
}

impl Replay<'_> {
    /// The seeds, up to the index of the run.
    pub fn seeds(&self) -> String {
        format!("{}@{}", self.base, self.phase)
    }

    /// The record of an annotated test of a package in this folder.
    pub fn observed(
        &self,
        package: &Path,
        observed: &Observed,
        repeated: &[Repeated],
    ) -> ObservedTest {
        let source = RunsSource {
            seeds: self.seeds(),
            replay: self.of_stochastic(&observed.test),
            file: &|compiled| {
                source_file(self.root, package, compiled)
                    .display()
                    .to_string()
            },
        };
        ObservedTest::of_runs(observed, repeated, &source)
    }

    /// The command for an annotated test.
    fn of_stochastic(&self, test: &Test) -> String {
        // The profile is among what the test knows of itself.
        let options = self.cargo.repeated(false);
        let (bounds, selection) = (which_bounds(), &test.selection);
        format!(
            "{}={{seed}} {bounds}cargo test {options}{selection}",
            env::SEED
        )
    }

    /// The command for a plain test whose entropy follows a seed.
    pub fn of_plain(&self, program: &Program, name: &str, ignored: bool) -> String {
        let (options, selection) = (self.cargo.repeated(true), &program.selection);
        let ignored = if ignored { " --include-ignored" } else { "" };
        format!(
            "{}={{seed}} cargo test {options}{selection} -- --exact{ignored} --test-threads=1 {name}",
            env::ENTROPY
        )
    }
}

/// A file as the compiler names it: relative to the workspace, or for a package outside of it to the package.
pub fn source_file(root: &Path, package: &Path, compiled: &str) -> PathBuf {
    let outside = package.join(compiled);
    match !root.join(compiled).exists() && outside.exists() {
        true => outside,
        false => compiled.into(),
    }
}
