//! Which files can differ from run to run: those outside of the project, the installation and temporary folders, and
//! what a run writes into the project.

use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::frames::locked;
use crate::text::Text;

/// The folders that are known, by what is in them.
#[derive(Debug, Default)]
struct Folders {
    project: Vec<PathBuf>,
    temporary: Vec<PathBuf>,
    /// Of pytest's own, in which it makes those of tests; inside of the project if somebody says so.
    base: Vec<PathBuf>,
    installed: Vec<PathBuf>,
}

static FOLDERS: Mutex<Option<Folders>> = Mutex::new(None);

/// Folders that tools keep for themselves within a project.
const CACHES: [&str; 5] = [
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".hypothesis",
    ".git",
];

/// Sets where the project is, where temporary files are, and what is installed.
#[pyfunction]
pub fn set_folders(
    project: Vec<Text>,
    temporary: Vec<Text>,
    base: Vec<Text>,
    installed: Vec<Text>,
) {
    let paths = |texts: Vec<Text>| texts.into_iter().map(PathBuf::from).collect();
    *locked(&FOLDERS) = Some(Folders {
        project: paths(project),
        temporary: paths(temporary),
        base: paths(base),
        installed: paths(installed),
    });
}

/// What is to be said of a file that is opened or changed, or of a folder that is listed.
#[derive(Debug, PartialEq, Eq)]
pub enum File {
    /// It is the same for every run.
    Known,
    /// It is a source of random numbers.
    Entropy,
    /// It is in the project, and a run changes it.
    Changed(String),
    /// It is neither of the project, nor installed, nor temporary.
    Outside(String),
}

/// Looks at a path as it was given to the operating system; `None` stands for the current folder.
pub fn file(path: &Bound<'_, PyAny>, is_changed: bool) -> Option<File> {
    let path = match path.is_none() {
        true => PathBuf::from("."),
        false => path_of(path)?,
    };
    let path = absolute(&path)?;
    let folders = locked(&FOLDERS);
    let folders = folders.as_ref()?;
    let is_in = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
    let text = path.to_string_lossy().into_owned();
    Some(match text.as_str() {
        "/dev/urandom" | "/dev/random" => File::Entropy,
        "/dev/null" | "/dev/full" | "/dev/zero" | "/dev/tty" => File::Known,
        _ if is_in(&folders.base) => File::Known,
        _ if is_in(&folders.project) => match is_changed && !is_cache(&path) {
            true => File::Changed(text),
            false => File::Known,
        },
        _ if is_in(&folders.temporary) || is_in(&folders.installed) => File::Known,
        _ => File::Outside(text),
    })
}

/// The path as it was given, of whatever kind; `None` for a file that is open already.
pub fn path_of(path: &Bound<'_, PyAny>) -> Option<PathBuf> {
    if let Ok(text) = path.cast::<PyString>() {
        return Some(PathBuf::from(text.to_string_lossy().into_owned()));
    }
    if let Ok(bytes) = path.cast::<PyBytes>() {
        return Some(PathBuf::from(
            String::from_utf8_lossy(bytes.as_bytes()).into_owned(),
        ));
    }
    let path = path.call_method0("__fspath__").ok()?;
    let text = path.extract::<Text>().ok()?;
    Some(PathBuf::from(text.0))
}

/// The path from the root, without looking at the disk.
fn absolute(path: &Path) -> Option<PathBuf> {
    let mut whole = match path.is_absolute() {
        true => PathBuf::new(),
        false => std::env::current_dir().ok()?,
    };
    for part in path.components() {
        match part {
            Component::ParentDir => _ = whole.pop(),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    Some(whole)
}

fn is_cache(path: &Path) -> bool {
    let mut parts = path.components();
    parts.any(|part| CACHES.iter().any(|cache| part.as_os_str() == *cache))
}
