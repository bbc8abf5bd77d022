//! Annotations of GitHub Actions: a line of output that the page of a pull request shows beside the source.

use std::path::{Path, PathBuf};

use flex_core::visible::visible_lines;

use super::env;
use crate::model::Place;

/// The line that annotates a place in the source; `None` outside of GitHub Actions.
///
/// The compiler names files from the top of the workspace, GitHub from the top of the repository.
pub fn annotation(package: &Path, place: &Place, title: &str, words: &str) -> Option<String> {
    let repository = env::github_repository()?;
    let file = in_repository(package, Path::new(&place.file), &repository);
    let (file, line) = (property(&file.display().to_string()), place.line);
    let (title, words) = (property(title), data(words.trim()));
    Some(format!(
        "::error file={file},line={line},title={title}::{words}\n"
    ))
}

/// The path of a source file from the top of the repository.
fn in_repository(package: &Path, file: &Path, repository: &Path) -> PathBuf {
    let found = package
        .ancestors()
        .map(|folder| folder.join(file))
        .find(|path| path.exists());
    let path = found.unwrap_or_else(|| file.to_owned());
    path.strip_prefix(repository)
        .map_or(path.clone(), Path::to_owned)
}

/// Text behind the second pair of colons.
fn data(text: &str) -> String {
    visible_lines(&text.replace("\r\n", "\n"))
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_top_of_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("rust/crates/sketch");
        std::fs::create_dir_all(package.join("src")).unwrap();
        std::fs::write(package.join("src/lib.rs"), "").unwrap();
        let check = |file: &str, expected: &str| {
            let path = in_repository(&package, Path::new(file), folder.path());
            assert_eq!(path, Path::new(expected));
        };
        // In a workspace, and in a package that is none.
        check("crates/sketch/src/lib.rs", "rust/crates/sketch/src/lib.rs");
        check("src/lib.rs", "rust/crates/sketch/src/lib.rs");
        check("gone.rs", "gone.rs");
    }

    #[test]
    fn signs_with_a_meaning_are_escaped() {
        assert_eq!(data("5% of\r\nruns: a, b"), "5%25 of%0Aruns: a, b");
        assert_eq!(data("\x1b[2J\r::error::"), "\\u{1b}[2J\\r::error::");
        assert_eq!(property("a::b, 5%"), "a%3A%3Ab%2C 5%25");
    }
}
