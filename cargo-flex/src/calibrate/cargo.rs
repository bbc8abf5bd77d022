//! Building tests with cargo, and what their programs need to run as cargo would run them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use flex_harness::calibrate::TestProgram;
use serde_json::Value;

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
}

/// Cargo, with the options of a user.
pub struct Cargo<'a> {
    args: &'a CargoArgs,
}

impl<'a> Cargo<'a> {
    pub fn new(args: &'a CargoArgs) -> Self {
        Cargo { args }
    }

    /// Builds the tests, without running any, and names their programs.
    pub fn build(&self) -> Result<Vec<Program>, Failure> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(&cargo)
            .args([
                "test",
                "--no-run",
                "--message-format=json-render-diagnostics",
            ])
            .args(self.args.words())
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| Failure::Build {
                error: format!("cannot run {}: {error}", cargo.display()),
                hint: "is cargo on the PATH?".to_owned(),
            })?;
        if !output.status.success() {
            return Err(Failure::Build {
                error: format!("the tests do not build (cargo test: {})", output.status),
                hint: "mend what cargo says above; `cargo test --no-run` says it too".to_owned(),
            });
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let messages: Vec<Value> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let linked = messages.iter().flat_map(linked_paths).collect::<Vec<_>>();
        let libraries = rust_libraries();
        Ok(messages
            .iter()
            .filter_map(|message| program(message, &linked, libraries.as_deref()))
            .collect())
    }
}

impl CargoArgs {
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
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--release", self.release),
            ("--locked", self.locked),
            ("--offline", self.offline),
        ];
        words.extend(
            flags
                .iter()
                .filter(|(_, set)| *set)
                .map(|(flag, _)| flag.into()),
        );
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

/// The test program that a message of cargo names, if it does.
fn program(message: &Value, linked: &[PathBuf], libraries: Option<&Path>) -> Option<Program> {
    let exe = PathBuf::from(message.get("executable")?.as_str()?);
    let target = message.get("target")?;
    let kind = target.get("kind")?.get(0)?.as_str()?;
    let is_test = message.get("profile")?.get("test")?.as_bool()?;
    // With `harness = false`, cargo calls tests and benchmarks ordinary programs.
    if !is_test && kind != "test" && kind != "bench" {
        return None;
    }
    let name = target.get("name")?.as_str()?;
    let manifest = PathBuf::from(message.get("manifest_path")?.as_str()?);
    let package_folder = manifest.parent()?.to_owned();
    let package = package_name(message.get("package_id")?.as_str()?, &package_folder);
    let target = match kind {
        "test" | "bin" | "bench" | "example" => format!("{kind}:{name}"),
        _ => "lib".to_owned(),
    };
    let folders = exe
        .parent()
        .into_iter()
        .chain(exe.parent().and_then(Path::parent));
    let folders = folders
        .chain(linked.iter().map(PathBuf::as_path))
        .chain(libraries);
    let mut env = vec![
        ("CARGO_MANIFEST_DIR".into(), package_folder.clone().into()),
        ("CARGO_MANIFEST_PATH".into(), manifest.into()),
        ("CARGO_PKG_NAME".into(), package.clone().into()),
    ];
    env.extend(library_path(folders));
    Some(Program {
        program: TestProgram {
            exe,
            folder: Some(package_folder.clone()),
            env,
        },
        package,
        target,
        package_folder,
    })
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

/// Folders with libraries that build scripts ask for.
fn linked_paths(message: &Value) -> Vec<PathBuf> {
    let paths = message.get("linked_paths").and_then(Value::as_array);
    let text = |path: &Value| {
        let path = path.as_str()?;
        Some(PathBuf::from(
            path.split_once('=').map_or(path, |(_, path)| path),
        ))
    };
    paths.into_iter().flatten().filter_map(text).collect()
}

/// The folder of Rust's own dynamic libraries.
fn rust_libraries() -> Option<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir"])
        .output()
        .ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(folder.trim()))
}

/// The variable by which the system finds dynamic libraries, with these folders first.
fn library_path<'a>(folders: impl Iterator<Item = &'a Path>) -> Option<(OsString, OsString)> {
    let name = if cfg!(windows) {
        "PATH"
    } else if cfg!(target_os = "macos") {
        "DYLD_FALLBACK_LIBRARY_PATH"
    } else {
        "LD_LIBRARY_PATH"
    };
    let known = std::env::var_os(name).unwrap_or_default();
    let known: Vec<PathBuf> = std::env::split_paths(&known).collect();
    let all = folders.map(Path::to_owned).chain(known);
    let joined = std::env::join_paths(all.filter(|path| !path.as_os_str().is_empty())).ok()?;
    Some((name.into(), joined))
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
