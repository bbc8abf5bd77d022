//! What the runs of an annotated test showed, as a part of a record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use flex_core::sample::Extremes;
use flex_core::seed::Phase;
use flex_detect::record::{
    Given, Knob, ObservedRun, ObservedSite, ObservedTest, Outcome, Repeat, RepeatPlace, Role,
    Series,
};
use flex_run::calibrate::{DeclaredLog, Observed, name_of};
use flex_run::model::run::{Kind, SiteRecord};
use flex_run::model::site::{Distance, Ends};
use flex_run::model::test::{TestRecord, which_bounds};
use flex_run::project::env;
use flex_run::wire::{Shard, ShardHit, ShardRun};

use crate::cargo::{CargoArgs, Program};

/// Where source files are.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The folder of the workspace, which a record is relative to.
    pub root: &'a Path,
    /// The folder of the package.
    pub package: &'a Path,
}

impl Place<'_> {
    /// A file as the compiler names it: relative to the workspace, or for a package outside of it to the package.
    pub fn file(&self, compiled: &str) -> PathBuf {
        let outside = self.package.join(compiled);
        match !self.root.join(compiled).exists() && outside.exists() {
            true => outside,
            false => compiled.into(),
        }
    }

    /// File and line of a place like `tests/a.rs:12`.
    fn split(&self, place: &str) -> (PathBuf, u32) {
        let (file, line) = place.rsplit_once(':').unwrap_or((place, "0"));
        (self.file(file), line.parse().unwrap_or(0))
    }
}

/// What a command needs that repeats a run.
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    pub base: &'a str,
    pub phase: Phase,
    pub cargo: &'a CargoArgs,
}

impl Replay<'_> {
    /// What seeds are, up to the index of the run.
    pub fn seeds(&self) -> String {
        format!("{}@{}", self.base, self.phase)
    }

    /// The command for an annotated test.
    fn of_stochastic(&self, test: &TestRecord) -> String {
        // The profile is among what the test knows of itself.
        let options = self.cargo.repeated(false);
        format!(
            "{}={{seed}} {}cargo test {options}{}",
            env::SEED,
            which_bounds(),
            test.selection
        )
    }

    /// The command for a plain test whose entropy follows a seed.
    pub fn of_plain(&self, program: &Program, name: &str, ignored: bool) -> String {
        let (options, selection) = (self.cargo.repeated(true), &program.selection);
        let ignored = if ignored { " --include-ignored" } else { "" };
        format!(
            "{}={{seed}} cargo test {options}{selection} -- --exact{ignored} --test-threads=1 {name}",
            env::ENTROPY
        )
    }
}

/// A run that was made again in another process.
#[derive(Debug)]
pub struct Repeated {
    pub index: u32,
    pub outcome: Outcome,
    /// By the key of the site.
    pub values: Vec<(String, Extremes)>,
}

/// How a run ended: a site that is not hard fails it without stopping it.
pub fn outcome_of(shard: &Shard, run: &ShardRun, hits: &[ShardHit]) -> Outcome {
    let breaks = |hit: &ShardHit| hit.broken && !shard.sites[hit.site].is_hard;
    match run.failure.is_some() || hits.iter().any(breaks) {
        true => Outcome::Fail,
        false => Outcome::Pass,
    }
}

/// The record of a test.
pub fn observed_test(
    observed: &Observed,
    repeated: &[Repeated],
    place: Place<'_>,
    replay: Replay<'_>,
) -> ObservedTest {
    let sites = sites(observed);
    let (file, line) = place.split(&observed.test.place);
    ObservedTest {
        name: observed.test.name.clone(),
        package: observed.test.package.clone(),
        target: observed.test.target.clone(),
        file,
        line,
        span: None,
        is_stochastic: true,
        seeds: Some(replay.seeds()),
        replay: Some(replay.of_stochastic(&observed.test)),
        seconds_per_run: observed.seconds_per_run(),
        first_as_written: false,
        literal_seeds: Vec::new(),
        unseeded: Vec::new(),
        notes: Vec::new(),
        runs: runs(observed, &sites),
        repeats: repeated.iter().map(|run| repeat(run, &sites)).collect(),
        sites: sites.iter().map(|site| site.observed(place)).collect(),
    }
}

/// A declared site, with what it saw.
struct Declared<'a> {
    key: &'a str,
    site: &'a SiteRecord,
    log: &'a DeclaredLog,
    /// What can fail: whether it is the upper end, and the bound. What fails most comes first.
    ends: Vec<(bool, f64)>,
}

