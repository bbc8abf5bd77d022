//! What cargo builds of the workspace for tests, all at once, and the pytest plugin installed from it.
//!
//! Built one by one, packages want other features of what they have in common, and everything is built again.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::{self, root, target};
use crate::python::Python;

/// Builds all tests, the programs that they run and the extension of the plugin, and returns the folder with them.
pub fn build() -> Result<PathBuf, String> {
    let all = ["build", "--workspace", "--all-features", "--locked"];
    let programs = [
        "cargo-flex",
        "flex-harness",
        "bounds-writer",
        "report-project",
    ];
    let programs = programs.map(|name| format!("--bin={name}"));
    process::run(
        process::cargo(&all)
            .args(["--lib", "--tests"])
            .args(programs),
    )?;
    Ok(target().join("debug"))
}

/// Installs the plugin with the extension in that folder. maturin writes what pip would know about it, so that a mistake
/// in the plugin's metadata is noticed; it builds nothing.
pub fn install(python: &Python, folder: &Path) -> Result<(), String> {
    let question = "import sysconfig; print(sysconfig.get_path('platlib'))";
    let packages = process::capture(&mut python.run(&["-c", question]), "")?;
    let packages = Path::new(packages.trim());
    let words = ["-m", "pip", "uninstall", "--quiet", "--yes", "pytest-flex"];
    process::run(&mut python.run(&words))?;
    let write = ["-m", "maturin", "pep517", "write-dist-info"];
    let mut maturin = python.run(&write);
    maturin
        .current_dir(root().join("pytest-bridge"))
        .arg("--metadata-directory")
        .arg(packages)
        .arg("--interpreter")
        .arg(&python.exe);
    let information = process::capture(&mut maturin, "")?;
    let information = information.lines().last().unwrap_or_default().trim();

    let mut files = Vec::new();
    let copied = copy(
        &root().join("pytest-bridge/python/pytest_flex"),
        &packages.join("pytest_flex"),
        &mut files,
    );
    let extension = format!(
        "{}_native{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let installed = packages.join("pytest_flex/_native.abi3.so");
    copied
        .and_then(|()| fs::copy(folder.join(extension), &installed))
        .and_then(|_| {
            files.push(installed);
            // By this pip finds what it is to remove.
            let record = packages.join(information).join("RECORD");
            files.extend(
                ["METADATA", "WHEEL", "entry_points.txt"].map(|name| record.with_file_name(name)),
            );
            files.push(record.clone());
            let lines = files
                .iter()
                .filter_map(|file| file.strip_prefix(packages).ok());
            let lines: String = lines
                .map(|file| format!("{},,\n", file.display()))
                .collect();
            fs::write(record, lines)
        })
        .map_err(|error| format!("cannot install the plugin: {error}"))
}

/// Copies a folder of Python sources.
fn copy(from: &Path, to: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (from, to) = (entry?.path(), to);
        let Some(name) = from.file_name() else {
            continue;
        };
        let to = to.join(name);
        let is = |ending: &str| from.extension().is_some_and(|found| found == ending);
        if from.is_dir() && name != "__pycache__" {
            copy(&from, &to, files)?;
        } else if is("py") || is("pyi") || is("typed") {
            fs::copy(&from, &to)?;
            files.push(to);
        }
    }
    Ok(())
}
