//! A calibration as a machine without IO: what runs showed goes in, and which runs are wanted next comes out.
//!
//! Whoever makes the runs asks for the [`Next`] step until there is an outcome. After the runs that the bounds are
//! learned from, a few of them are wanted again, in another process, to see whether they depend on their seed alone.

use flex_core::calibration::{Calibrated, Step};

use super::checks;
use super::collector::Collector;
use super::outcome::{TestCalibration, outcome};
use super::process::Recorded;
use super::settings::{CalibrationError, CalibrationSettings, plan};
use crate::model::ProcessRecord;

/// The calibration of one test.
#[derive(Debug)]
pub struct Calibrating {
    collector: Collector,
    settings: CalibrationSettings,
    calibrated: Option<Calibrated>,
    /// What was repeated so far, in the order of the questions.
    repeated: Vec<ProcessRecord>,
}

/// What a calibration needs.
#[derive(Debug)]
pub enum Next {
    /// These runs.
    Collect(Vec<u32>),
    /// These runs again, in this order, in one process of their own.
    Repeat(Vec<u32>),
    /// Nothing more.
    Done(Box<TestCalibration>),
}

impl Calibrating {
    /// The calibration of a test whose first runs have been made.
    pub fn new(
        first: &ProcessRecord,
        settings: &CalibrationSettings,
    ) -> Result<Self, CalibrationError> {
        Ok(Calibrating {
            collector: Collector::new(
                plan(first, settings)?,
                settings.shares.clone(),
                first.test.clone(),
            ),
            settings: settings.clone(),
            calibrated: None,
            repeated: Vec::new(),
        })
    }

    /// Takes what runs showed that one process made.
    pub fn take(&mut self, record: &ProcessRecord) -> Result<(), CalibrationError> {
        self.collector.take_record(record)
    }

    pub(super) fn take_all(&mut self, recorded: &Recorded) -> Result<(), CalibrationError> {
        self.collector.take(recorded)
    }

    /// Takes what the runs showed that were wanted again.
    pub fn take_repeated(&mut self, record: ProcessRecord) {
        self.repeated.push(record);
    }

    /// No more runs will come, except those that are repeated.
    pub fn out_of_time(&mut self) {
        self.collector.out_of_time();
    }

    /// Seconds that a run takes.
    pub fn seconds_per_run(&self) -> f64 {
        self.collector.observed.seconds_per_run()
    }

    /// What to do next.
    pub fn step(&mut self) -> Result<Next, CalibrationError> {
        if self.calibrated.is_none() {
            if self.collector.observed.measures_time() && !self.settings.alone {
                return Err(CalibrationError::NotAlone);
            }
            match self.collector.step()? {
                Step::Collect(_) => return Ok(Next::Collect(self.collector.wanted())),
                Step::Done(calibrated) if calibrated.runs == 0 => {
                    return Err(CalibrationError::NoTime);
                }
                Step::Done(calibrated) => self.calibrated = Some(calibrated),
            }
        }
        let Some(calibrated) = &self.calibrated else {
            return Err(CalibrationError::NoTime);
        };
        // The questions follow from the answers, so that asking again comes to the first that has none yet.
        let mut answers = self.repeated.iter();
        let checked = checks::check(&self.collector, calibrated, |runs| {
            answers.next().cloned().ok_or_else(|| runs.to_vec())
        });
        let checked = match checked {
            Ok(checked) => checked,
            Err(unanswered) => return Ok(Next::Repeat(unanswered)),
        };
        // What cannot be replayed has other guards, for the same runs.
        self.collector.set_uncontrolled(&checked.irreproducible);
        let calibrated = match self.collector.step()? {
            Step::Done(calibrated) => calibrated,
            Step::Collect(_) => return Ok(Next::Collect(self.collector.wanted())),
        };
        Ok(Next::Done(Box::new(outcome(
            &self.collector,
            &calibrated,
            checked,
            &self.settings,
        ))))
    }
}
