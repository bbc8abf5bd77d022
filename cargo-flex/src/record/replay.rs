//! How people repeat the runs that a record tells of, and where the sources of its tests are.

use std::path::{Path, PathBuf};

use flex_core::seed::Phase;
use flex_detect::record::{self, CargoReplay, ObservedTest, Repeated, RunsSource};
use flex_run::calibrate::Observed;
use flex_run::project::env;

use crate::cargo::{CargoArgs, FoundTest};

/// The runs of a record's tests: how they were made, and what repeats one.
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

    /// The record of an annotated test.
    pub fn observed(
        &self,
        test: &FoundTest<'_>,
        observed: &Observed,
        repeated: &[Repeated],
    ) -> ObservedTest {
        let package = &test.program.package_folder;
        let source = RunsSource {
            seeds: self.seeds(),
            replay: record::RunnerReplay::Cargo(CargoReplay {
                bounds: stated(env::BOUNDS),
                variant: stated(env::VARIANT),
                ..self.compiled(test)
            }),
            file: &|compiled| {
                source_file(self.root, package, compiled)
                    .display()
                    .to_string()
            },
        };
        ObservedTest::of_runs(observed, repeated, &source)
    }

    /// What repeats a run of a plain test whose entropy follows a seed.
    pub fn of_plain(&self, test: &FoundTest<'_>) -> record::RunnerReplay {
        record::RunnerReplay::Cargo(self.compiled(test))
    }

    fn compiled(&self, test: &FoundTest<'_>) -> CargoReplay {
        CargoReplay {
            target: test.program.target_name.clone(),
            is_ignored: test.ignored,
            ..self.cargo.compiled()
        }
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

/// A variable that decides which bounds hold.
fn stated(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
