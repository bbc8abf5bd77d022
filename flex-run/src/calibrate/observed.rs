//! What runs of a test showed, whoever asked for them: how they ended, and what declared sites saw.

use flex_core::sample::Extremes;
use flex_core::sorted::{SortedMap, SortedSet, sort_runs};

use super::process::Recorded;
use super::repeat::MadeRun;
use super::settings::CalibrationError;
use crate::model::{
    FirstStack, Inconclusive, MOST_CASES, Place, Probe, ProcessRecord, Site, SiteKey, Test,
    too_many_cases,
};

/// What the runs of one test showed so far. The values of learned sites are for a calibration, which keeps them itself.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The test.
    pub test: Test,
    /// The sites, by key.
    pub sites: SortedMap<SiteKey, Site>,
    /// What declared sites saw, by key.
    pub declared: SortedMap<SiteKey, DeclaredLog>,
    /// Runs that failed by themselves, with why.
    pub failures: SortedMap<u32, String>,
    /// Runs that tell nothing of the code, with why.
    pub inconclusive: SortedMap<u32, String>,
    /// The runs of each process, in the order in which it made them; without those that ended it.
    pub processes: Vec<Vec<u32>>,
    /// Whether any run drew a random number.
    pub drew: bool,
    /// What the runs touched that can differ, as far as anybody watched.
    pub probe: Option<Probe>,
    /// Where they touched it first, as addresses.
    pub stacks: Vec<FirstStack>,
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
            sites: SortedMap::new(),
            declared: SortedMap::new(),
            failures: SortedMap::new(),
            inconclusive: SortedMap::new(),
            processes: Vec::new(),
            drew: false,
            probe: None,
            stacks: Vec::new(),
            seconds: 0.0,
            timed_runs: 0,
        }
    }

    /// Takes what a part of the runs showed.
    #[inline]
    pub fn take(&mut self, recorded: &Recorded) -> Result<(), CalibrationError> {
        for record in &recorded.records {
            self.take_record(record)?;
        }
        self.take_deaths(recorded);
        Ok(())
    }

    /// Takes the runs that ended their process.
    pub(super) fn take_deaths(&mut self, recorded: &Recorded) {
        for (run, how) in recorded.deaths.iter().chain(&recorded.vanished) {
            self.failures.insert(*run, how.clone());
        }
    }

    /// Takes what the runs of one process showed.
    pub(super) fn take_record(&mut self, record: &ProcessRecord) -> Result<(), CalibrationError> {
        if !record.mistakes.is_empty() {
            return Err(CalibrationError::Test(record.mistakes.clone()));
        }
        let keys: Vec<SiteKey> = record.sites.iter().map(Site::key).collect();
        for (key, site) in keys.iter().zip(&record.sites) {
            if !self.sites.contains(key) {
                self.sites.insert(key.clone(), site.clone());
            }
        }
        self.check_cases()?;
        let mut runs = Vec::new();
        for (run, hits) in record.runs() {
            for hit in hits {
                let key = &keys[hit.site as usize];
                if key.is_declared {
                    let log = self
                        .declared
                        .get_or_insert(key.clone(), DeclaredLog::default());
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
        for (run, why) in &record.inconclusive {
            self.inconclusive.insert(*run, why.clone());
        }
        if let Some(probe) = &record.probe {
            self.probe.get_or_insert_default().absorb(probe);
            self.stacks.extend_from_slice(&record.stacks);
        }
        if let Some(took) = record.took {
            self.seconds += took.as_secs_f64();
            self.timed_runs += runs.len() + record.inconclusive.len();
        }
        self.processes.push(runs);
        Ok(())
    }

    /// Each process sees to it that a test has not too many cases; together they may have seen more.
    fn check_cases(&self) -> Result<(), CalibrationError> {
        let mut sites_at: SortedMap<&Place, usize> = SortedMap::new();
        for (_, site) in self.sites.entries() {
            *sites_at.get_or_insert(&site.place, 0) += 1;
        }
        let mut sites_at = sites_at.entries().iter();
        match sites_at.find(|(_, sites)| *sites > MOST_CASES) {
            Some((place, _)) => {
                let site = format!("the assertion at {place}");
                Err(CalibrationError::Test(vec![too_many_cases(&site)]))
            }
            None => Ok(()),
        }
    }

    /// All runs, also those that ended their process, in ascending order.
    pub fn runs(&self) -> Vec<u32> {
        let mut runs = self.processes.concat();
        runs.extend(self.failures.entries().iter().map(|(run, _)| *run));
        sort_runs(&mut runs);
        runs.dedup();
        runs
    }

    /// Runs that tell nothing, of all that were made.
    pub fn inconclusive(&self) -> Inconclusive {
        let mut inconclusive = Inconclusive {
            of: (self.runs().len() + self.inconclusive.entries().len()) as u32,
            ..Inconclusive::default()
        };
        for (_, why) in self.inconclusive.entries() {
            inconclusive.take(why);
        }
        inconclusive
    }

    /// The runs that did not end their process, by process.
    pub fn made_runs(&self) -> Vec<MadeRun> {
        let is_soft = |key: &SiteKey| self.sites.get(key).is_some_and(|site| !site.is_hard);
        let mut broken = SortedSet::new();
        for (key, log) in self.declared.entries() {
            if is_soft(key) {
                for run in &log.broken {
                    broken.insert(*run);
                }
            }
        }
        let mut made = Vec::new();
        for (process, runs) in self.processes.iter().enumerate() {
            for &index in runs {
                made.push(MadeRun {
                    index,
                    process,
                    failed: self.failures.contains(&index) || broken.contains(&index),
                });
            }
        }
        made
    }

    /// Whether a site of the test measures time.
    pub fn measures_time(&self) -> bool {
        self.sites.entries().iter().any(|(_, site)| site.is_time)
    }

    /// Whether this site measures time.
    pub fn is_time(&self, key: &SiteKey) -> bool {
        self.sites.get(key).is_some_and(|site| site.is_time)
    }

    /// The mean duration of a run.
    pub fn seconds_per_run(&self) -> f64 {
        self.seconds / self.timed_runs.max(1) as f64
    }
}
