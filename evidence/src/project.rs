//! A real crate under the target folder, with flex as its dev-dependency, as a user has one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use xtask::process::{capture, cargo, root, run, target};

use crate::environment::undisturbed;

/// The rest of a manifest that has flex as its one dependency.
pub const WITH_FLEX: &str =
    "[dev-dependencies]\nflex-harness = { path = \"{flex}/flex-harness\" }\n";

/// The beginning of a file with stochastic tests: values that they can show.
pub const VALUES: &str = r#"
use flex_harness::prelude::*;

fn uniform(rng: &mut TestRng) -> f64 {
    ((rng.seed_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

fn normal(rng: &mut TestRng) -> f64 {
    (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0
}
"#;

/// A crate with tests.
pub struct Project {
    folder: PathBuf,
}

/// The profile that the tests of a crate are built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    Release,
    Dev,
}

impl Build {
    pub fn name(self) -> &'static str {
        match self {
            Build::Release => "release",
            Build::Dev => "dev",
        }
    }

    fn flag(self) -> Option<&'static str> {
        (self == Build::Release).then_some("--release")
    }
}

impl Project {
    /// Makes the crate anew. `manifest` follows the package's own lines; in it, `{flex}` stands for the folder of flex.
    pub fn new(name: &str, manifest: &str, files: &[(&str, &str)]) -> Result<Self, String> {
        let project = Project {
            folder: target().join("harness").join(name),
        };
        let _ = fs::remove_dir_all(&project.folder);
        let manifest = manifest.replace("{flex}", &root().display().to_string());
        project.write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n{manifest}"
            ),
        )?;
        let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|e| e.to_string())?;
        project.write("Cargo.lock", &lock)?;
        for (file, text) in files {
            project.write(file, text)?;
        }
        Ok(project)
    }

    /// The path of a file.
    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// Reads a file.
    pub fn read(&self, file: &str) -> Result<String, String> {
        fs::read_to_string(self.path(file)).map_err(|error| format!("cannot read {file}: {error}"))
    }

    /// Writes a file.
    pub fn write(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.path(file);
        let folder = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("cannot write {file}: {error}"))
    }

    /// Replaces a text in a file, which must hold it.
    pub fn replace(&self, file: &str, from: &str, to: &str) -> Result<(), String> {
        let text = self.read(file)?;
        if !text.contains(from) {
            return Err(format!("{file} does not hold `{from}`"));
        }
        self.write(file, &text.replace(from, to))
    }

    /// A program in the folder of the crate, without what the environment of this command says about flex.
    pub fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        self.prepare(&mut command);
        command
    }

    /// Cargo in the folder of the crate.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let mut command = cargo(args);
        self.prepare(&mut command);
        command
    }

    fn prepare(&self, command: &mut Command) {
        undisturbed(command)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", target().join("harness/target"))
            .env("CARGO_NET_OFFLINE", "true")
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null());
    }

    /// Builds the tests and returns their programs by target.
    pub fn build(&self, build: Build) -> Result<BTreeMap<String, PathBuf>, String> {
        let printed = capture(&mut self.up_to_date(build), "")?;
        let programs = printed.lines().filter_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let exe = message["executable"].as_str()?;
            Some((message["target"]["name"].as_str()?.to_owned(), exe.into()))
        });
        Ok(programs.collect())
    }

    /// The command that builds the tests and says where they are.
    pub fn up_to_date(&self, build: Build) -> Command {
        let mut command = self.cargo(&["test", "--no-run", "--quiet", "--message-format=json"]);
        command.args(build.flag());
        command
    }

    /// `cargo flex calibrate`, as [`build_flex`] built it.
    pub fn calibrate(&self, build: Build, args: &[&str]) -> Command {
        let mut command = self.program(&target().join("release/cargo-flex"));
        command.args(["flex", "calibrate"]);
        command.args(build.flag()).args(args);
        command
    }
}

/// Builds the command line of flex, optimised, as users install it.
pub fn build_flex() -> Result<(), String> {
    run(&mut cargo(&["build", "--release", "--package=cargo-flex"]))
}
