//! What all processes of a calibration showed, put together by run index.

use std::collections::BTreeMap;

use flex_core::bounds_file::Entry;
use flex_core::calibration::{
    Calibrated, Calibration, CalibrationPlan, SiteSpec, Step, SuiteShares,
};
use flex_core::sample::Extremes;

use super::CalibrationError;
use super::process::Recorded;
use crate::judge::site_name;
use crate::record::Shard;
use crate::run_record::{Kind, MOST_CASES, SiteRecord, too_many_cases};
use crate::test_record::TestRecord;

/// Everything known about a test so far.
#[derive(Debug)]
pub(super) struct Collector {
    pub test: TestRecord,
    pub plan: CalibrationPlan,
    calibration: Calibration,
    /// The sites, by key.
    pub sites: BTreeMap<String, SiteRecord>,
    /// What declared sites saw, by key.
    pub declared: BTreeMap<String, DeclaredLog>,
    /// Runs that failed by themselves, with why.
    pub failures: BTreeMap<u32, String>,
    /// The runs of each process, in the order in which it made them.
    pub processes: Vec<Vec<u32>>,
    /// Whether any run drew a random number.
    pub drew: bool,
    seconds: f64,
    timed_runs: usize,
    pub ran_out_of_time: bool,
}

/// What a declared site saw.
#[derive(Debug, Default)]
pub(super) struct DeclaredLog {
    pub hits: Vec<(u32, Extremes)>,
    /// Runs that broke the bound.
    pub broken: Vec<u32>,
}

/// Separates the id from the case in the key of a site.
const CASE: char = '\u{1f}';

/// The id and the case of a site from its key.
pub(super) fn id_and_case(key: &str) -> (&str, Option<&str>) {
    match key.split_once(CASE) {
        Some((id, case)) => (id, Some(case)),
        None => (key, None),
    }
}

/// The keys of the sites of a shard.
pub(super) fn keys_of(shard: &Shard) -> Vec<String> {
    shard.sites.iter().map(key_of).collect()
}

/// The key of the site that an entry is for.
pub(super) fn key_of_entry(entry: &Entry) -> String {
    with_case(&entry.key.site, entry.key.case.as_deref())
}

fn with_case(id: &str, case: Option<&str>) -> String {
    match case {
        Some(case) => format!("{id}{CASE}{case}"),
        None => id.to_owned(),
    }
}

/// The key of a site.
pub(super) fn key_of(site: &SiteRecord) -> String {
    let mut key = with_case(&site.id, site.case.as_deref());
    // A declared site may have the text of a learned one: `0.0 < x < _` is both.
    if let Kind::Declared(_) = site.kind {
        key += DECLARED;
    }
    key
}

impl Collector {
    pub fn new(plan: CalibrationPlan, suite: Option<SuiteShares>, test: TestRecord) -> Self {
        Collector {
            test,
            plan,
            calibration: match suite {
                Some(shares) => Calibration::in_suite(plan, shares),
                None => Calibration::new(plan),
            },
            sites: BTreeMap::new(),
            declared: BTreeMap::new(),
            failures: BTreeMap::new(),
            processes: Vec::new(),
            drew: false,
            seconds: 0.0,
            timed_runs: 0,
            ran_out_of_time: false,
        }
    }

    /// Takes what a part of the runs showed.
    pub fn take(&mut self, recorded: &Recorded) -> Result<(), CalibrationError> {
        for shard in &recorded.shards {
            self.take_shard(shard)?;
        }
        for (run, how) in &recorded.deaths {
            self.died(*run, how)?;
        }
        if let Some((run, how)) = &recorded.vanished {
            self.failures.insert(*run, how.clone());
        }
        Ok(())
    }

    /// Takes a run that ended its process, with how.
    pub fn died(&mut self, run: u32, how: &str) -> Result<(), CalibrationError> {
        self.push(run, true, &[])?;
        self.failures.insert(run, how.to_owned());
        Ok(())
    }

