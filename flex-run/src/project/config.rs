//! `flex.toml` on disk: where it is looked for.
//!
//! A package says what it asks of its tests in its own `flex.toml`, or under `[package.metadata.flex]` in its
//! `Cargo.toml`. If it says nothing, the `flex.toml` of the nearest folder above holds, within the repository.

use std::path::{Path, PathBuf};

use flex_bounds::config::Config;
use flex_bounds::file::ParseError;

use crate::text_file;

/// The name of the file.
pub const CONFIG_FILE: &str = "flex.toml";

/// What a project asks for, and where it says so.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Project {
    /// What it asks for.
    pub config: Config,
    /// The file that says so, if there is one.
    pub path: Option<PathBuf>,
}

impl Project {
    /// What holds for the tests of the package in this folder.
    pub fn of_package(folder: &Path) -> Result<Self, String> {
        let manifest = folder.join("Cargo.toml");
        let in_manifest = match read(&manifest)? {
            Some(text) => located(&manifest, Config::from_manifest(&text))?,
            None => None,
        };
        let own = Self::in_file(folder.join(CONFIG_FILE))?;
        match (own, in_manifest) {
            (Some(own), None) => Ok(own),
            (None, Some(config)) => Ok(Project {
                config,
                path: Some(manifest),
            }),
            (Some(_), Some(_)) => Err(format!(
                "{}: `[package.metadata.flex]` and {CONFIG_FILE} both say what to ask of tests; keep one of them",
                manifest.display()
            )),
            (None, None) => Self::above(folder),
        }
    }

    /// What holds for the tests of a folder that is no package.
    #[inline]
    pub fn of_folder(folder: &Path) -> Result<Self, String> {
        match Self::in_file(folder.join(CONFIG_FILE))? {
            Some(own) => Ok(own),
            None => Self::above(folder),
        }
    }

    /// The variant of this machine, if it has one.
    pub fn variant(&self) -> Option<&str> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        self.config.variant(os, arch)
    }

    /// The nearest file in a folder above, up to the top of the repository.
    fn above(folder: &Path) -> Result<Self, String> {
        let is_top = |folder: &Path| folder.join(".git").exists();
        let mut below = folder;
        while let (false, Some(above)) = (is_top(below), below.parent()) {
            if let Some(found) = Self::in_file(above.join(CONFIG_FILE))? {
                return Ok(found);
            }
            below = above;
        }
        Ok(Project::default())
    }

    fn in_file(path: PathBuf) -> Result<Option<Self>, String> {
        let Some(text) = read(&path)? else {
            return Ok(None);
        };
        Ok(Some(Project {
            config: located(&path, text.parse())?,
            path: Some(path),
        }))
    }
}

/// The text of a file, if there is one.
fn read(path: &Path) -> Result<Option<String>, String> {
    text_file::read_text(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn located<T>(path: &Path, parsed: Result<T, ParseError>) -> Result<T, String> {
    parsed.map_err(|error| error.in_file(&path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A package in a folder of a repository, with these files.
    fn check(files: &[(&str, &str)], expected: Result<Option<u32>, &str>) {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("repository/crates/package");
        fs::create_dir_all(&package).unwrap();
        fs::create_dir(folder.path().join("repository/.git")).unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        match (Project::of_package(&package), expected) {
            (Ok(project), Ok(runs)) => assert_eq!(project.config.defaults.runs, runs, "{files:?}"),
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            (found, _) => panic!("{files:?}: {found:?}"),
        }
    }

    #[test]
    fn the_nearest_file_counts() {
        const OWN: (&str, &str) = ("repository/crates/package/flex.toml", "runs = 1");
        const ABOVE: (&str, &str) = ("repository/flex.toml", "runs = 3");
        const OUTSIDE: (&str, &str) = ("flex.toml", "runs = 4");
        const MANIFEST: (&str, &str) = (
            "repository/crates/package/Cargo.toml",
            "[package.metadata.flex]\nruns = 2",
        );
        check(&[], Ok(None));
        check(&[OUTSIDE], Ok(None));
        check(&[OUTSIDE, ABOVE], Ok(Some(3)));
        check(&[OUTSIDE, ABOVE, MANIFEST], Ok(Some(2)));
        check(&[OUTSIDE, ABOVE, OWN], Ok(Some(1)));
        check(&[OWN, MANIFEST], Err("keep one of them"));
    }

    #[test]
    fn what_cannot_be_read_names_its_file_and_line() {
        const OWN: &str = "repository/crates/package/flex.toml";
        check(&[(OWN, "runs = 1\nrnus = 2")], Err("flex.toml:2: "));
        check(&[("repository/flex.toml", "runs = ")], Err("flex.toml:1: "));
        let manifest = "repository/crates/package/Cargo.toml";
        let text = "[package.metadata.flex]\nrnus = 2";
        check(&[(manifest, text)], Err("Cargo.toml:2: "));
    }
}
