//! Merge conflicts in bounds files: a calibration resolves them if it learns all that is in dispute.

use flex_run::store::{Store, StoreError};

use super::projects::Projects;
use super::stale::StaleEntries;
use crate::cargo::FoundTest;

/// Whether a bounds file holds a conflict that these tests resolve. A conflict that they leave open is an error.
pub fn can_be_resolved(
    store: &Store,
    tests: &[FoundTest<'_>],
    projects: &Projects,
    stale: &StaleEntries,
) -> Result<bool, StoreError> {
    store.has_conflict(|key| {
        let is_it = |test: &FoundTest<'_>| {
            test.program.store() == *store
                && key.test == test.id()
                && key.variant.as_deref() == projects.variant(test)
        };
        tests.iter().any(is_it) || stale.of_file(store.path()).contains(key)
    })
}