    /// Takes what the runs of one process showed.
    pub fn take_shard(&mut self, shard: &Shard) -> Result<(), CalibrationError> {
        if !shard.mistakes.is_empty() {
            return Err(CalibrationError::Test(shard.mistakes.clone()));
        }
        let keys = keys_of(shard);
        for (key, site) in keys.iter().zip(&shard.sites) {
            if !self.sites.contains_key(key) {
                self.sites.insert(key.clone(), site.clone());
            }
        }
        self.check_cases()?;
        let mut learned: Vec<(&str, SiteSpec, Extremes)> = Vec::new();
        let mut runs = Vec::new();
        for (run, hits) in shard.runs() {
            learned.clear();
            for hit in hits {
                let key = keys[hit.site].as_str();
                match shard.sites[hit.site].kind {
                    Kind::Learned(spec) => learned.push((key, spec, hit.extremes)),
                    Kind::Declared(_) => {
                        let log = self.declared.entry(key.to_owned()).or_default();
                        log.hits.push((run.index, hit.extremes));
                        if hit.broken {
                            log.broken.push(run.index);
                        }
                    }
                }
            }
            self.push(run.index, run.failure.is_some(), &learned)?;
            if let Some(failure) = &run.failure {
                self.failures.insert(run.index, failure.clone());
            }
            self.drew |= run.drew;
            runs.push(run.index);
        }
        if let Some(took) = shard.took {
            self.seconds += took.as_secs_f64();
            self.timed_runs += runs.len();
        }
        self.processes.push(runs);
        Ok(())
    }

    /// Each process sees to it that a test has not too many cases; together they may have seen more.
    fn check_cases(&self) -> Result<(), CalibrationError> {
        let mut sites_at: BTreeMap<&str, usize> = BTreeMap::new();
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

    fn push(
        &mut self,
        run: u32,
        failed: bool,
        hits: &[(&str, SiteSpec, Extremes)],
    ) -> Result<(), CalibrationError> {
        self.calibration
            .push_folded(run, failed, hits)
            .map_err(|error| CalibrationError::Test(vec![error.to_string()]))
    }

    /// What to do next.
    pub fn step(&mut self) -> Result<Step, CalibrationError> {
        self.calibration
            .step()
            .map_err(|error| CalibrationError::Test(vec![error.to_string()]))
    }

    /// The runs that are missing.
    pub fn wanted(&self) -> Vec<u32> {
        self.calibration.wanted().collect()
    }

    /// No more runs will come.
    pub fn out_of_time(&mut self) {
        self.ran_out_of_time = true;
        self.calibration.out_of_time();
    }

    /// Whether a site of the test measures time.
    pub fn measures_time(&self) -> bool {
        self.sites.values().any(|site| site.is_time)
    }

    /// The mean duration of a run.
    pub fn seconds_per_run(&self) -> f64 {
        self.seconds / self.timed_runs.max(1) as f64
    }

    /// What every site saw, declared ones too, by key.
    pub fn samples(&self) -> impl Iterator<Item = (&str, &[(u32, Extremes)])> {
        let declared = self
            .declared
            .iter()
            .map(|(key, log)| (key.as_str(), log.hits.as_slice()));
        self.calibration.samples().chain(declared)
    }

    /// The runs that a process made up to this one, which is the last.
    pub fn until(&self, run: u32) -> Vec<u32> {
        let up_to = |process: &Vec<u32>| {
            let place = process.iter().position(|other| *other == run)?;
            Some(process[..=place].to_vec())
        };
        self.processes
            .iter()
            .find_map(up_to)
            .unwrap_or_else(|| vec![run])
    }

    /// Whether no value has varied.
    pub fn is_constant(&self, calibrated: &Calibrated) -> bool {
        let constant = |hits: &[(u32, Extremes)]| {
            let same = |a: &(u32, Extremes), b: &(u32, Extremes)| same_value(a.1, b.1);
            hits.windows(2).all(|pair| same(&pair[0], &pair[1]))
                && hits.len() == calibrated.runs as usize
        };
        let failures = self.failures.len();
        (failures == 0 || failures == calibrated.runs as usize)
            && self.samples().all(|(_, hits)| constant(hits))
    }
}

const DECLARED: &str = "\u{1e}declared";

/// A site for people, by its key.
pub(super) fn name_of(key: &str) -> String {
    let (id, case) = id_and_case(key.strip_suffix(DECLARED).unwrap_or(key));
    site_name(id, case)
}

/// Whether two runs saw the same; a NaN is like any other.
pub(super) fn same_value(a: Extremes, b: Extremes) -> bool {
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    same(a.least, b.least) && same(a.greatest, b.greatest)
}
