//! Calibration: the runs of a test are spread over processes, and what they show drives the calibration machine.
//!
//! This is what `cargo flex calibrate` does for every test that it finds, and what `FLEX_MODE=calibrate cargo test`
//! does for the tests that it runs. The test processes only record; everything is decided here, by `flex-core`.

mod checks;
mod collector;
mod date;
mod machine;
mod observed;
mod outcome;
mod process;
mod suite;
pub mod summary;

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

pub use flex_bounds::change::Change;
use flex_bounds::file::{BoundsFile, Key};
use flex_bounds::options::Options;
use flex_core::bound::confidence::{Confidence, default_effort};
use flex_core::calibration::{CalibrationPlan, SuiteShares};

use crate::model::ProcessRecord;
pub use crate::project::base::fresh_base;
use crate::store::{Objection, Store, StoreError};
pub use machine::{Calibrating, Next};
pub use observed::{DeclaredLog, Observed};
pub use outcome::{DeclaredSite, LearnedSite, TestCalibration, Uncontrolled};
pub use process::{Gate, Recorded, TestProgram, Worker, wait};
pub use suite::{Look, SuitePlan, look};

/// Processes that a calibration is spread over at least, to see what they share.
const PROCESSES: u32 = 5;

/// How tests are calibrated, as far as the tests do not say.
#[derive(Debug, Clone, Default)]
pub struct CalibrationSettings {
    /// Runs to begin with.
    pub runs: Option<u32>,
    /// Runs at most.
    pub max_runs: Option<u32>,
    /// Go on until the ceilings are tight.
    pub tight: bool,
    /// When to make do with what there is.
    pub deadline: Option<Instant>,
    /// The base seed.
    pub base: String,
    /// Learn bounds also where state is shared between runs, and write what should be reviewed.
    pub accept: bool,
    /// The runs are for comparison with the bounds file, and get seeds of their own.
    pub check: bool,
    /// The variant that the bounds are learned for.
    pub variant: Option<String>,
    /// A test that measures time is not calibrated beside others.
    pub alone: bool,
    /// What the sites may spend of the budget of their suite, if it has one and the test states no confidence.
    pub shares: Option<SuiteShares>,
}

/// Why a test could not be calibrated.
#[derive(Debug)]
pub enum CalibrationError {
    /// Its process could not be started, or did not do as it was told.
    Process(String),
    /// Something is wrong with the test itself.
    Test(Vec<String>),
    /// The test measures time and must be calibrated with nothing beside it.
    NotAlone,
    /// The time was up before its first run.
    NoTime,
}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CalibrationError::Process(error) => f.write_str(error),
            CalibrationError::Test(mistakes) => f.write_str(&mistakes.join("\n")),
            CalibrationError::NotAlone => {
                f.write_str("it measures time and must be calibrated alone")
            }
            CalibrationError::NoTime => f.write_str("no time was left for it"),
        }
    }
}

impl std::error::Error for CalibrationError {}

/// How far a calibration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Runs that are done.
    pub done: u32,
    /// Runs that are wanted so far.
    pub wanted: u32,
}

/// Calibrates one test of a program.
pub fn calibrate(
    program: &TestProgram,
    test: &str,
    settings: &CalibrationSettings,
    gate: &Gate,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<TestCalibration, CalibrationError> {
    let worker = Worker::new(program, test, settings, gate);
    // What the test says of itself is not known before its first process has told.
    let expected = settings.runs.unwrap_or(CalibrationPlan::default().min_runs);
    let parts = settings.runs.is_none().then_some(PROCESSES);
    let first = worker.record_first(expected.div_ceil(PROCESSES).max(1), parts)?;
    let record = first.records.first().ok_or(CalibrationError::NoTime)?;
    let overlap = record.test.options.may_overlap();
    let mut calibrating = Calibrating::new(record, settings)?;
    calibrating.take_all(&first)?;
    let mut processes = 1;
    let mut patient = None;
    loop {
        match calibrating.step()? {
            Next::Done(outcome) => return Ok(*outcome),
            Next::Collect(_) if worker.time_is_up() => calibrating.out_of_time(),
            Next::Collect(wanted) => {
                let until = wanted[0] + wanted.len() as u32;
                let progress = |done| {
                    progress(Progress {
                        done,
                        wanted: until,
                    });
                };
                progress(wanted[0]);
                let parts = PROCESSES.saturating_sub(processes).max(1);
                let recorded = worker.record_all(parts_of(&wanted, parts), overlap, &progress)?;
                processes += recorded.len() as u32;
                for part in &recorded {
                    calibrating.take_all(part)?;
                }
            }
            Next::Repeat(runs) => {
                let patient = patient
                    .get_or_insert_with(|| worker.patient(&runs, calibrating.seconds_per_run()));
                calibrating.take_repeated(patient.repeat(&runs)?);
            }
        }
    }
}

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
            _ if !unsettled.is_empty() => Err(Objection::Unsettled(unsettled)),
            Some(words) => Err(Objection::Overspent(match waits(calibrations) {
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

/// What the test and the settings ask for.
fn plan(
    first: &ProcessRecord,
    settings: &CalibrationSettings,
) -> Result<CalibrationPlan, CalibrationError> {
    // What the command line says counts before what the test says, and is not cut short by it.
    let stated = Options {
        runs: settings.runs,
        max_runs: settings.max_runs,
        ..Options::NONE
    };
    let options = stated.or(first.test.options);
    let default = CalibrationPlan::default();
    let confidence = options
        .confidence
        .map_or(Ok(default.confidence), Confidence::new)
        .map_err(|error| CalibrationError::Test(vec![error]))?;
    let min_runs = options.runs.unwrap_or(default.min_runs);
    let max_runs = options.max_runs;
    Ok(CalibrationPlan {
        confidence,
        effort: options
            .effort
            .unwrap_or_else(|| default_effort(first.seconds_per_run().unwrap_or(0.0))),
        min_runs: max_runs.map_or(min_runs, |most| min_runs.min(most)),
        max_runs: max_runs.unwrap_or_else(|| default.max_runs.max(min_runs)),
        tight: settings.tight,
    })
}

/// Cuts runs that are wanted into parts of about the same size, without gaps inside a part.
pub fn parts_of(wanted: &[u32], parts: u32) -> Vec<Range<u32>> {
    let size = wanted.len().div_ceil(parts as usize).max(1);
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for run in wanted {
        match ranges.last_mut() {
            Some(range) if range.end == *run && range.len() < size => range.end += 1,
            _ => ranges.push(*run..*run + 1),
        }
    }
    ranges
}

/// The folder for files that pass between processes: cargo's target folder, where the program lies.
pub fn scratch_folder(exe: &std::path::Path) -> PathBuf {
    let is_target = |folder: &&std::path::Path| folder.join("CACHEDIR.TAG").exists();
    let folder = exe
        .ancestors()
        .skip(1)
        .find(is_target)
        .or_else(|| exe.parent());
    folder.unwrap_or(exe).join("flex")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_runs_are_cut_into_even_parts() {
        let wanted: Vec<u32> = (20..100).collect();
        assert_eq!(parts_of(&wanted, 4), [20..40, 40..60, 60..80, 80..100]);
        assert_eq!(parts_of(&[3, 4, 7], 1), [3..5, 7..8]);
        assert_eq!(parts_of(&[3, 9], 4), [3..4, 9..10]);
    }
}
