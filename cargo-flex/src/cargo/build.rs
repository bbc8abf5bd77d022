//! Building tests with cargo, and finding out how cargo would run them.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use flex_core::words::quoted;
use flex_run::calibrate::TestProgram;
use serde_json::{Value, json};

use crate::exit::Failure;

/// What cargo is asked to build; the options are cargo's own.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cargo options")]
pub struct CargoArgs {
    /// Package with the tests
    #[arg(long, short, value_name = "SPEC")]
    package: Vec<String>,

    /// All packages of the workspace
    #[arg(long)]
    workspace: bool,

    /// Packages to leave out
    #[arg(long, value_name = "SPEC")]
    exclude: Vec<String>,

    /// Only the library's unit tests
    #[arg(long)]
    lib: bool,

    /// Only this integration test
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,

    /// Only this benchmark's tests
    #[arg(long, value_name = "NAME")]
    bench: Vec<String>,

    /// Only this binary's unit tests
    #[arg(long, value_name = "NAME")]
    bin: Vec<String>,

    /// Only this example's unit tests
    #[arg(long, value_name = "NAME")]
    example: Vec<String>,

    /// Features to activate
    #[arg(long, short = 'F', value_name = "FEATURES")]
    features: Vec<String>,

    /// Activate all features
    #[arg(long)]
    all_features: bool,

    /// Do not activate the default feature
    #[arg(long)]
    no_default_features: bool,

    /// Build with optimisations
    #[arg(long, short)]
    release: bool,

    /// Build with this profile
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,

    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,

    /// Folder for all that is built
    #[arg(long, value_name = "FOLDER")]
    target_dir: Option<PathBuf>,

    /// Cargo.lock must not change
    #[arg(long)]
    locked: bool,

    /// Do not use the network
    #[arg(long)]
    offline: bool,
}

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
    /// The options of `cargo test` that choose this target.
    pub selection: String,
    /// The file that its source begins with.
    pub source: PathBuf,
}

impl Program {
    /// Package and target.
    pub fn key(&self) -> (&str, &str) {
        (&self.package, &self.target)
    }
}

/// Builds the tests, without running any, and says how cargo would run them.
///
/// What a program needs to run (the folder, `[env]` of cargo's configuration, the path of dynamic libraries) only cargo
/// knows. So cargo is asked to run the tests, through a runner that writes down how it was called and runs nothing:
/// this program itself, see [`act_as_runner`].
pub fn build(args: &CargoArgs) -> Result<Vec<Program>, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let failed = |error: String, hint: &str| Failure::Build {
        error,
        hint: hint.to_owned(),
    };
    let calls = tempfile::NamedTempFile::new().map_err(|error| {
        failed(
            format!("cannot make a temporary file: {error}"),
            "is the disk full?",
        )
    })?;
    let output = Command::new(&cargo)
        .args(["test", "--message-format=json-render-diagnostics"])
        .args(args.words())
        .args(runner()?)
        .env(RUNNER_CALLS, calls.path())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| {
            let cargo = cargo.display();
            failed(
                format!("cannot run {cargo}: {error}"),
                "is cargo on the PATH?",
            )
        })?;
    if !output.status.success() {
        return Err(failed(
            format!("the tests do not build (cargo test: {})", output.status),
            "mend what cargo says above; `cargo test --no-run` says it too",
        ));
    }
    let artifacts = json_lines(&output.stdout);
    let calls = std::fs::read(calls.path()).unwrap_or_default();
    let programs = json_lines(&calls);
    Ok(programs
        .iter()
        .filter_map(|call| program(call, &artifacts))
        .collect())
}

/// Where the runner writes down how it was called; it is a runner if this is set.
const RUNNER_CALLS: &str = "FLEX_RUNNER_CALLS";

/// If cargo calls this program to run a test program, writes down how, and runs nothing; `None` if it is not so.
pub fn act_as_runner(args: &[OsString]) -> Option<io::Result<()>> {
    let (Some(file), [_, exe, ..]) = (std::env::var_os(RUNNER_CALLS), args) else {
        return None;
    };
    let text = |text: &OsStr| text.to_str().map(str::to_owned);
    let env: Vec<(String, String)> = std::env::vars_os()
        .filter(|(name, _)| name != RUNNER_CALLS)
        .filter_map(|(name, value)| Some((text(&name)?, text(&value)?)))
        .collect();
    let folder = std::env::current_dir().unwrap_or_default();
    let call = json!({ "exe": text(exe), "folder": folder.to_str(), "env": env });
    let file = OpenOptions::new().append(true).open(file);
    Some(file.and_then(|mut file| writeln!(file, "{call}")))
}

/// The option that makes cargo call this program instead of test programs.
fn runner() -> Result<[OsString; 2], Failure> {
    let broken = |error: String| Failure::Build {
        error,
        hint: "are cargo and rustc installed?".to_owned(),
    };
    let me =
        std::env::current_exe().map_err(|error| broken(format!("cannot find flex: {error}")))?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc)
        .arg("-vV")
        .output()
        .map_err(|error| broken(format!("cannot run {}: {error}", rustc.display())))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or_else(|| broken("`rustc -vV` names no host".to_owned()))?;
    // A JSON string is a TOML string too.
    let me = json!(me.to_string_lossy());
    Ok([
        "--config".into(),
        format!("target.{host}.runner=[{me}]").into(),
    ])
}

