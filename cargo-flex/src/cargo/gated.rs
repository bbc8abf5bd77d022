//! Tests that a package has in its sources and not in what was built: behind a feature, another `cfg`, or in a target that
//! needs features.

use std::fs;
use std::path::Path;

use super::source::is_function;

/// Whether the sources of a package hold a function with the last name of this path. That is no proof that the test is
/// there, but reason enough not to call it gone.
pub fn has_function(package: &Path, path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or(path);
    ["src", "tests", "benches", "examples"]
        .iter()
        .any(|folder| is_below(&package.join(folder), name))
}

fn is_below(folder: &Path, name: &str) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        // A link may lead back to where it is; sources behind one are rare.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => is_below(&path, name),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|end| end == "rs") => {
                let text = fs::read_to_string(&path).unwrap_or_default();
                text.lines().any(|line| is_function(line, name))
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_wherever_the_package_has_sources() {
        let package = tempfile::tempdir().unwrap();
        let folder = package.path().join("tests/slow");
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join("main.rs"),
            "#[cfg(feature = \"slow\")]\nfn gated() {}\n",
        )
        .unwrap();
        assert!(has_function(package.path(), "inner::gated"));
        assert!(!has_function(package.path(), "inner::gate"));
        assert!(!has_function(package.path(), "gone"));
    }
}
