//! Stale entries: their test is gone, and nobody will ever reach them again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use flex_bounds::file::Key;
use flex_run::model::TestId;
use flex_run::project::env;
use flex_run::store::{Store, StoreError};

use super::outcome::unreadable;
use crate::cargo::{FoundTest, Program, has_function};
use crate::exit::Failure;
use crate::terminal;

/// The keys of stale entries, by bounds file.
pub struct StaleEntries {
    stale: BTreeMap<PathBuf, Vec<Key>>,
    /// Tests that have entries and were not built, but are in the sources.
    gated: BTreeSet<TestId>,
}

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
        let mut gated = BTreeSet::new();
        for (package, targets) in targets {
            let store = Store::at(env::bounds_file_in(package));
            for entry in store.read_merged()?.entries() {
                let test = &entry.key.test;
                let Some(target) = test.target() else {
                    continue;
                };
                let was_built = all_targets || targets.contains(target);
                if !was_built || known.contains(&(package, test.clone())) || gated.contains(test) {
                    continue;
                }
                if has_function(package, test.name()) {
                    gated.insert(test.clone());
                } else {
                    let keys = stale.entry(store.path().to_owned()).or_default();
                    keys.push(entry.key.clone());
                }
            }
        }
        Ok(StaleEntries { stale, gated })
    }

    /// The keys in a bounds file.
    pub fn of_file(&self, path: &Path) -> &[Key] {
        self.stale.get(path).map_or(&[], Vec::as_slice)
    }

    /// The keys in all files.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.stale.values().flatten()
    }

    /// Says which tests have entries and were not built.
    pub fn say_gated(&self) -> Result<(), Failure> {
        if let Some(first) = self.gated.first() {
            let tests = match self.gated.len() {
                1 => format!("{first} was"),
                many => format!("{first} and {} more were", many - 1),
            };
            writeln!(
                terminal::notes(),
                "note: {tests} not built, behind a feature or another cfg; the entries stay"
            )?;
        }
        Ok(())
    }

    /// Lists the entries of tests that are named and takes them out of their files; returns how many there were.
    pub fn prune(&self, is_named: impl Fn(&str) -> bool) -> Result<usize, Failure> {
        // Nothing is said of what cannot be done.
        for path in self.stale.keys() {
            Store::at(path).read().map_err(unreadable)?;
        }
        let mut pruned = 0;
        for (path, keys) in &self.stale {
            let mut keys = keys.clone();
            keys.retain(|key| is_named(key.test.name()));
            for key in &keys {
                writeln!(terminal::notes(), "pruned: {key}")?;
            }
            pruned += keys.len();
            let remove = Store::at(path).update(|file| {
                for key in &keys {
                    file.remove(key);
                }
            });
            remove.map_err(unreadable)?;
        }
        Ok(pruned)
    }
}
