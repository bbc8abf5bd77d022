//! A program with tests, and how cargo would run it.

use std::path::PathBuf;

use cargo_metadata::{Artifact, TargetKind};
use flex_run::calibrate::TestProgram;
use flex_run::project::env;
use flex_run::store::Store;

use super::runner::RunnerCall;

/// A program with tests.
#[derive(Debug)]
pub struct Program {
    /// How to run it.
    pub program: TestProgram,
    /// The package it belongs to.
    pub package: String,
    /// The target, like `lib` or `test:sketch`.
    pub target: String,
    /// The folder of the package.
    pub package_folder: PathBuf,
    /// What cargo calls the target, which may have hyphens; `None` for a library.
    pub target_name: Option<String>,
    /// The file that its source begins with.
    pub source: PathBuf,
}

impl Program {
    /// Package and target.
    pub fn key(&self) -> (&str, &str) {
        (&self.package, &self.target)
    }

    /// The bounds file of its tests, by the same rule as in the tests themselves, which run in the folder of their package.
    pub fn store(&self) -> Store {
        Store::at(env::bounds_file_in(&self.package_folder))
    }

    /// The program that cargo called, as cargo said that it built it.
    pub(super) fn new(call: RunnerCall, artifacts: &[Artifact]) -> Option<Self> {
        let is_it = |artifact: &&Artifact| {
            let executable = artifact.executable.as_deref();
            executable.is_some_and(|executable| executable == call.exe)
        };
        let artifact = artifacts.iter().find(is_it)?;
        let name = &artifact.target.name;
        let (target, target_name) = match artifact.target.kind.first()? {
            kind @ (TargetKind::Test
            | TargetKind::Bin
            | TargetKind::Bench
            | TargetKind::Example) => (
                format!("{kind}:{}", name.replace('-', "_")),
                Some(name.clone()),
            ),
            _ => ("lib".to_owned(), None),
        };
        let package = call.variable("CARGO_PKG_NAME")?.to_owned();
        Some(Program {
            target_name,
            source: artifact.target.src_path.clone().into(),
            package,
            target,
            package_folder: artifact.manifest_path.parent()?.into(),
            program: TestProgram {
                exe: call.exe,
                folder: Some(call.folder),
                env: call
                    .env
                    .into_iter()
                    .map(|(name, value)| (name.into(), value.into()))
                    .collect(),
            },
        })
    }
}
