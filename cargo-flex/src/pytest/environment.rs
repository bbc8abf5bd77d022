//! Python for another version of the project: the same interpreter and the same installed packages, but the project's own
//! packages from its worktree.
//!
//! Packages of pure Python are put on the path before all others, whether the project is installed in editable mode, as a
//! copy, or not at all. If something in them is compiled, pip builds that version into a folder of its own. Where Python
//! would find them is asked before anything is run: to compare new code with itself would be worse than not to compare.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::with_python;
use crate::exit::Failure;
use crate::git::{Repository, Worktree};
use crate::terminal;

const SCRIPT: &str = include_str!("environment.py");

/// The files by which pytest finds the root of a project.
const INI_FILES: [&str; 5] = [
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
];

/// How pytest is run for a version of the project.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The folder to run in, if it is not this one.
    folder: Option<PathBuf>,
    /// The worktree, if it is not the checkout.
    pub tree: Option<PathBuf>,
    /// What comes first on Python's path.
    path: Vec<PathBuf>,
    /// The root of the project, where pytest would not find it.
    root: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Look {
    packages: Vec<Package>,
}

/// A package of the project.
#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    place: PathBuf,
    /// Whether it is found in the checkout, and not in a copy.
    is_here: bool,
    is_compiled: bool,
}

impl Environment {
    /// The folder to run in, if it is not this one.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Adds it to a command that runs Python.
    pub fn add_to(&self, command: &mut Command) {
        let Some(folder) = &self.folder else { return };
        command.current_dir(folder);
        // Bytecode is known by time and size, and two commits can have both in common.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        if let Some(path) = self.python_path() {
            command.env("PYTHONPATH", path);
        }
    }

    /// Options of pytest that keep it in the tree.
    pub fn options(&self) -> Vec<String> {
        let root = |root: &PathBuf| {
            let root = root.display();
            [format!("--rootdir={root}"), format!("--confcutdir={root}")]
        };
        self.root.iter().flat_map(root).collect()
    }

    fn python_path(&self) -> Option<OsString> {
        let known = std::env::var_os("PYTHONPATH").unwrap_or_default();
        let known = std::env::split_paths(&known);
        let paths = self.path.iter().cloned().chain(known);
        // A path with a colon cannot be named there at all.
        std::env::join_paths(paths).ok()
    }
}

/// Makes the version in a worktree importable; what pip builds is kept in `base`.
pub fn of_tree(
    repository: &Repository,
    base: &Path,
    worktree: &Worktree,
) -> Result<Environment, Failure> {
    let tree = worktree.folder();
    let here = std::env::current_dir()?;
    let folder = repository
        .in_tree(&here, tree)
        .filter(|folder| folder.exists());
    let packages = look(&Environment::default(), repository.top(), &[])?;
    for package in packages.iter().filter(|package| !package.is_here) {
        writeln!(
            terminal::notes(),
            "note: `{}` is imported from {}: new code is what is installed there, not the checkout",
            package.name,
            package.place.display()
        )?;
    }
    let mut path = BTreeSet::new();
    let mut of_tree = Vec::new();
    for package in &packages {
        let parent = package.place.parent().unwrap_or(&package.place);
        let found = match package.is_here {
            true => repository.in_tree(parent, tree),
            false => parent_in(tree, &package.name),
        };
        // A package that the commit does not have yet.
        let holds = |parent: &PathBuf| {
            parent.join(&package.name).exists()
                || parent.join(format!("{}.py", package.name)).exists()
        };
        if let Some(parent) = found.filter(holds) {
            path.insert(parent.clone());
            of_tree.push((package, parent));
        }
    }
    let mut environment = Environment {
        folder: Some(folder.unwrap_or_else(|| tree.to_owned())),
        tree: Some(tree.to_owned()),
        path: path.into_iter().collect(),
        root: (!INI_FILES.iter().any(|file| tree.join(file).exists())).then(|| tree.to_owned()),
    };
    let mut places = vec![tree.to_owned()];
    if packages.iter().any(|package| package.is_compiled) {
        let site = built(base, worktree)?;
        for (package, parent) in &of_tree {
            lend_compiled(&site.join(&package.name), &parent.join(&package.name))?;
        }
        environment.path.push(site.clone());
        places.push(site);
    }
    let names: Vec<&str> = of_tree
        .iter()
        .map(|(package, _)| package.name.as_str())
        .collect();
    check(&environment, repository, &names, &places)?;
    Ok(environment)
}

