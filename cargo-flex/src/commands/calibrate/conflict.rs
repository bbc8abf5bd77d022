//! Merge conflicts in bounds files: a calibration resolves them if it learns all that is in dispute.

use flex_bounds::file::Key;
use flex_run::store::{Store, StoreError};

use super::gone::Gone;
use super::projects::Projects;
use super::store_of;
use crate::cargo::FoundTest;

/// Whether a bounds file holds a conflict that these tests resolve. A conflict that they leave open is an error.
pub fn can_be_resolved(
    store: &Store,
    tests: &[FoundTest<'_>],
    projects: &Projects,
    gone: &Gone,
) -> Result<bool, StoreError> {
    store.has_conflict(|key| {
        let is_it = |test: &FoundTest<'_>| {
            store_of(test) == *store
                && key.target.as_deref() == Some(&test.program.target)
                && key.test == test.name
                && key.variant.as_deref() == projects.variant(test)
        };
        let is_gone = |keys: &Vec<Key>| keys.contains(key);
        tests.iter().any(is_it) || gone.get(store.path()).is_some_and(is_gone)
    })
}
