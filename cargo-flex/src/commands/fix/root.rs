//! The project that was asked for. Only its files are read and changed, and only there is anything run, whatever a
//! record says.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the project, with all links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root(PathBuf);

impl Root {
    /// A folder that is there.
    pub fn at(folder: &Path) -> std::io::Result<Self> {
        folder.canonicalize().map(Root)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Whether a path is the folder, or something in it, after links are resolved.
    pub fn holds(&self, path: &Path) -> bool {
        path.canonicalize()
            .is_ok_and(|real| real.starts_with(&self.0))
    }

    /// Where a file really is; refused are files outside of the project, and whatever is no file.
    pub fn file(&self, path: &Path) -> Result<PathBuf, String> {
        let shown = path.display();
        let real = path
            .canonicalize()
            .map_err(|error| format!("{shown}: {error}"))?;
        if !real.starts_with(&self.0) {
            let root = self.0.display();
            return Err(format!(
                "{shown} is outside of {root}, which is all that may be changed here"
            ));
        }
        if real.to_string_lossy().contains(char::is_control) {
            return Err(format!(
                "{:?} has signs in its name that a patch cannot have",
                real
            ));
        }
        match fs::metadata(&real) {
            Ok(metadata) if metadata.is_file() => Ok(real),
            _ => Err(format!("{shown} is no file")),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_project_are_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("project/tests")).unwrap();
        fs::create_dir_all(at("project-of-another")).unwrap();
        for file in [
            "project/tests/a.py",
            "project/tests/new\nline.py",
            "project-of-another/a.py",
        ] {
            fs::write(at(file), "").unwrap();
        }
        let link = |to: &str, from: &str| std::os::unix::fs::symlink(to, at(from)).unwrap();
        link("tests/a.py", "project/inside.py");
        link("../project-of-another/a.py", "project/outside.py");
        link("../project-of-another", "project/folder");
        let root = Root::at(&at("project")).unwrap();
        let real = root.folder().join("tests/a.py");
        for file in [
            "project/tests/a.py",
            "project/tests/../inside.py",
            "project-of-another/../project/tests/a.py",
        ] {
            assert_eq!(root.file(&at(file)), Ok(real.clone()), "{file}");
        }
        for (file, why) in [
            ("project-of-another/a.py", "is outside of"),
            ("project/../project-of-another/a.py", "is outside of"),
            ("project/outside.py", "is outside of"),
            ("project/folder/a.py", "is outside of"),
            ("project/tests", "is no file"),
            ("project/gone.py", "No such file"),
            ("project/tests/new\nline.py", "a patch cannot have"),
        ] {
            let said = root.file(&at(file)).unwrap_err();
            assert!(said.contains(why), "{file}: {said}");
        }
    }
}
