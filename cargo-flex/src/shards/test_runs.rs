//! The runs of one test that are known before they are made, and the writing down of those that are.

use std::path::Path;

use flex_run::calibrate::{CalibrationError, Recorded};
use flex_run::model::{ProcessRecord, Site};
use flex_shard::TestKey;
use flex_shard::answers::Answers;
use flex_shard::calibrate::Wanted;
use flex_shard::file::{Frame, ShardContent, ShardKind};

use super::source::Source;

/// The runs of one test, in one of two versions if it is compared.
pub struct TestRuns<'a> {
    key: TestKey,
    source: &'a Source,
    known: Option<Answers>,
    exe: &'a Path,
    /// Whether nothing runs beside it.
    alone: bool,
}

impl<'a> TestRuns<'a> {
    /// The runs of the test with this key, which this program runs.
    pub fn new(
        source: &'a Source,
        key: TestKey,
        exe: &'a Path,
        alone: bool,
    ) -> Result<Self, CalibrationError> {
        Ok(TestRuns {
            known: source.answers(&key)?,
            key,
            source,
            exe,
            alone,
        })
    }

    /// Whether runs can be made that nobody made before.
    pub fn makes_runs(&self) -> bool {
        self.source.makes_runs()
    }

    /// Whether what they show is written down.
    pub fn are_kept(&self) -> bool {
        matches!(self.source, Source::Shard(_))
    }

    /// What these runs show; `None` if they are to be made. It is an error, and noted, if they cannot be.
    pub fn known(
        &self,
        runs: &[u32],
        until_fixed: bool,
    ) -> Result<Option<Recorded>, CalibrationError> {
        let Some(known) = &self.known else {
            return Ok(None);
        };
        match known.recorded(runs, until_fixed) {
            Ok(recorded) => Ok(Some(recorded)),
            Err(_) if self.makes_runs() => Ok(None),
            Err(runs) => Err(self.miss(Wanted {
                all: known.is_empty(),
                runs: match known.is_empty() {
                    true => Vec::new(),
                    false => runs,
                },
                ..Wanted::default()
            })),
        }
    }

    /// The same of runs that are made once more, in this order, in a process of their own. Without runs, it says nothing:
    /// another kind of machine made them before and saw otherwise.
    pub fn known_again(&self, order: &[u32]) -> Result<Option<ProcessRecord>, CalibrationError> {
        let Some(known) = &self.known else {
            return Ok(None);
        };
        match known.repeated_or_nothing(order) {
            Some(record) => Ok(Some(record)),
            None if self.makes_runs() => Ok(None),
            None => Err(self.miss(Wanted {
                repeat: Some(known.asked_as(order)),
                ..Wanted::default()
            })),
        }
    }

    fn miss(&self, wanted: Wanted) -> CalibrationError {
        if let Source::Shards(playing) = self.source {
            let first = self.known.as_ref().and_then(Answers::first);
            let seconds = first.and_then(ProcessRecord::seconds_per_run);
            playing.miss(&self.key, wanted, seconds.unwrap_or(0.0));
        }
        CalibrationError::NotMade
    }

    /// Writes down what runs showed that were made, if this is a shard.
    pub fn keep(
        &self,
        kind: ShardKind,
        mut recorded: Recorded,
    ) -> Result<Recorded, CalibrationError> {
        let Source::Shard(keeping) = self.source else {
            return Ok(recorded);
        };
        let is_time = |site: &Site| site.is_time;
        let mut sites = recorded.records.iter().flat_map(|record| &record.sites);
        if !self.alone && sites.any(is_time) {
            return Err(CalibrationError::NotAlone);
        }
        for record in &mut recorded.records {
            let stacks = std::mem::take(&mut record.stacks);
            if let Some(probe) = &mut record.probe {
                *probe = keeping.places.located(self.exe, probe, &stacks);
            }
        }
        let frame = Frame {
            test: self.key.clone(),
            kind,
            content: ShardContent::Recorded(recorded),
        };
        keeping.write(&frame)?;
        match frame.content {
            ShardContent::Recorded(recorded) => Ok(recorded),
            ShardContent::Text(_) => unreachable!("it was made above"),
        }
    }
}
