//! The process that calibrates: it starts others and drives the machine with what they record.

use std::ops::Range;

use flex_core::calibration::CalibrationPlan;

use super::gate::Gate;
use super::machine::{Calibrating, Next};
use super::outcome::TestCalibration;
use super::process::{TestProgram, Worker};
use super::settings::{CalibrationError, CalibrationSettings, PROCESSES};
use crate::watch::Slowest;

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
    let slowest = Slowest::default();
    let worker = Worker::new(program, test, settings, &slowest, gate);
    // What the test says of itself is not known before its first process has told.
    let expected = settings.runs.unwrap_or(CalibrationPlan::default().min_runs);
    let parts = settings.runs.is_none().then_some(PROCESSES);
    let first = worker.record_first(expected.div_ceil(PROCESSES).max(1), parts, !settings.full)?;
    let record = first.records.first().ok_or(CalibrationError::NoTime)?;
    let test = &record.test;
    worker.not_hung(test, first.hung)?;
    let overlap = test.options.may_overlap();
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
                    worker.not_hung(test, part.hung)?;
                    calibrating.take_all(part)?;
                }
            }
            Next::Repeat(runs) => {
                let patient = patient
                    .get_or_insert_with(|| worker.patient(&runs, calibrating.seconds_per_run()));
                let repeated = patient.repeat(&runs)?;
                worker.not_hung(test, repeated.hung)?;
                calibrating.take_repeated(repeated);
            }
        }
    }
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
