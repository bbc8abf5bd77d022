//! What was learned, on disk: in the bounds file, beside it what waits for a review, and elsewhere what cannot be saved.

use flex_bounds::file::{BoundsFile, Key};

use super::outcome::TestCalibration;
use super::process::{TestProgram, scratch_folder};
use crate::store::{Store, StoreError, StoreRefusal};

/// Writes what was learned into the bounds file, and what somebody must look at beside it.
///
/// If the file holds a merge conflict, that is resolved: entries on which its sides differ must be learned here, or be
/// among those whose test is gone. What would spend more than the suite's budget is not written.
pub fn save(
    calibrations: &mut [&mut TestCalibration],
    store: &Store,
    gone: &[Key],
) -> Result<(), StoreError> {
    store.resolve(|file, disputed| {
        for calibration in &mut *calibrations {
            calibration.write_into(file);
        }
        let learned = |key: &Key| calibrations.iter().any(|c| c.settles(key));
        let unsettled = |key: &&Key| !learned(key) && !gone.contains(key);
        let unsettled: Vec<Key> = disputed.iter().filter(unsettled).cloned().collect();
        let overspends = |c: &&mut TestCalibration| c.overspends(file);
        match calibrations.iter().find_map(overspends) {
            _ if !unsettled.is_empty() => Err(StoreRefusal::Unsettled(unsettled)),
            Some(words) => Err(StoreRefusal::Overspent(match waits(calibrations) {
                // What waits keeps what it spends, so its new share is not there yet.
                true => format!(
                    "{words}, unless what should be reviewed first is written too, with --accept"
                ),
                false => words,
            })),
            None => Ok(()),
        }
    })?;
    let pending = pending_store(store);
    // Mostly there is nothing to look at, and no file.
    if !waits(calibrations) && !pending.path().exists() {
        return Ok(());
    }
    pending.update(|file| {
        for calibration in &*calibrations {
            calibration.write_pending(file);
        }
    })?;
    pending.remove_if_empty()
}

/// Whether any new entry waits for a review.
fn waits(calibrations: &[&mut TestCalibration]) -> bool {
    calibrations.iter().any(|c| c.pending().next().is_some())
}

/// Keeps what could not be saved beside the program, so that nothing is lost; the error with where that is.
pub fn rescue(
    calibration: &mut TestCalibration,
    program: &TestProgram,
    error: &StoreError,
) -> String {
    let mut rescued = BoundsFile::default();
    calibration.write_into(&mut rescued);
    let test = &calibration.test;
    let package = test.package.as_deref().unwrap_or_default();
    let (target, name) = (test.id.target().unwrap_or("pytest"), test.name());
    let name: String =
        format!("unsaved-{package}-{target}-{name}.toml").replace([':', '/', '\\'], "-");
    let path = scratch_folder(&program.exe).join(name);
    match std::fs::write(&path, rescued.to_string()) {
        Ok(()) => format!(
            "{error}\nnote: its entries can be copied from {}",
            path.display()
        ),
        Err(_) => error.to_string(),
    }
}

/// Where new entries wait that somebody must look at, beside the bounds file: `flex-bounds.pending.toml`.
pub fn pending_store(store: &Store) -> Store {
    Store::at(store.path().with_extension("pending.toml"))
}
