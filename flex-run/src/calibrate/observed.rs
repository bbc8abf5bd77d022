//! What runs of a test showed, whoever asked for them: how they ended, and what declared sites saw.

use std::collections::{BTreeMap, BTreeSet};

use flex_core::sample::Extremes;

use super::CalibrationError;
use super::process::Recorded;
use crate::model::{MOST_CASES, Place, ProcessRecord, Site, SiteKey, Test, too_many_cases};

/// What the runs of one test showed so far. The values of learned sites are for a calibration, which keeps them itself.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The test.
    pub test: Test,
    /// The sites, by key.
    pub sites: BTreeMap<SiteKey, Site>,
    /// What declared sites saw, by key.
    pub declared: BTreeMap<SiteKey, DeclaredLog>,
    /// Runs that failed by themselves, with why.
    pub failures: BTreeMap<u32, String>,
    /// The runs of each process, in the order in which it made them; without those that ended it.
    pub processes: Vec<Vec<u32>>,
    /// Whether any run drew a random number.
    pub drew: bool,
    seconds: f64,
    timed_runs: usize,
}

/// What a declared site saw.
#[derive(Debug, Clone, Default)]
pub struct DeclaredLog {
    /// The most extreme values of each run.
    pub hits: Vec<(u32, Extremes)>,
    /// Runs that broke the bound.
    pub broken: Vec<u32>,
}

impl Observed {
    /// Nothing yet.
    pub fn new(test: Test) -> Self {
        Observed {
            test,
            sites: BTreeMap::new(),
            declared: BTreeMap::new(),
            failures: BTreeMap::new(),
            processes: Vec::new(),
            drew: false,
            seconds: 0.0,
            timed_runs: 0,
        }
    }

    /// Takes what a part of the runs showed.
    pub fn take(&mut self, recorded: &Recorded) -> Result<(), CalibrationError> {
        for record in &recorded.records {
            self.take_record(record)?;
        }
        self.take_deaths(recorded);
        Ok(())
    }

    /// Takes the runs that ended their process.
    pub(super) fn take_deaths(&mut self, recorded: &Recorded) {
        let died = recorded.deaths.iter().chain(&recorded.vanished);
        self.failures
            .extend(died.map(|(run, how)| (*run, how.clone())));
    }

    /// Takes what the runs of one process showed.
    pub(super) fn take_record(&mut self, record: &ProcessRecord) -> Result<(), CalibrationError> {
        if !record.mistakes.is_empty() {
            return Err(CalibrationError::Test(record.mistakes.clone()));
        }
        let keys: Vec<SiteKey> = record.sites.iter().map(Site::key).collect();
        for (key, site) in keys.iter().zip(&record.sites) {
            if !self.sites.contains_key(key) {
                self.sites.insert(key.clone(), site.clone());
            }
        }
        self.check_cases()?;
        let mut runs = Vec::new();
        for (run, hits) in record.runs() {
            for hit in hits {
                let key = &keys[hit.site as usize];
                if key.is_declared {
                    let log = self.declared.entry(key.clone()).or_default();
                    log.hits.push((run.index, hit.extremes));
                    if hit.broken {
                        log.broken.push(run.index);
                    }
                }
            }
            if let Some(failure) = &run.failure {
                self.failures.insert(run.index, failure.clone());
            }
            self.drew |= run.drew;
            runs.push(run.index);
        }
        if let Some(took) = record.took {
            self.seconds += took.as_secs_f64();
            self.timed_runs += runs.len();
        }
        self.processes.push(runs);
        Ok(())
    }

    /// Each process sees to it that a test has not too many cases; together they may have seen more.
    fn check_cases(&self) -> Result<(), CalibrationError> {
        let mut sites_at: BTreeMap<&Place, usize> = BTreeMap::new();
        for site in self.sites.values() {
            *sites_at.entry(&site.place).or_default() += 1;
        }
        match sites_at.into_iter().find(|(_, sites)| *sites > MOST_CASES) {
            Some((place, _)) => {
                let site = format!("the assertion at {place}");
                Err(CalibrationError::Test(vec![too_many_cases(&site)]))
            }
            None => Ok(()),
        }
    }

    /// All runs, also those that ended their process.
    pub fn runs(&self) -> BTreeSet<u32> {
        let made = self.processes.iter().flatten();
        made.chain(self.failures.keys()).copied().collect()
    }

    /// Whether a site of the test measures time.
    pub fn measures_time(&self) -> bool {
        self.sites.values().any(|site| site.is_time)
    }

    /// The mean duration of a run.
    pub fn seconds_per_run(&self) -> f64 {
        self.seconds / self.timed_runs.max(1) as f64
    }
}