impl CargoArgs {
    /// Whether no targets are chosen.
    pub fn all_targets(&self) -> bool {
        !self.lib
            && [&self.test, &self.bin, &self.example, &self.bench]
                .iter()
                .all(|names| names.is_empty())
    }

    /// The options that decide what is compiled, for a command that repeats a run; those that choose targets left out,
    /// and the profile too unless it is `wanted`.
    pub fn repeated(&self, profile_wanted: bool) -> String {
        let mut words = String::new();
        let mut add = |word: &str| {
            words += word;
            words += " ";
        };
        for features in &self.features {
            add(&format!("--features {}", quoted(features)));
        }
        if self.all_features {
            add("--all-features");
        }
        if self.no_default_features {
            add("--no-default-features");
        }
        if let Some(path) = &self.manifest_path {
            add(&format!(
                "--manifest-path {}",
                quoted(&path.to_string_lossy())
            ));
        }
        match &self.profile {
            _ if !profile_wanted => {}
            Some(profile) => add(&format!("--profile {}", quoted(profile))),
            None if self.release => add("--release"),
            None => {}
        }
        words
    }

    /// Path to Cargo.toml, if it is stated.
    pub fn manifest_path(&self) -> Option<&Path> {
        self.manifest_path.as_deref()
    }

    fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let lists = [
            ("--package", &self.package),
            ("--exclude", &self.exclude),
            ("--test", &self.test),
            ("--bench", &self.bench),
            ("--bin", &self.bin),
            ("--example", &self.example),
            ("--features", &self.features),
        ];
        for (option, values) in lists {
            for value in values {
                words.extend([option.into(), value.into()]);
            }
        }
        let flags = [
            ("--workspace", self.workspace),
            ("--lib", self.lib),
            // Everything that `cargo test` runs, but no documentation.
            ("--tests", self.all_targets()),
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--release", self.release),
            ("--locked", self.locked),
            ("--offline", self.offline),
        ];
        let set = flags.iter().filter(|(_, set)| *set);
        words.extend(set.map(|(flag, _)| flag.into()));
        if let Some(profile) = &self.profile {
            words.extend(["--profile".into(), profile.into()]);
        }
        for (option, path) in [
            ("--manifest-path", &self.manifest_path),
            ("--target-dir", &self.target_dir),
        ] {
            if let Some(path) = path {
                words.extend([option.into(), path.into()]);
            }
        }
        words
    }
}

/// The program that cargo called, with what cargo said of it when it was built.
fn program(call: &Value, artifacts: &[Value]) -> Option<Program> {
    let exe = call.get("exe")?.as_str()?;
    let is_it = |artifact: &&Value| {
        let executable = artifact.get("executable").and_then(Value::as_str);
        executable.is_some_and(|executable| Path::new(executable) == Path::new(exe))
    };
    let artifact = artifacts.iter().find(is_it)?;
    let target = artifact.get("target")?;
    let name = target.get("name")?.as_str()?;
    let source = target.get("src_path")?.as_str()?.into();
    let (target, choice) = match target.get("kind")?.get(0)?.as_str()? {
        kind @ ("test" | "bin" | "bench" | "example") => (
            format!("{kind}:{}", name.replace('-', "_")),
            format!("--{kind} {}", quoted(name)),
        ),
        _ => ("lib".to_owned(), "--lib".to_owned()),
    };
    let package_folder = Path::new(artifact.get("manifest_path")?.as_str()?).parent()?;
    let pair = |pair: &Value| {
        let text = |index| pair.get(index).and_then(Value::as_str).map(OsString::from);
        Some((text(0)?, text(1)?))
    };
    let package = package_name(artifact.get("package_id")?.as_str()?, package_folder);
    Some(Program {
        selection: format!("-p {} {choice}", quoted(&package)),
        source,
        program: TestProgram {
            exe: exe.into(),
            folder: Some(call.get("folder")?.as_str()?.into()),
            env: call
                .get("env")?
                .as_array()?
                .iter()
                .filter_map(pair)
                .collect(),
        },
        package,
        target,
        package_folder: package_folder.to_owned(),
    })
}

fn json_lines(bytes: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(bytes)
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// The name in a package id, which ends in `#name@1.2.3`, or in `/name#1.2.3` where the folder has the name.
fn package_name(id: &str, folder: &Path) -> String {
    let (before, after) = id.rsplit_once('#').unwrap_or((id, ""));
    match after.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => before
            .rsplit('/')
            .next()
            .filter(|name| !name.is_empty())
            .map_or_else(|| folder.display().to_string(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_ids_have_names() {
        let check = |id: &str, expected: &str| {
            assert_eq!(package_name(id, Path::new("folder")), expected);
        };
        check("path+file:///home/me/sketch#0.1.0", "sketch");
        check("path+file:///home/me/folder#sketch@0.1.0", "sketch");
        check("registry+https://index#rand@0.10.0", "rand");
    }
}
