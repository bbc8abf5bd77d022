//! Entries whose test is gone: nobody will ever hit them again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use flex_bounds::file::Key;
use flex_run::project::env;
use flex_run::store::{Store, StoreError};

use crate::cargo::{FoundTest, Program};

/// The entries without a test, by bounds file.
pub type Gone = BTreeMap<PathBuf, Vec<Key>>;

/// Compares bounds files with the tests that their packages have. Where only some targets were built (`all_targets` is
/// false), entries of the others are left alone.
pub fn gone(
    programs: &[Program],
    tests: &[FoundTest<'_>],
    all_targets: bool,
) -> Result<Gone, StoreError> {
    let mut targets: BTreeMap<&Path, BTreeSet<&str>> = BTreeMap::new();
    for program in programs {
        let of_package = targets.entry(&program.package_folder).or_default();
        of_package.insert(&program.target);
    }
    let known: BTreeSet<(&Path, &str, &str)> = tests
        .iter()
        .map(|test| {
            let program = test.program;
            (
                program.package_folder.as_path(),
                program.target.as_str(),
                test.name.as_str(),
            )
        })
        .collect();
    let mut gone = Gone::new();
    for (package, targets) in targets {
        let store = Store::at(env::bounds_file_in(package));
        for entry in store.read_merged()?.entries() {
            // Entries of pytest have no target.
            let Some(target) = entry.key.target.as_deref() else {
                continue;
            };
            let was_built = all_targets || targets.contains(target);
            if was_built && !known.contains(&(package, target, entry.key.test.as_str())) {
                let keys = gone.entry(store.path().to_owned()).or_default();
                keys.push(entry.key.clone());
            }
        }
    }
    Ok(gone)
}

/// Takes them out of their files.
pub fn prune(gone: &Gone) -> Result<(), StoreError> {
    for (path, keys) in gone {
        Store::at(path).update(|file| {
            for key in keys {
                file.remove(key);
            }
        })?;
    }
    Ok(())
}
