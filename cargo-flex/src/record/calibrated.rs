//! What declared sites showed while learned ones were calibrated, kept for `fix` in the same file.

use flex_core::seed::Phase;
use flex_detect::record::{Record, VERSION};
use flex_run::calibrate::TestCalibration;
use flex_run::model::Runner;

use super::file::RecordFile;
use super::file_of;
use super::replay::Replay;
use crate::cargo::{CargoArgs, FoundTest, workspace_root};
use crate::exit::Failure;

/// Keeps what the declared sites of these tests showed. Tests without any are left as they were.
pub fn keep<'a>(
    calibrated: impl IntoIterator<Item = (&'a FoundTest<'a>, &'a TestCalibration)>,
    cargo: &CargoArgs,
) -> Result<(), Failure> {
    let has_declared =
        |(_, calibration): &(&FoundTest<'_>, &TestCalibration)| !calibration.declared.is_empty();
    let declaring: Vec<_> = calibrated.into_iter().filter(has_declared).collect();
    let Some((_, first)) = declaring.first() else {
        return Ok(());
    };
    let root = workspace_root(cargo.manifest_path())?;
    let tests = declaring.iter().map(|(test, calibration)| {
        let replay = Replay {
            base: &calibration.base,
            phase: Phase::Calibrate,
            cargo,
            root: &root,
        };
        let mut observed = replay.observed(test, &calibration.observed, &[]);
        if calibration.uncontrolled.is_some() {
            let note = "randomness is not controlled: a replay may show something else";
            observed.notes.push(note.to_owned());
        }
        observed
    });
    let record = Record {
        version: VERSION,
        runner: Runner::Cargo,
        base: first.base.clone(),
        rerun_marker: None,
        tests: tests.collect(),
        root: root.clone(),
        reader: cargo.reader(),
    };
    let file = RecordFile::at(file_of(
        declaring.iter().map(|(test, _)| test.program),
        &root,
    ));
    file.merge(&record, |_| false)
}
