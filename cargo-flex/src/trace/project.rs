//! A traced project: its trace, its name, and what its `flex.toml` adds to what is known of functions.

use std::path::{Path, PathBuf};

use flex_bounds::config::CharacteristicRule;
use flex_detect::trace::Trace;
use flex_run::project::config::Project;

use super::TraceFile;
use crate::called;
use crate::exit::Failure;

/// A traced project.
pub struct TracedProject {
    /// The folder of the project, by which people know it.
    pub name: String,
    /// The trace.
    pub trace: Trace,
    /// The file with the trace.
    pub path: PathBuf,
}

impl TracedProject {
    /// Reads a trace.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let missing = || {
            Failure::input(
                format!("{}: there is no such file", path.display()),
                format!(
                    "`{} trace` writes one, `--out FILE` to a place of your own",
                    called::name()
                ),
            )
        };
        let trace = TraceFile::at(path.to_owned()).read()?.ok_or_else(missing)?;
        let folder = trace.root.file_name().unwrap_or(trace.root.as_os_str());
        Ok(TracedProject {
            name: folder.to_string_lossy().into_owned(),
            path: path.to_owned(),
            trace,
        })
    }

    /// Reads several; projects of one name are told apart by a number.
    pub fn read_all(paths: &[PathBuf]) -> Result<Vec<Self>, Failure> {
        let mut projects: Vec<Self> = Vec::new();
        for path in paths {
            let mut project = TracedProject::read(path)?;
            let name = project.name.clone();
            let is_taken = |name: &str| projects.iter().any(|known| known.name == name);
            let mut number = 2;
            while is_taken(&project.name) {
                project.name = format!("{name} {number}");
                number += 1;
            }
            projects.push(project);
        }
        Ok(projects)
    }

    /// The functions that the `flex.toml` of the project adds; none where the project is not here.
    pub fn added(&self) -> Result<Vec<CharacteristicRule>, Failure> {
        let config = Project::of_folder(&self.trace.root)
            .map_err(|error| Failure::input(error, "mend it, or leave it out"))?;
        Ok(config.config.characteristics)
    }
}
