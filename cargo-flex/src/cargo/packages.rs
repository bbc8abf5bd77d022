//! The packages of a workspace, as cargo knows them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flex_run::project::env;
use flex_run::store::Store;
use serde_json::Value;

use crate::exit::Failure;

/// A package of the workspace.
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
}

impl Package {
    /// Its bounds file.
    pub fn store(&self) -> Store {
        Store::at(env::bounds_file_in(&self.folder))
    }
}

/// The packages of the workspace that a manifest belongs to, by folder. If several share a bounds file, which the
/// environment can state, the first stands for them.
pub fn packages(manifest_path: Option<&Path>) -> Result<Vec<Package>, Failure> {
    let metadata = metadata(manifest_path)?;
    let package = |package: &Value| {
        let manifest = PathBuf::from(package["manifest_path"].as_str()?);
        Some(Package {
            name: package["name"].as_str()?.to_owned(),
            folder: manifest.parent()?.to_owned(),
        })
    };
    let all = metadata["packages"].as_array().into_iter().flatten();
    let mut packages: Vec<Package> = all.filter_map(package).collect();
    packages.sort_by(|a, b| a.folder.cmp(&b.folder));
    packages.dedup_by(|a, b| a.store() == b.store());
    Ok(packages)
}

/// The folder of the workspace that a manifest belongs to, which the compiler names source files by.
pub fn workspace(manifest_path: Option<&Path>) -> Result<PathBuf, Failure> {
    let metadata = metadata(manifest_path)?;
    let root = metadata["workspace_root"].as_str();
    Ok(root.unwrap_or_default().into())
}

fn metadata(manifest_path: Option<&Path>) -> Result<Value, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--format-version=1"]);
    if let Some(path) = manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    let failed = |error: String| Failure::Build {
        error,
        hint: "run it in the folder of a package, or name its Cargo.toml with --manifest-path"
            .to_owned(),
    };
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(format!("cannot run cargo: {error}")))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| failed("cargo does not say which packages there are".to_owned()))
}