/// The folder of a tree in which a package lies.
fn parent_in(tree: &Path, package: &str) -> Option<PathBuf> {
    let folders = ["src", "", "lib", "python"].map(|folder| tree.join(folder));
    folders
        .into_iter()
        .find(|folder| folder.join(package).exists())
}

/// Asks Python for the packages of the project, or for these.
fn look(environment: &Environment, top: &Path, names: &[&str]) -> Result<Vec<Package>, Failure> {
    let said = with_python(|python| {
        let mut command = Command::new(python);
        command.args(["-c", SCRIPT]).arg(top).args(names);
        environment.add_to(&mut command);
        command.stdin(Stdio::null()).output()
    });
    let said = said.map_err(|error| {
        Failure::build(
            format!("cannot run python: {error}"),
            "activate the environment that the tests run in",
        )
    })?;
    let look: Option<Look> = serde_json::from_slice(&said.stdout).ok();
    look.filter(|_| said.status.success())
        .map(|look| look.packages)
        .ok_or_else(|| {
            let words = String::from_utf8_lossy(&said.stderr).into_owned();
            Failure::build(
                format!(
                    "python cannot say where the packages of the project are:\n{}",
                    words.trim()
                ),
                "can `python -c 'import importlib.metadata'` be run here?",
            )
        })
}

/// Refuses an environment in which a package would be imported from elsewhere.
fn check(
    environment: &Environment,
    repository: &Repository,
    names: &[&str],
    places: &[PathBuf],
) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    for package in look(environment, repository.top(), names)? {
        let is_in = |place: &PathBuf| {
            let place = place.canonicalize().unwrap_or_else(|_| place.clone());
            package.place.starts_with(place)
        };
        if !places.iter().any(is_in) {
            return Err(Failure::build(
                format!(
                    "the old `{}` cannot be imported: python finds {} instead",
                    package.name,
                    package.place.display()
                ),
                "is it installed by a hook that goes before the path? `pip install -e .` or `pip install .` install it as \
                 usual",
            ));
        }
    }
    Ok(())
}

/// Builds a version with pip into a folder of its own, unless it is there.
fn built(base: &Path, worktree: &Worktree) -> Result<PathBuf, Failure> {
    let site = base.join("site").join(worktree.commit().id());
    let done = site.join(".complete");
    worktree.clean()?;
    if done.exists() {
        return Ok(site);
    }
    let _ = fs::remove_dir_all(&site);
    let short = worktree.commit();
    writeln!(
        terminal::notes(),
        "note: pip builds what is compiled in {short}"
    )?;
    let output = with_python(|python| {
        let mut command = Command::new(python);
        command
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--no-build-isolation",
            ])
            .args(["--disable-pip-version-check", "--target"])
            .arg(&site)
            .arg(worktree.folder())
            .stdin(Stdio::null())
            .output()
    })?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        let last: Vec<&str> = words.lines().rev().take(12).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        return Err(Failure::build(
            format!("pip cannot build {short}:\n{}", last.join("\n")),
            "something in the project is compiled, so that its old version must be built: install what its build needs \
             into this environment",
        ));
    }
    worktree.clean()?;
    fs::write(done, "")?;
    Ok(site)
}

/// Copies what was compiled beside the sources of the package, which may be found first.
fn lend_compiled(built: &Path, package: &Path) -> Result<(), Failure> {
    let Ok(entries) = fs::read_dir(built) else {
        return Ok(());
    };
    for entry in entries.filter_map(Result::ok) {
        let (from, to) = (entry.path(), package.join(entry.file_name()));
        let extension = from.extension().unwrap_or_default();
        if from.is_dir() && to.is_dir() {
            lend_compiled(&from, &to)?;
        } else if from.is_file()
            && ["so", "pyd", "dylib"]
                .iter()
                .any(|known| extension == *known)
        {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
