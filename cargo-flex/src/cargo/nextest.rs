//! What `cargo nextest archive` packed: the programs that nextest built, with the metadata that it keeps beside them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, Package};
use flex_run::calibrate::TestProgram;
use serde::Deserialize;

use super::program::Program;

/// The file beside the list of programs that tells of packages.
const METADATA: &str = "cargo-metadata.json";

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Binaries {
    rust_build_meta: BuildMeta,
    rust_binaries: BTreeMap<String, Binary>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct BuildMeta {
    target_directory: PathBuf,
    #[serde(default)]
    base_output_directories: Vec<PathBuf>,
    #[serde(default)]
    linked_paths: Vec<PathBuf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Binary {
    binary_name: String,
    package_id: String,
    kind: String,
    binary_path: PathBuf,
}

/// Where programs look for libraries.
const LIBRARIES: &str = if cfg!(target_os = "macos") {
    "DYLD_FALLBACK_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

type FoundProgram = (PathBuf, Option<PathBuf>);

/// The programs of nextest's list, with the folder that they were built in and that of their workspace, each with where it
/// is now; `None` if the text is no such list.
pub fn listed(
    file: &Path,
    text: &str,
) -> Result<Option<(FoundProgram, FoundProgram, Vec<Program>)>, String> {
    if !text.contains("\"rust-binaries\"") {
        return Ok(None);
    }
    let wrong =
        |error: serde_json::Error| format!("this is no list of nextest that is known: {error}");
    let binaries: Binaries = serde_json::from_str(text).map_err(wrong)?;
    let beside = file.with_file_name(METADATA);
    let metadata = fs::read_to_string(&beside)
        .map_err(|error| format!("cannot read {}: {error}", beside.display()))?;
    let metadata: Metadata = serde_json::from_str(&metadata).map_err(wrong)?;
    let meta = &binaries.rust_build_meta;
    let mut libraries = Vec::new();
    for base in &meta.base_output_directories {
        libraries.push(meta.target_directory.join(base).join("deps"));
        libraries.push(meta.target_directory.join(base));
    }
    libraries.extend(
        meta.linked_paths
            .iter()
            .map(|path| meta.target_directory.join(path)),
    );
    let programs = binaries.rust_binaries.values();
    let programs = programs
        .filter_map(|binary| program(binary, &metadata, &libraries))
        .collect();
    // The list lies in a folder `nextest` in the one that was built in.
    let file = std::path::absolute(file).map_err(|error| error.to_string())?;
    let now = file.parent().and_then(Path::parent).map(Path::to_owned);
    let root = metadata.workspace_root.into_std_path_buf();
    Ok(Some((
        (meta.target_directory.clone(), now),
        (root, None),
        programs,
    )))
}

fn program(binary: &Binary, metadata: &Metadata, libraries: &[PathBuf]) -> Option<Program> {
    let is_it = |package: &&Package| package.id.repr == binary.package_id;
    let package = metadata.packages.iter().find(is_it)?;
    let folder: PathBuf = package.manifest_path.parent()?.into();
    let (target, name) = match binary.kind.as_str() {
        kind @ ("test" | "bin" | "bench" | "example") => {
            let name = binary.binary_name.as_str();
            (
                format!("{kind}:{}", name.replace('-', "_")),
                Some(name.to_owned()),
            )
        }
        _ => ("lib".to_owned(), None),
    };
    let same = |target: &&cargo_metadata::Target| match &name {
        Some(name) => {
            target.name == *name
                && target
                    .kind
                    .iter()
                    .any(|kind| kind.to_string() == binary.kind)
        }
        None => target.is_lib() || target.is_proc_macro(),
    };
    let source = package
        .targets
        .iter()
        .find(same)
        .map(|target| target.src_path.clone().into());
    let version = &package.version;
    let mut env: Vec<(OsString, OsString)> = [
        ("CARGO_MANIFEST_DIR", folder.to_string_lossy().into_owned()),
        ("CARGO_PKG_NAME", package.name.to_string()),
        ("CARGO_PKG_VERSION", version.to_string()),
        ("CARGO_PKG_VERSION_MAJOR", version.major.to_string()),
        ("CARGO_PKG_VERSION_MINOR", version.minor.to_string()),
        ("CARGO_PKG_VERSION_PATCH", version.patch.to_string()),
    ]
    .into_iter()
    .map(|(name, value)| (name.into(), value.into()))
    .collect();
    let known = std::env::var_os(LIBRARIES).unwrap_or_default();
    let paths = libraries
        .iter()
        .cloned()
        .chain(std::env::split_paths(&known));
    if let Ok(paths) = std::env::join_paths(paths) {
        env.push((LIBRARIES.into(), paths));
    }
    Some(Program {
        program: TestProgram {
            exe: binary.binary_path.clone(),
            folder: Some(folder.clone()),
            env,
        },
        package: package.name.to_string(),
        target,
        package_folder: folder,
        target_name: name,
        source: source.unwrap_or_default(),
    })
}
