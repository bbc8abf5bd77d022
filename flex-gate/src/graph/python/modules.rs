//! The files of a project as modules of Python: who imports whom, and what configures whom.

use std::collections::{BTreeSet, HashMap};

use super::super::ProjectFile;
use crate::source::{ItemKind, Language};

/// The files of a project as modules.
pub struct Modules {
    /// Files by the last part of their module's name.
    by_name: HashMap<String, Vec<usize>>,
    /// The parts of each module's name, as far as folders tell.
    parts: Vec<Vec<String>>,
    /// The files that each file imports.
    pub imports: Vec<BTreeSet<usize>>,
}

impl Modules {
    pub fn of(files: &[ProjectFile]) -> Self {
        let mut modules = Modules {
            by_name: HashMap::new(),
            parts: files.iter().map(|file| parts_of(&file.path)).collect(),
            imports: vec![BTreeSet::new(); files.len()],
        };
        for (index, file) in files.iter().enumerate() {
            if file.source.language == Language::Python
                && let Some(last) = modules.parts[index].last()
            {
                modules.by_name.entry(last.clone()).or_default().push(index);
            }
        }
        for (index, file) in files.iter().enumerate() {
            if file.source.language != Language::Python {
                continue;
            }
            let mut imported = BTreeSet::new();
            for item in &file.source.items {
                if let ItemKind::Import { path, up, .. } = &item.kind {
                    for length in 1..=path.len() {
                        imported.extend(modules.files(files, index, &path[..length], *up));
                    }
                    if path.is_empty() {
                        imported.extend(modules.files(files, index, path, *up));
                    }
                }
                if item.name == "pytest_plugins" {
                    for text in &item.texts {
                        let path: Vec<String> = text.split('.').map(str::to_owned).collect();
                        imported.extend(modules.files(files, index, &path, 0));
                    }
                }
            }
            imported.extend(conftests(files, &file.path));
            modules.imports[index] = imported;
        }
        modules
    }

    /// The files of a module that a file names by this path.
    pub fn files(
        &self,
        files: &[ProjectFile],
        from: usize,
        path: &[String],
        up: usize,
    ) -> Vec<usize> {
        let own = files[from].path.as_str();
        if up > 0 {
            let mut folder: Vec<&str> = own.split('/').collect();
            for _ in 0..up {
                folder.pop();
            }
            let whole: Vec<&str> = folder
                .into_iter()
                .chain(path.iter().map(String::as_str))
                .collect();
            let wanted: Vec<String> = whole.into_iter().map(str::to_owned).collect();
            let same = |index: &usize| self.parts[*index] == wanted;
            let last = wanted.last().map_or("", String::as_str);
            return self.named(last).iter().copied().filter(same).collect();
        }
        let Some(last) = path.last() else {
            return Vec::new();
        };
        let ends = |index: &usize| self.parts[*index].ends_with(path);
        self.named(last).iter().copied().filter(ends).collect()
    }

    pub fn named(&self, name: &str) -> &[usize] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// A file, and all that it imports, directly or not.
    pub fn closure(&self, from: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            for imported in &self.imports[file] {
                if found.insert(*imported) {
                    open.push(*imported);
                }
            }
        }
        found
    }
}

/// The parts of the name of a module: folders and the file, without `__init__`.
fn parts_of(path: &str) -> Vec<String> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut parts: Vec<String> = stem.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "__init__") {
        parts.pop();
    }
    parts
}

/// The files by which a folder configures the tests in and below it.
pub fn conftests(files: &[ProjectFile], path: &str) -> Vec<usize> {
    let governs = |file: &ProjectFile| {
        let folder = file.path.strip_suffix("conftest.py");
        folder.is_some_and(|folder| {
            (folder.is_empty() || folder.ends_with('/')) && path.starts_with(folder)
        })
    };
    let found = files.iter().enumerate().filter(|(_, file)| governs(file));
    found.map(|(index, _)| index).collect()
}
