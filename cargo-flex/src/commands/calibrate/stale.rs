//! Stale entries: their test is gone, and nobody will ever reach them again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use flex_bounds::file::Key;
use flex_run::model::TestId;
use flex_run::project::env;
use flex_run::store::{Store, StoreError};

use super::outcome::unreadable;
use crate::cargo::{FoundTest, Program};
use crate::exit::Failure;
use crate::terminal;

/// The keys of stale entries, by bounds file.
pub struct StaleEntries(BTreeMap<PathBuf, Vec<Key>>);

impl StaleEntries {
    /// Compares bounds files with the tests that their packages have. Where only some targets were built (`all_targets`
    /// is false), entries of the others are left alone.
    pub fn find(
        programs: &[Program],
        tests: &[FoundTest<'_>],
        all_targets: bool,
    ) -> Result<Self, StoreError> {
        let mut targets: BTreeMap<&Path, BTreeSet<&str>> = BTreeMap::new();
        for program in programs {
            let of_package = targets.entry(&program.package_folder).or_default();
            of_package.insert(&program.target);
        }
        let known: BTreeSet<(&Path, TestId)> = tests
            .iter()
            .map(|test| (test.program.package_folder.as_path(), test.id()))
            .collect();
        let mut stale: BTreeMap<PathBuf, Vec<Key>> = BTreeMap::new();
        for (package, targets) in targets {
            let store = Store::at(env::bounds_file_in(package));
            for entry in store.read_merged()?.entries() {
                let test = &entry.key.test;
                let Some(target) = test.target() else {
                    continue;
                };
                let was_built = all_targets || targets.contains(target);
                if was_built && !known.contains(&(package, test.clone())) {
                    let keys = stale.entry(store.path().to_owned()).or_default();
                    keys.push(entry.key.clone());
                }
            }
        }
        Ok(StaleEntries(stale))
    }

    /// The keys in a bounds file.
    pub fn of_file(&self, path: &Path) -> &[Key] {
        self.0.get(path).map_or(&[], Vec::as_slice)
    }

    /// The keys in all files.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.values().flatten()
    }

    /// Lists the entries and takes them out of their files.
    pub fn prune(&self) -> Result<(), Failure> {
        // Nothing is said of what cannot be done.
        for path in self.0.keys() {
            Store::at(path).read().map_err(unreadable)?;
        }
        for key in self.keys() {
            writeln!(terminal::stderr(), "pruned: {key}")?;
        }
        for (path, keys) in &self.0 {
            let remove = Store::at(path).update(|file| {
                for key in keys {
                    file.remove(key);
                }
            });
            remove.map_err(unreadable)?;
        }
        Ok(())
    }
}
