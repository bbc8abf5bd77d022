//! The process that calibrates: it starts others and drives the machine with what they record.

use std::ops::Range;
use std::time::Duration;

use flex_core::calibration::CalibrationPlan;

use super::gate::Gate;
use super::machine::{Calibrating, Next};
use super::onlooker::{Nobody, Onlooker};
use super::outcome::TestCalibration;
use super::process::{TestProgram, Worker};
use super::repeat::REPEATS_IN_A_HURRY;
use super::settings::{CalibrationError, CalibrationSettings, PROCESSES};
use crate::watch::Slowest;

/// What came of the time that a calibration had.
#[derive(Debug)]
pub enum Driven {
    /// It is done.
    Done(Box<TestCalibration>),
    /// The time is up; with more of it, it can go on from here.
    Short(Box<Calibrating>),
}

/// Calibrates one test of a program to its end.
pub fn calibrate(
    program: &TestProgram,
    test: &str,
    settings: &CalibrationSettings,
    gate: &Gate,
) -> Result<TestCalibration, CalibrationError> {
    match drive(program, test, settings, (gate, &Nobody), (None, true))? {
        Driven::Done(calibration) => Ok(*calibration),
        Driven::Short(_) => Err(CalibrationError::NoTime),
    }
}

/// Goes on with the calibration of a test, or begins it. If this is its last turn, it makes do with the runs that it has
/// when its time is up.
pub fn drive(
    program: &TestProgram,
    test: &str,
    settings: &CalibrationSettings,
    (gate, onlooker): (&Gate, &dyn Onlooker),
    (begun, is_last): (Option<Box<Calibrating>>, bool),
) -> Result<Driven, CalibrationError> {
    let slowest = Slowest::default();
    let worker = Worker::new(program, test, settings, &slowest, (gate, onlooker));
    let mut calibrating = match begun {
        Some(begun) => begun,
        None => Box::new(first_runs(&worker, settings)?),
    };
    let test = calibrating.test().clone();
    let overlap = test.options.may_overlap();
    let seconds = calibrating.seconds_per_run();
    slowest.took(Duration::from_secs_f64(seconds));
    // Some runs are repeated at the end, which is a part of the promise.
    let collecting = worker.leaving_time_for(REPEATS_IN_A_HURRY, seconds);
    let mut patient = None;
    loop {
        match calibrating.step()? {
            Next::Done(outcome) => return Ok(Driven::Done(outcome)),
            Next::Collect(_) if collecting.time_is_up() && !is_last => {
                return Ok(Driven::Short(calibrating));
            }
            Next::Collect(_) if collecting.time_is_up() => calibrating.out_of_time(),
            Next::Collect(wanted) => {
                let until = wanted[0] + wanted.len() as u32;
                onlooker.wants(until, Some(&|| calibrating.so_far()));
                let processes = calibrating.processes() as u32;
                let parts = PROCESSES.saturating_sub(processes).max(1);
                let parts = parts_of(&wanted, parts);
                for part in collecting.record_all(parts, overlap)? {
                    worker.not_hung(&test, part.hung)?;
                    calibrating.take_all(&part)?;
                }
                onlooker.taken(calibrating.runs());
            }
            Next::Repeat(runs) => {
                let patient = patient
                    .get_or_insert_with(|| worker.patient(&runs, calibrating.seconds_per_run()));
                onlooker.repeats(runs.len() as u32);
                let repeated = patient.repeat(&runs)?;
                worker.not_hung(&test, repeated.hung)?;
                calibrating.take_repeated(repeated);
            }
        }
    }
}

/// Makes the first runs of a test, in one process: what the test says of itself is not known before that has told.
fn first_runs(
    worker: &Worker<'_>,
    settings: &CalibrationSettings,
) -> Result<Calibrating, CalibrationError> {
    let expected = settings.runs.unwrap_or(CalibrationPlan::default().min_runs);
    let parts = settings.runs.is_none().then_some(PROCESSES);
    let runs = expected.div_ceil(PROCESSES).max(1);
    worker.onlooker.wants(expected, None);
    let first = worker.hurried().record_first(runs, parts, !settings.full)?;
    let record = first.records.first().ok_or(CalibrationError::NoTime)?;
    worker.not_hung(&record.test, first.hung)?;
    let mut calibrating = Calibrating::new(record, settings)?;
    calibrating.take_all(&first)?;
    worker.onlooker.taken(calibrating.runs());
    Ok(calibrating)
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
