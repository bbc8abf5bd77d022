//! Building tests with cargo, without running any.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use cargo_metadata::{Artifact, Message, TargetKind};
use flex_run::calibrate::TestProgram;
use flex_run::project::env;
use flex_run::store::Store;

use super::args::{CargoArgs, Elsewhere};
use super::runner::{RUNNER, RunnerCall, runner_option};
use crate::exit::Failure;

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
    fn new(call: RunnerCall, artifacts: &[Artifact]) -> Option<Self> {
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

/// Builds the tests, and finds out how cargo would run them: it is asked to, through a runner that runs nothing.
pub fn build(args: &CargoArgs) -> Result<Vec<Program>, Failure> {
    build_at(args, None)
}

/// The same for code elsewhere, with the same options, compiler and environment.
pub fn build_elsewhere(args: &CargoArgs, elsewhere: &Elsewhere) -> Result<Vec<Program>, Failure> {
    build_at(args, Some(elsewhere))
}

fn build_at(args: &CargoArgs, elsewhere: Option<&Elsewhere>) -> Result<Vec<Program>, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    if let Some(elsewhere) = elsewhere {
        command.current_dir(&elsewhere.folder);
    }
    let output = command
        .args(["test", "--message-format=json-render-diagnostics"])
        .args(args.words(elsewhere))
        .args(runner_option()?)
        .env(RUNNER, "1")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| {
            let error = format!("cannot run {}: {error}", cargo.display());
            Failure::build(error, "is cargo on the PATH?")
        })?;
    if !output.status.success() {
        return Err(Failure::build(
            format!("the tests do not build (cargo test: {})", output.status),
            "mend what cargo says above; `cargo test --no-run` says it too",
        ));
    }
    let (mut artifacts, mut calls) = (Vec::new(), Vec::new());
    for message in Message::parse_stream(output.stdout.as_slice()).filter_map(Result::ok) {
        match message {
            Message::CompilerArtifact(artifact) => artifacts.push(artifact),
            Message::TextLine(line) => calls.extend(RunnerCall::read(&line)),
            _ => {}
        }
    }
    let programs = calls.into_iter();
    Ok(programs
        .filter_map(|call| Program::new(call, &artifacts))
        .collect())
}
