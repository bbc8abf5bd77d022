//! Dependencies that people state: in `flex.toml`, or in a file of JSON.

use std::collections::BTreeMap;
use std::path::Path;

use flex_bounds::config::{DependsRule, Glob};
use flex_run::project::config::Project;

use super::read;
use crate::exit::Failure;
use crate::git::Repository;

/// What people say that files depend on.
pub struct Depends(Vec<DependsRule>);

impl Depends {
    /// Reads the `flex.toml` at the top of a repository, or in the folder of the command, and a file of JSON.
    pub fn read(repository: &Repository, json: Option<&Path>) -> Result<Self, Failure> {
        let wrong = |error| Failure::input(error, "mend it, or leave it out");
        let mut rules = Vec::new();
        for folder in [repository.top(), Path::new(".")] {
            let found = Project::of_folder(folder).map_err(wrong)?.config.depends;
            rules.extend(
                found
                    .into_iter()
                    .filter(|rule| !rules.contains(rule))
                    .collect::<Vec<_>>(),
            );
        }
        if let Some(path) = json {
            let stated: BTreeMap<String, Vec<String>> = serde_json::from_str(&read(path)?)
                .map_err(|error| {
                    Failure::input(
                        format!("{}: {error}", path.display()),
                        "write it as {\"dependent.py\": [\"dependency.py\"]}",
                    )
                })?;
            let pairs = stated
                .into_iter()
                .flat_map(|(file, on)| on.into_iter().map(move |on| (file.clone(), on)));
            // Names of files there are relative to some folder.
            let glob = |path: &str| Glob::new(path.trim_start_matches("./"));
            rules.extend(pairs.map(|(file, on)| DependsRule {
                file: glob(&file),
                on: glob(&on),
            }));
        }
        Ok(Depends(rules))
    }

    /// Whether a file is said to depend on another.
    pub fn has(&self, file: &str, on: &str) -> bool {
        let names = |glob: &Glob, path: &str| {
            let below = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
            glob.matches(path) || below.into_iter().any(|path| glob.matches(path))
        };
        self.0
            .iter()
            .any(|rule| names(&rule.file, file) && names(&rule.on, on))
    }
}
