//! Files that are no sources and yet decide what tests do: build files, lock files, configuration, code that is compiled
//! by other means.

use crate::graph::Package;
use crate::source::Language;

/// The tests that a file governs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Governed {
    /// Tests in and below this folder, from the top of the repository; empty for that.
    pub folder: String,
    /// Tests of this language alone; `None` for all.
    pub language: Option<Language>,
}

/// Files of cargo.
const CARGO: [&str; 4] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    "rust-toolchain",
];

/// Files by which Python's environments are made and tests configured.
const PYTHON: [&str; 14] = [
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "pytest.ini",
    ".pytest.ini",
    "noxfile.py",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "environment.yml",
    "meson.build",
];

/// Endings of code that a package compiles by other means.
const COMPILED: [&str; 14] = [
    "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "cu", "cuh", "pyx", "pxd", "f", "f90", "proto",
];

/// The tests that a file governs; `None` if it is a source, or nobody but its readers cares.
pub fn governed(path: &str) -> Option<Governed> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let of = |folder: &str, language| {
        Some(Governed {
            folder: folder.to_owned(),
            language,
        })
    };
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    if name == "flex.toml" {
        return of(folder, None);
    }
    if CARGO.contains(&name) || name == "build.rs" {
        return of(folder, Some(Language::Rust));
    }
    if folder == ".cargo" || folder.ends_with("/.cargo") {
        return of(
            folder.trim_end_matches(".cargo").trim_end_matches('/'),
            Some(Language::Rust),
        );
    }
    let is_requirements = name.contains("requirements") && matches!(ending, Some("txt" | "in"));
    if PYTHON.contains(&name) || is_requirements {
        // Requirements often lie in a folder of their own.
        let folder = if is_requirements { "" } else { folder };
        return of(folder, Some(Language::Python));
    }
    if ending.is_some_and(|ending| COMPILED.contains(&ending)) {
        // Where it ends up is not known.
        return of("", None);
    }
    None
}

impl Governed {
    /// Whether it governs a test of this language, in this file and package.
    pub fn holds_for(
        &self,
        language: Language,
        file: &str,
        package: Option<&str>,
        packages: &[Package],
    ) -> bool {
        if self.language.is_some_and(|only| only != language) {
            return false;
        }
        if is_below(file, &self.folder) {
            return true;
        }
        // What a package is built from governs those that depend on it.
        let Some(package) = package.filter(|_| language == Language::Rust) else {
            return false;
        };
        let mut open = vec![package];
        let mut seen: Vec<&str> = Vec::new();
        while let Some(name) = open.pop() {
            let found = packages.iter().find(|known| known.name == name);
            let Some(found) = found.filter(|_| !seen.contains(&name)) else {
                continue;
            };
            seen.push(name);
            if is_below(&format!("{}/Cargo.toml", found.folder), &self.folder) {
                return true;
            }
            open.extend(found.needs.iter().map(String::as_str));
        }
        false
    }
}

/// Whether a file lies in or below a folder.
pub fn is_below(file: &str, folder: &str) -> bool {
    folder.is_empty()
        || file
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_files_govern_their_folder_and_what_depends_on_it() {
        let package = |name: &str, needs: &[&str]| Package {
            name: name.to_owned(),
            folder: name.to_owned(),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
        };
        let packages = [
            package("core", &[]),
            package("app", &["core"]),
            package("other", &[]),
        ];
        let check = |path: &str, expected: [bool; 3]| {
            let governed = governed(path);
            let holds = ["core", "app", "other"].map(|name| {
                let file = format!("{name}/src/lib.rs");
                governed.as_ref().is_some_and(|governed| {
                    governed.holds_for(Language::Rust, &file, Some(name), &packages)
                })
            });
            assert_eq!(holds, expected, "{path}");
        };
        check("Cargo.lock", [true; 3]);
        check(".cargo/config.toml", [true; 3]);
        check("core/Cargo.toml", [true, true, false]);
        check("app/build.rs", [false, true, false]);
        check("setup.py", [false; 3]);
        check("README.md", [false; 3]);
        check("core/native.c", [true; 3]);
        let python = governed("tests/pytest.ini").unwrap();
        assert!(python.holds_for(Language::Python, "tests/a/test_b.py", None, &[]));
        assert!(!python.holds_for(Language::Python, "tests_b/test_b.py", None, &[]));
    }
}
