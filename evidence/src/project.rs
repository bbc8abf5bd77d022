//! A real crate under the target folder, with flex as its dev-dependency, as a user has one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::process::{capture, cargo, root, target};

/// The crate.
pub struct Project {
    folder: PathBuf,
}

/// How its tests are built.
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
    /// Makes the crate anew. `manifest` follows the package's own lines; in it, `{flex}` is the project's folder.
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

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    pub fn read(&self, file: &str) -> Result<String, String> {
        fs::read_to_string(self.path(file)).map_err(|error| format!("cannot read {file}: {error}"))
    }

    pub fn write(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.path(file);
        let folder = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("cannot write {file}: {error}"))
    }

    /// Replaces a text in a file, where it must be.
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

    pub fn cargo(&self, args: &[&str]) -> Command {
        let mut command = cargo(args);
        self.prepare(&mut command);
        command
    }

    fn prepare(&self, command: &mut Command) {
        let flex = std::env::vars_os().map(|(name, _)| name);
        for name in flex.filter(|name| name.to_string_lossy().starts_with("FLEX_")) {
            command.env_remove(name);
        }
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", target().join("harness/target"))
            .env("CARGO_NET_OFFLINE", "true")
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null());
    }

    /// Builds the tests and names their programs by target.
    pub fn build(&self, build: Build) -> Result<BTreeMap<String, PathBuf>, String> {
        let printed = capture(&mut self.up_to_date(build), "")?;
        let programs = printed.lines().filter_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let exe = message["executable"].as_str()?;
            Some((message["target"]["name"].as_str()?.to_owned(), exe.into()))
        });
        Ok(programs.collect())
    }

    /// Builds the tests and says where they are.
    pub fn up_to_date(&self, build: Build) -> Command {
        let mut command = self.cargo(&["test", "--no-run", "--quiet", "--message-format=json"]);
        command.args(build.flag());
        command
    }

    /// `cargo flex calibrate`, optimised.
    pub fn calibrate(&self, build: Build, args: &[&str]) -> Command {
        let mut command = self.program(&target().join("release/cargo-flex"));
        command.args(["flex", "calibrate"]);
        command.args(build.flag()).args(args);
        command
    }
}

/// Runs a command to its end.
pub fn output(command: &mut Command) -> Result<Output, String> {
    command
        .output()
        .map_err(|error| format!("cannot run {:?}: {error}", command.get_program()))
}

/// Runs a command that must succeed, silently.
pub fn succeed(command: &mut Command) -> Result<(), String> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed:\n{}", words(&output)))
}

/// Everything that a program said.
pub fn words(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes))
        .concat()
}
