//! Building tests with cargo, without running any.

use std::ffi::OsString;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use cargo_metadata::Message;

use super::args::{CargoArgs, Elsewhere};
use super::program::Program;
use super::programs::read_programs;
use super::runner::{RUNNER, RunnerCall, runner_option};
use crate::exit::Failure;
use crate::terminal;

/// Builds the tests, and finds out how cargo would run them: it is asked to, through a runner that runs nothing.
pub fn build(args: &CargoArgs) -> Result<Vec<Program>, Failure> {
    match &args.programs {
        Some(file) => read_programs(file, args),
        None => build_at(args, None),
    }
}

/// The same for code elsewhere, with the same options, compiler and environment.
pub fn build_elsewhere(args: &CargoArgs, elsewhere: &Elsewhere) -> Result<Vec<Program>, Failure> {
    build_at(args, Some(elsewhere))
}

/// What comes of a build of which nothing is said if it fails.
pub enum Built {
    Programs(Vec<Program>),
    /// All was compiled, and a program could not be put together.
    Unlinked,
    Failed,
}

/// What rustc says of programs that cannot be put together: the linker's own words follow, or those of LLVM, which links
/// where all of a program is optimised at once.
const UNLINKED: [&str; 2] = ["linking with `", "symbol multiply defined"];

/// The same as [`build`] with these variables.
pub fn build_with(args: &CargoArgs, variables: &[(&str, OsString)]) -> Result<Built, Failure> {
    let output = called(args, None, variables, Stdio::piped())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let is_unlinked = UNLINKED.iter().any(|words| said.contains(words));
        return Ok(match is_unlinked {
            true => Built::Unlinked,
            false => Built::Failed,
        });
    }
    terminal::stderr().write_all(&output.stderr)?;
    Ok(Built::Programs(programs_of(&output)))
}

fn build_at(args: &CargoArgs, elsewhere: Option<&Elsewhere>) -> Result<Vec<Program>, Failure> {
    let output = called(args, elsewhere, &[], Stdio::inherit())?;
    match output.status.success() {
        true => Ok(programs_of(&output)),
        false => Err(Failure::build(
            format!("the tests do not build (cargo test: {})", output.status),
            "mend what cargo says above; `cargo test --no-run` says it too",
        )),
    }
}

/// Calls cargo, which builds the tests and calls the runner.
fn called(
    args: &CargoArgs,
    elsewhere: Option<&Elsewhere>,
    variables: &[(&str, OsString)],
    stderr: Stdio,
) -> Result<Output, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    if let Some(elsewhere) = elsewhere {
        command.current_dir(&elsewhere.folder);
    }
    command
        .args(["test", "--message-format=json-render-diagnostics"])
        .args(args.words(elsewhere))
        .args(runner_option()?)
        .env(RUNNER, "1")
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stderr(stderr)
        .output()
        .map_err(|error| {
            let error = format!("cannot run {}: {error}", cargo.display());
            Failure::build(error, "is cargo on the PATH?")
        })
}

/// The programs that cargo built, by its messages and by its calls of the runner.
fn programs_of(output: &Output) -> Vec<Program> {
    let (mut artifacts, mut calls) = (Vec::new(), Vec::new());
    for message in Message::parse_stream(output.stdout.as_slice()).filter_map(Result::ok) {
        match message {
            Message::CompilerArtifact(artifact) => artifacts.push(artifact),
            Message::TextLine(line) => calls.extend(RunnerCall::read(&line)),
            _ => {}
        }
    }
    let programs = calls.into_iter();
    programs
        .filter_map(|call| Program::new(call, &artifacts))
        .collect()
}
