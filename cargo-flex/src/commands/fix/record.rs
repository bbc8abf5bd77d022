//! Where `detect` left what it recorded.

use std::path::{Path, PathBuf};

use flex_detect::record::Record;

use super::args::FixArgs;
use crate::cargo::target_folder;
use crate::exit::Failure;
use crate::pytest::{CACHED_RECORD, in_caches};
use crate::record::file::default_file;

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
            let target = target_folder(manifest).map_err(|failure| {
                failure.with_hint("run it in the folder of a package, name its Cargo.toml with --manifest-path, or tests of pytest with --pytest")
            })?;
            (
                default_file(&target.join("flex")),
                format!("flex-harness detect{option}"),
            )
        }
    };
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Failure::input(
            format!("cannot read {}: {error}", path.display()),
            format!("`{command}` searches the tests and writes it"),
        )
    })?;
    let mut record = Record::parse(&text).map_err(|error| {
        Failure::input(
            format!("{}: {error}", path.display()),
            format!("`{command}` writes it anew"),
        )
    })?;
    record.root = std::path::absolute(&record.root).unwrap_or(record.root);
    Ok(record)
}

/// pytest keeps its cache at the root of the project: the nearest one at or above the tests.
fn pytest_record(tests: &Path) -> PathBuf {
    let found = in_caches(tests).into_iter().find(|path| path.is_file());
    found.unwrap_or_else(|| Path::new(".").join(CACHED_RECORD))
}
