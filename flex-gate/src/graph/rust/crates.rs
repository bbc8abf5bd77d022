//! The packages of a workspace: which files are whose, and what each can see.

use std::collections::BTreeSet;

use super::super::{Package, ProjectFile};
use super::last;
use crate::source::{ItemKind, Language};

/// The packages that files belong to, and what they can see.
pub struct Crates {
    /// The package of each file.
    pub of_file: Vec<Option<usize>>,
    /// All packages that each package may use, itself among them.
    needs: Vec<BTreeSet<usize>>,
    /// What `use` calls each package.
    pub names: Vec<String>,
    /// Traits of the workspace.
    pub traits: BTreeSet<String>,
    folders: Vec<String>,
}

impl Crates {
    pub fn of(files: &[ProjectFile], packages: &[Package]) -> Self {
        let of_file = files.iter().map(|file| {
            let within = packages.iter().enumerate().filter(|(_, package)| {
                package.folder.is_empty() || file.path.starts_with(&format!("{}/", package.folder))
            });
            within
                .max_by_key(|(_, package)| package.folder.len())
                .map(|(index, _)| index)
        });
        let position = |name: &String| packages.iter().position(|package| package.name == *name);
        let needs = (0..packages.len()).map(|start| {
            let mut found = BTreeSet::from([start]);
            let mut open = vec![start];
            while let Some(package) = open.pop() {
                for needed in packages[package].needs.iter().filter_map(position) {
                    if found.insert(needed) {
                        open.push(needed);
                    }
                }
            }
            found
        });
        let all = files.iter().flat_map(|file| &file.source.items);
        let traits =
            all.filter(|item| item.kind == ItemKind::Function && item.role.of_trait.is_none());
        Crates {
            of_file: of_file.collect(),
            needs: needs.collect(),
            names: packages
                .iter()
                .map(|package| package.name.replace('-', "_"))
                .collect(),
            traits: traits
                .map(|item| last(item.container()).to_owned())
                .collect(),
            folders: packages
                .iter()
                .map(|package| package.folder.clone())
                .collect(),
        }
    }

    /// Which of cargo's folders a file of a package lies in: `src`, `tests`, `benches`, `examples`.
    fn part<'f>(&self, package: usize, path: &'f str) -> (&'f str, &'f str) {
        let inner = path.strip_prefix(&self.folders[package]).unwrap_or(path);
        inner
            .trim_start_matches('/')
            .split_once('/')
            .unwrap_or(("", inner))
    }

    /// Whether items of a file can be named in another one.
    pub fn sees(&self, files: &[ProjectFile], from: usize, to: usize) -> bool {
        if from == to {
            return true;
        }
        let (Some(ours), Some(theirs)) = (self.of_file[from], self.of_file[to]) else {
            // Files of no package that is known: all of them.
            return files[to].source.language == Language::Rust;
        };
        let (part, rest) = self.part(theirs, &files[to].path);
        match part {
            // A program of its own, which nobody but its own modules can name.
            "tests" | "benches" | "examples" => {
                let (own_part, own_rest) = self.part(ours, &files[from].path);
                ours == theirs && part == own_part && (rest.contains('/') || own_rest.contains('/'))
            }
            _ => self.needs[ours].contains(&theirs),
        }
    }
}