/// The declared sites, in the order of the source.
fn sites(observed: &Observed) -> Vec<Declared<'_>> {
    let declared = observed.declared.iter().filter_map(|(key, log)| {
        let site = observed.sites.get(key)?;
        let Kind::Declared(ends) = site.kind else {
            return None;
        };
        Some(Declared {
            key,
            site,
            log,
            ends: ordered(ends, log),
        })
    });
    let mut declared: Vec<Declared<'_>> = declared.collect();
    let place = |site: &Declared<'_>| {
        let (file, line) = site.site.place.rsplit_once(':').unwrap_or_default();
        (file.to_owned(), line.parse().unwrap_or(0u32))
    };
    declared.sort_by_key(place);
    declared
}

fn ordered(Ends { lower, upper }: Ends, log: &DeclaredLog) -> Vec<(bool, f64)> {
    let upper = upper.map(|bound| (true, bound));
    let lower = lower.map(|bound| (false, bound));
    let mut ends: Vec<(bool, f64)> = upper.into_iter().chain(lower).collect();
    let beyond = |(is_upper, bound): &(bool, f64)| {
        let hits = log.hits.iter().map(|(_, hit)| side(*hit, *is_upper));
        let beyond = hits.filter(|value| {
            if *is_upper {
                value > bound
            } else {
                value < bound
            }
        });
        std::cmp::Reverse(beyond.count())
    };
    ends.sort_by_key(beyond);
    ends
}

fn side(extremes: Extremes, is_upper: bool) -> f64 {
    match is_upper {
        true => extremes.greatest,
        false => extremes.least,
    }
}

impl Declared<'_> {
    fn observed(&self, place: Place<'_>) -> ObservedSite {
        let (file, line) = place.split(&self.site.place);
        let written = &self.site.written;
        ObservedSite {
            id: name_of(self.key),
            file,
            line,
            span: None,
            text: written.text.clone(),
            form: written.form.clone(),
            within: None,
            is_hard: self.site.is_hard,
            failed: self.log.broken.clone(),
            series: self.ends.iter().map(|end| self.series(*end)).collect(),
        }
    }

    fn series(&self, (is_upper, bound): (bool, f64)) -> Series {
        let is_margin = self.site.is_margin;
        let value = |(run, hit): &(u32, Extremes)| (*run, side(*hit, is_upper));
        Series {
            role: match self.site.written.distance {
                Some(Distance::Absolute) => Role::Absolute,
                Some(Distance::Relative) => Role::Relative,
                Some(Distance::Ulps) => Role::Ulps,
                None if is_upper => Role::Upper,
                None => Role::Lower,
            },
            bound: Some(bound),
            is_margin,
            is_strict: None,
            knob: (!is_margin).then(|| Knob {
                text: format!("{bound:?}"),
                given: Given::Source,
            }),
            values: self.log.hits.iter().map(value).collect(),
        }
    }

    fn value_in(&self, run: u32) -> Option<f64> {
        let (is_upper, _) = self.ends.first()?;
        let (_, hit) = self.log.hits.iter().find(|(hit, _)| *hit == run)?;
        Some(side(*hit, *is_upper))
    }
}

/// How runs ended, and by which site.
fn runs(observed: &Observed, sites: &[Declared<'_>]) -> Vec<ObservedRun> {
    let mut broken: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, site) in sites.iter().enumerate() {
        for run in &site.log.broken {
            broken.entry(*run).or_default().push(index);
        }
    }
    let run = |index: u32| {
        let by = |is_hard: bool| {
            let mut sites_of_run = broken.get(&index).into_iter().flatten().copied();
            sites_of_run.find(|site| sites[*site].site.is_hard == is_hard)
        };
        let (failure, soft) = (observed.failures.get(&index), by(false));
        // A hard site that is broken in a run that goes on was caught by somebody.
        let failed_site = failure.and_then(|_| by(true)).or(soft);
        let broken = || {
            let site = &sites[soft?];
            let value = site.value_in(index)?;
            Some(format!("`{}` saw {value:?}", site.site.written.text))
        };
        let first_line = |why: &String| why.lines().next().unwrap_or_default().to_owned();
        ObservedRun {
            index,
            outcome: match failure.is_some() || soft.is_some() {
                true => Outcome::Fail,
                false => Outcome::Pass,
            },
            why: failure.map(first_line).or_else(broken),
            failed_site,
        }
    };
    let made: BTreeSet<u32> = observed.runs();
    made.into_iter().map(run).collect()
}

fn repeat(repeated: &Repeated, sites: &[Declared<'_>]) -> Repeat {
    let mut values = Vec::new();
    for (key, extremes) in &repeated.values {
        // Times are never the same twice.
        let is_it = |site: &Declared<'_>| site.key == key && !site.site.is_time;
        if let Some(place) = sites.iter().position(is_it) {
            for (series, (is_upper, _)) in sites[place].ends.iter().enumerate() {
                values.push((place, series, side(*extremes, *is_upper)));
            }
        }
    }
    Repeat {
        index: repeated.index,
        place: RepeatPlace::OtherProcess,
        outcome: repeated.outcome,
        values,
    }
}
