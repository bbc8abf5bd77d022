//! Shards that are put together, for Python.

use std::borrow::Cow;
use std::path::PathBuf;

use flex_run::calibrate::CalibrationSettings;
use flex_run::model::{ProcessRecord, Runner, Site};
use flex_run::store::Store;
use flex_run::wire;
use flex_shard::calibrate::{MergedTest, Wanted, calibrate};
use flex_shard::file::{ShardContent, ShardKind};
use flex_shard::folder;
use flex_shard::report::{
    Kinds, Missing, conflicts_as_warning, conflicts_in_words, kinds_in_words, missing_in_words,
    plan_for,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::calibration::{CalibrationOutcome, SuitePlan};
use crate::environment::Environment;
use crate::history::History;
use crate::record::RecordBuilder;
use crate::searched::{Searched, key};

/// What shards showed.
#[pyclass]
#[derive(Debug)]
pub struct Shards {
    shards: folder::Shards,
    kinds: Kinds,
    missing: Vec<Missing>,
    /// What is to be said of runs that were not the same twice.
    conflicts: Vec<String>,
    has_findings: bool,
}

#[pymethods]
impl Shards {
    /// Reads the shards of these folders; a `ValueError` says what is wrong with them.
    #[new]
    fn new(folders: Vec<PathBuf>) -> PyResult<Self> {
        let shards = folder::Shards::read(&folders).map_err(wrong)?;
        Ok(Shards {
            shards,
            kinds: Kinds::default(),
            missing: Vec::new(),
            conflicts: Vec::new(),
            has_findings: false,
        })
    }

    /// The base seed.
    #[getter]
    fn base(&self) -> &str {
        &self.shards.header().base
    }

    /// What decides the seeds of the runs, besides the base.
    #[getter]
    fn phase(&self) -> &str {
        &self.shards.header().phase
    }

    /// The command that made them.
    #[getter]
    fn command(&self) -> &str {
        &self.shards.header().command
    }

    /// Whether runs of the last calibration were replayed, and show that a test is unchanged.
    #[pyo3(signature = (name, environment, bounds_file, runs=None))]
    fn is_unchanged(
        &self,
        name: &str,
        environment: &Environment,
        bounds_file: PathBuf,
        runs: Option<u32>,
    ) -> bool {
        let Ok(file) = Store::at(bounds_file).read() else {
            return false;
        };
        let settings = CalibrationSettings {
            runs,
            variant: environment.settings.variant.clone(),
            ..CalibrationSettings::default()
        };
        let id = flex_run::model::TestId::pytest(name);
        let Some(replay) = flex_run::calibrate::ReplayFirst::of(&file, &id, &settings) else {
            return false;
        };
        let replayed = self
            .shards
            .found(&key(name), |kind| matches!(kind, ShardKind::Replay(_)));
        replayed.unwrap_or_default().into_iter().any(|found| {
            let of_base =
                matches!(&found.frame.kind, ShardKind::Replay(base) if base == replay.base());
            let ShardContent::Recorded(recorded) = &found.frame.content else {
                return false;
            };
            let mut records = recorded.records.iter();
            of_base && records.any(|record| replay.is_answered_by(record))
        })
    }

    /// All sites of a test, as the record of a process that made no run; `None` if no shard knows it.
    fn look(&self, name: &str) -> PyResult<Option<Cow<'static, [u8]>>> {
        let answers = self.shards.answers(&key(name)).map_err(unread)?;
        let Some(first) = answers.first() else {
            return Ok(None);
        };
        let mut sites: Vec<Site> = Vec::new();
        let parts = answers.union.parts.iter();
        for record in parts.flat_map(|part| &part.recorded.records) {
            for site in &record.sites {
                if !sites.iter().any(|known| known.key() == site.key()) {
                    sites.push(site.clone());
                }
            }
        }
        let mut record = first.without_runs();
        record.sites = sites;
        Ok(Some(Cow::Owned(wire::bytes_of(&record, |_| {}))))
    }

    /// Calibrates a test; `None` if more runs are needed, which is noted.
    #[pyo3(signature = (name, *, runs=None, max_runs=None, accept=false, check=false, full=false, variant=None, plan=None, same=false, history=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn calibrate(
        &mut self,
        name: &str,
        runs: Option<u32>,
        max_runs: Option<u32>,
        accept: bool,
        check: bool,
        full: bool,
        variant: Option<String>,
        plan: Option<&SuitePlan>,
        same: bool,
        history: Option<&History>,
    ) -> PyResult<Option<CalibrationOutcome>> {
        let key = key(name);
        let answers = self.shards.answers(&key).map_err(unread)?;
        let header = self.shards.header();
        let test = answers.first().map(|first| first.test.id.clone());
        let known = variant.clone();
        let settings = CalibrationSettings {
            pool: history.map(|history| history.source(known)),
            shares: plan.and_then(|plan| plan.shares(&test?)),
            runs: runs.or(header.runs),
            max_runs: max_runs.or(header.max_runs),
            base: header.base.clone(),
            full,
            accept,
            check,
            variant,
            alone: true,
            ..CalibrationSettings::default()
        };
        let merged = calibrate(&answers, &settings, Runner::Pytest);
        self.kinds.add(&key, &answers);
        self.has_findings |= !answers.union.conflicts.is_empty();
        self.conflicts
            .extend(conflicts_in_words(name, &answers.union.conflicts));
        match merged.map_err(|error| PyValueError::new_err(error.to_string()))? {
            MergedTest::Done(mut calibration) => {
                calibration.is_same = same;
                Ok(Some(CalibrationOutcome::of(*calibration)))
            }
            MergedTest::Wants(wanted) => {
                let seconds = answers.first().and_then(ProcessRecord::seconds_per_run);
                self.missing.push(Missing {
                    key,
                    wanted,
                    seconds_per_run: seconds.unwrap_or(0.0),
                });
                Ok(None)
            }
        }
    }

    /// Adds what the search of a test showed to a record, and returns whether any shard made it. A run that was not the same
    /// twice is a finding at most if the search is judged.
    fn searched(
        &mut self,
        name: &str,
        record: &mut RecordBuilder,
        is_judged: bool,
    ) -> PyResult<bool> {
        let key = key(name);
        let found = self
            .shards
            .found(&key, |kind| matches!(kind, ShardKind::Runs));
        let searched = Searched::of(found.map_err(unread)?);
        let searched = searched.map_err(|error| wrong(format!("{name}: {error}")))?;
        let mut conflicts = searched.conflicts;
        let words = if is_judged && !searched.otherwise.is_empty() {
            self.has_findings = true;
            conflicts.retain(|conflict| searched.otherwise.contains(&conflict.run));
            conflicts_in_words(name, &conflicts)
        } else {
            conflicts_as_warning(name, &conflicts)
        };
        self.conflicts.extend(words);
        self.kinds.agreed += searched.agreed;
        let between = searched.between.into_iter().rev();
        let most = between.max_by(|a, b| a.size().total_cmp(&b.size()));
        self.kinds.differing.extend(most.map(|most| (key, most)));
        let is_there = searched.test.is_some();
        searched
            .test
            .into_iter()
            .for_each(|test| record.insert(test));
        Ok(is_there)
    }

    /// Notes that nothing is known of these tests.
    fn miss(&mut self, names: Vec<String>) {
        let missing = names.iter().map(|name| Missing {
            key: key(name),
            wanted: Wanted {
                all: true,
                ..Wanted::default()
            },
            seconds_per_run: 0.0,
        });
        self.missing.extend(missing);
    }

    /// What is to be said of kinds of machines and of runs that were not the same twice.
    fn warnings(&self) -> Vec<String> {
        let mut lines = kinds_in_words(&self.shards, &self.kinds);
        lines.extend(self.conflicts.iter().cloned());
        lines
    }

    /// Whether somebody must look at a run that was not the same twice.
    #[getter]
    fn has_findings(&self) -> bool {
        self.has_findings
    }

    /// Writes the plan of a further round, and returns what is to be said of it; nothing if no run is missing.
    fn plan(&self, path: PathBuf) -> PyResult<Vec<String>> {
        if self.missing.is_empty() {
            return Ok(Vec::new());
        }
        let plan = plan_for(&self.shards, &self.missing);
        plan.write(&path).map_err(unread)?;
        Ok(missing_in_words(
            &self.shards,
            &plan,
            &path.display().to_string(),
        ))
    }
}

fn unread(error: std::io::Error) -> PyErr {
    PyOSError::new_err(error.to_string())
}

fn wrong(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}
