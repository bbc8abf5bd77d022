//! The runs of an annotated test, made by processes here or known from shards.

use std::ops::Range;

use flex_run::calibrate::{CalibrationError, Recorded, Worker};
use flex_run::model::ProcessRecord;
use flex_shard::file::ShardKind;

use super::test_runs::TestRuns;

/// The runs of an annotated test, whoever makes them. They are asked for as a [`Worker`] is.
pub struct Runs<'a> {
    worker: Worker<'a>,
    runs: TestRuns<'a>,
}

impl<'a> Runs<'a> {
    /// Runs that this worker makes if nobody else did.
    pub fn new(worker: Worker<'a>, runs: TestRuns<'a>) -> Self {
        Runs { worker, runs }
    }

    /// Whoever wants to know how far they are, and when they are to end.
    pub fn worker(&self) -> &Worker<'a> {
        &self.worker
    }

    /// Whether no further run is to begin.
    pub fn time_is_up(&self) -> bool {
        let is_over = || self.worker.time_is_up() || self.worker.gate.is_closed();
        self.runs.makes_runs() && is_over()
    }

    /// The first runs; `until_fixed`, a single one if that touches nothing that could differ.
    pub fn record_first(&self, runs: u32, until_fixed: bool) -> Result<Recorded, CalibrationError> {
        self.known_or(0..runs, until_fixed, || {
            self.worker.record_first(runs, None, until_fixed)
        })
    }

    /// These runs, of one process if none ends it.
    pub fn record(&self, runs: Range<u32>) -> Result<Recorded, CalibrationError> {
        self.known_or(runs.clone(), false, || self.worker.record(runs))
    }

    fn known_or(
        &self,
        runs: Range<u32>,
        until_fixed: bool,
        make: impl FnOnce() -> Result<Recorded, CalibrationError>,
    ) -> Result<Recorded, CalibrationError> {
        let runs: Vec<u32> = runs.collect();
        match self.runs.known(&runs, until_fixed)? {
            Some(known) => Ok(known),
            None => self.runs.keep(ShardKind::Runs, make()?),
        }
    }

    /// The runs of each part, each of a process of its own; made beside each other if they may overlap in time.
    pub fn record_all(
        &self,
        parts: Vec<Range<u32>>,
        overlap: bool,
    ) -> Result<Vec<Recorded>, CalibrationError> {
        let (mut all, mut open) = (Vec::new(), Vec::new());
        for part in parts {
            let runs: Vec<u32> = part.clone().collect();
            match self.runs.known(&runs, false)? {
                Some(known) => all.push(known),
                None => open.push(part),
            }
        }
        if !open.is_empty() {
            for made in self.worker.record_all(open, overlap)? {
                all.push(self.runs.keep(ShardKind::Runs, made)?);
            }
        }
        Ok(all)
    }

    /// These runs once more, in this order, in one process of their own; with time enough for that, if a run takes so long.
    pub fn repeat(
        &self,
        runs: &[u32],
        patience: Option<f64>,
    ) -> Result<ProcessRecord, CalibrationError> {
        if let Some(known) = self.runs.known_again(runs)? {
            return Ok(known);
        }
        let worker = match patience {
            Some(seconds_per_run) => self.worker.patient(runs, seconds_per_run),
            None => self.worker,
        };
        let record = worker.repeat(runs)?;
        let made = Recorded {
            hung: record.hung,
            records: vec![record],
            deaths: Vec::new(),
            vanished: None,
        };
        let kept = self.runs.keep(ShardKind::Repeat(runs.to_vec()), made)?;
        let mut records = kept.records.into_iter();
        Ok(records.next().expect("it holds what was put into it"))
    }
}
