//! Python: which interpreters there are, and environments of our own under `target/python`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, target};

/// The interpreter of an environment.
#[derive(Debug, Clone)]
pub struct Python {
    /// Its version, like `3.11`.
    pub version: String,
    /// The path of its program.
    pub exe: PathBuf,
}

/// The oldest minor version of Python 3 that pytest-flex supports.
const OLDEST: u32 = 10;

impl Python {
    /// `python3`, whatever it is.
    pub fn usual() -> Result<Self, String> {
        Python::at(Path::new("python3"))
            .ok_or_else(|| "python3 is needed, 3.10 or newer".to_owned())
    }

    /// One of each minor version that is installed, the oldest first.
    pub fn all() -> Result<Vec<Self>, String> {
        let mut found = vec![Python::usual()?];
        let names = (OLDEST..OLDEST + 10).map(|minor| PathBuf::from(format!("python3.{minor}")));
        for exe in names.chain(of_pyenv()) {
            if let Some(python) = Python::at(&exe)
                && found.iter().all(|other| other.version != python.version)
            {
                found.push(python);
            }
        }
        found.sort_by_key(Python::minor);
        Ok(found)
    }

    /// An environment of this interpreter with these packages, by name.
    pub fn environment(&self, name: &str, packages: &[&str]) -> Result<Self, String> {
        let folder = target()
            .join("python")
            .join(format!("{name}-{}", self.version));
        let exe = folder.join("bin/python");
        if !exe.exists() {
            process::run(Command::new(&self.exe).args(["-m", "venv"]).arg(&folder))?;
        }
        let python = Python {
            version: self.version.clone(),
            exe,
        };
        process::run(
            python
                .run(&["-m", "pip", "install", "--quiet"])
                .args(packages),
        )?;
        Ok(python)
    }

    /// The interpreter with these arguments, in the project's folder.
    pub fn run(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.exe);
        command.current_dir(process::root()).args(args);
        command
    }

    /// The folder of a package as it was released, fetched and unpacked below this one unless it is there.
    pub fn released(&self, name: &str, version: &str, below: &Path) -> Result<PathBuf, String> {
        let folder = below.join(format!("{name}-{version}"));
        if !folder.is_dir() {
            let pip = ["-m", "pip", "download", "--quiet", "--no-deps"];
            let mut fetch = self.run(&pip);
            // Only this one: what it is built with need not be built itself.
            fetch.args(["--no-binary", name, "--dest"]).arg(below);
            process::run(fetch.arg(format!("{name}=={version}")))?;
            let mut unpack = self.run(&["-m", "tarfile", "-e"]);
            let archive = below.join(format!("{name}-{version}.tar.gz"));
            process::succeed(unpack.arg(archive).arg(below))?;
        }
        Ok(folder)
    }

    fn at(exe: &Path) -> Option<Self> {
        let question = "import sys; assert sys.implementation.name == 'cpython'; print('%d.%d' % sys.version_info[:2])";
        let output = Command::new(exe).args(["-c", question]).output().ok()?;
        let version = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        let python = Python {
            version,
            exe: exe.to_owned(),
        };
        (output.status.success() && python.minor() >= OLDEST).then_some(python)
    }

    fn minor(&self) -> u32 {
        let minor = self.version.strip_prefix("3.");
        minor.and_then(|minor| minor.parse().ok()).unwrap_or(0)
    }
}

/// Interpreters that pyenv has, if it is there.
fn of_pyenv() -> Vec<PathBuf> {
    let output = Command::new("pyenv").arg("root").output();
    let Some(root) = output.ok().and_then(|o| String::from_utf8(o.stdout).ok()) else {
        return Vec::new();
    };
    let versions = std::fs::read_dir(Path::new(root.trim()).join("versions"));
    versions.map_or_else(
        |_| Vec::new(),
        |entries| {
            let exe = |entry: std::fs::DirEntry| entry.path().join("bin/python");
            entries.flatten().map(exe).collect()
        },
    )
}
