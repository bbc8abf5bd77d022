//! Where `detect` left what it recorded.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flex_detect::record::Record;
use serde_json::Value;

use super::FixArgs;
use crate::exit::Failure;

/// Reads the record that is named, or the last one of the cargo workspace or of pytest.
pub fn read(args: &FixArgs) -> Result<Record, Failure> {
    let (path, command) = match (&args.record, &args.pytest) {
        (Some(path), _) => (path.clone(), "flex-harness detect".to_owned()),
        (None, Some(tests)) => (
            pytest_record(tests),
            format!("flex-harness detect --pytest {}", tests.display()),
        ),
        (None, None) => {
            let manifest = args.manifest_path.as_deref();
            let option = manifest.map_or(String::new(), |path| {
                format!(" --manifest-path {}", path.display())
            });
            (
                target_folder(manifest)?.join("flex").join("detect.json"),
                format!("flex-harness detect{option}"),
            )
        }
    };
    let text = std::fs::read_to_string(&path).map_err(|error| Failure::Input {
        error: format!("cannot read {}: {error}", path.display()),
        hint: format!("`{command}` searches the tests and writes it"),
    })?;
    let mut record = Record::parse(&text).map_err(|error| Failure::Input {
        error: format!("{}: {error}", path.display()),
        hint: format!("`{command}` writes it anew"),
    })?;
    record.root = std::path::absolute(&record.root).unwrap_or(record.root);
    Ok(record)
}

/// pytest keeps its cache at the root of the project: the nearest one at or above the tests.
fn pytest_record(tests: &Path) -> PathBuf {
    let text = tests.to_string_lossy();
    let file = Path::new(text.split("::").next().unwrap_or_default());
    let start = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let in_cache = |folder: &Path| folder.join(".pytest_cache/d/flex/detect.json");
    let found = start.ancestors().map(in_cache).find(|path| path.is_file());
    found.unwrap_or_else(|| in_cache(Path::new(".")))
}

/// Cargo's folder for what it builds.
fn target_folder(manifest: Option<&Path>) -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--format-version=1"]);
    if let Some(path) = manifest {
        command.arg("--manifest-path").arg(path);
    }
    let failed = |error: String| {
        Failure::Build {
        error,
        hint: "run it in the folder of a package, name its Cargo.toml with --manifest-path, or tests of pytest with --pytest"
            .to_owned(),
    }
    };
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(format!("cannot run cargo: {error}")))?;
    let metadata: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    let folder = metadata.and_then(|metadata| {
        let folder = metadata["target_directory"].as_str()?;
        Some(PathBuf::from(folder))
    });
    folder.ok_or_else(|| failed("cargo does not say where it builds".to_owned()))
}
