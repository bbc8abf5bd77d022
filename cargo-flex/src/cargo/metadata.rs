//! The packages and folders of a workspace, from `cargo metadata`.

use std::path::{Path, PathBuf};

use cargo_metadata::{Error, Metadata, MetadataCommand};
use flex_run::project::env;
use flex_run::store::Store;

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

/// A workspace, as cargo tells of it when it is asked once.
pub struct Workspace {
    /// Its folder, which the compiler names source files by.
    pub root: PathBuf,
    /// The folder that cargo builds in.
    pub target: PathBuf,
    /// Its packages, by folder. If several share a bounds file, which the environment can state, the first stands for them.
    packages: Vec<Package>,
}

impl Workspace {
    /// The workspace that a manifest belongs to.
    pub fn of(manifest_path: Option<&Path>) -> Result<Self, Failure> {
        let metadata = metadata(manifest_path)?;
        let package = |package: cargo_metadata::Package| {
            Some(Package {
                folder: package.manifest_path.parent()?.into(),
                name: package.name.into_inner(),
            })
        };
        let all = metadata.packages.into_iter();
        let mut packages: Vec<Package> = all.filter_map(package).collect();
        packages.sort_by(|a, b| a.folder.cmp(&b.folder));
        packages.dedup_by(|a, b| a.store() == b.store());
        Ok(Workspace {
            root: metadata.workspace_root.into(),
            target: metadata.target_directory.into(),
            packages,
        })
    }

    /// Those of its packages that are named, or all if none is. A name that no package has is an error.
    pub fn named(self, names: &[String]) -> Result<Vec<Package>, Failure> {
        let mut all = self.packages;
        for name in names {
            if !all.iter().any(|package| package.name == *name) {
                return Err(Failure::input(
                    format!("no package of the workspace is called `{name}`"),
                    "`cargo metadata --no-deps` lists them",
                ));
            }
        }
        if !names.is_empty() {
            all.retain(|package| names.contains(&package.name));
        }
        Ok(all)
    }
}

/// Returns the packages of the workspace that a manifest belongs to, by folder.
pub fn packages(manifest_path: Option<&Path>) -> Result<Vec<Package>, Failure> {
    Ok(Workspace::of(manifest_path)?.packages)
}

/// Returns the packages of the workspace with the names of those that each depends on, from the top of a repository.
pub fn needs(
    manifest_path: Option<&Path>,
    top: &Path,
) -> Result<Vec<flex_gate::graph::Package>, Failure> {
    let all = metadata(manifest_path)?.packages;
    let names: Vec<&str> = all.iter().map(|package| package.name.as_str()).collect();
    let package = |package: &cargo_metadata::Package| {
        let folder = package.manifest_path.parent()?.as_std_path();
        let folder = folder.strip_prefix(top).ok()?;
        let needs = package
            .dependencies
            .iter()
            .map(|needed| needed.name.clone());
        Some(flex_gate::graph::Package {
            name: package.name.to_string(),
            folder: folder.to_string_lossy().replace('\\', "/"),
            needs: needs
                .filter(|name| names.contains(&name.as_str()))
                .collect(),
        })
    };
    Ok(all.iter().filter_map(package).collect())
}

/// Returns the folders of the packages that depend on a crate, under its own name, and those of the others.
pub fn packages_by_need(
    manifest_path: Option<&Path>,
    name: &str,
) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Failure> {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for package in metadata(manifest_path)?.packages {
        let mut needed = package.dependencies.iter();
        let depends = needed.any(|needed| needed.name == name && needed.rename.is_none());
        let folder = package.manifest_path.parent().map(PathBuf::from);
        match depends {
            true => with.extend(folder),
            false => without.extend(folder),
        }
    }
    Ok((with, without))
}

/// Returns the folder of the workspace that a manifest belongs to, which the compiler names source files by.
pub fn workspace_root(manifest_path: Option<&Path>) -> Result<PathBuf, Failure> {
    Ok(Workspace::of(manifest_path)?.root)
}

/// Returns the folder that cargo builds in.
pub fn target_folder(manifest_path: Option<&Path>) -> Result<PathBuf, Failure> {
    Ok(Workspace::of(manifest_path)?.target)
}

fn metadata(manifest_path: Option<&Path>) -> Result<Metadata, Failure> {
    let mut command = MetadataCommand::new();
    // Cargo says itself what is wrong.
    command.no_deps().verbose(true);
    if let Some(path) = manifest_path {
        command.manifest_path(path);
    }
    command.exec().map_err(|error| {
        let words = match error {
            Error::Io(error) => format!("cannot run cargo: {error}"),
            Error::CargoMetadata { .. } => "cargo cannot read the workspace; see above".to_owned(),
            other => other.to_string(),
        };
        Failure::build(
            words,
            "run it in the folder of a package, or name its Cargo.toml with --manifest-path; where a command takes tests \
             of pytest, --pytest PATH names them",
        )
    })
}
