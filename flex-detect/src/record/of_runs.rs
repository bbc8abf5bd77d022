//! The record of an annotated Rust test: what its declared sites saw while recording processes made its runs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use flex_core::sample::Extremes;
use flex_core::tail::Side;
use flex_run::calibrate::{DeclaredLog, Observed};
use flex_run::model::{Comparison, Distance, Place, ProcessRecord, Site, SiteKey, value_on};

use super::{
    Given, Knob, ObservedRun, ObservedSite, ObservedTest, Outcome, Repeat, RepeatPlace, Role,
    RunnerReplay, Series,
};

/// How people repeat a run of the test, and where its sources are.
pub struct RunsSource<'a> {
    /// What the seeds of its runs are, up to the index, such as `k3J9@calibrate`.
    pub seeds: String,
    /// What a command that makes a run again is built from.
    pub replay: RunnerReplay,
    /// The file of a place, relative to the root of the record.
    pub file: &'a dyn Fn(&str) -> String,
}

/// A run that was made again in another process.
#[derive(Debug)]
pub struct Repeated {
    /// Its index.
    pub index: u32,
    /// How it ended this time.
    pub outcome: Outcome,
    /// What its sites saw.
    pub values: Vec<(SiteKey, Extremes)>,
}

impl Repeated {
    /// The runs of a process that was asked to repeat these. Without an end, the first that is missing ended it.
    pub fn all_of(record: &ProcessRecord, asked: &[u32]) -> Vec<Self> {
        let mut repeated: Vec<Repeated> = record
            .runs()
            .map(|(run, hits)| Repeated {
                index: run.index,
                outcome: Outcome::of(record.failed(run, hits)),
                values: hits
                    .iter()
                    .map(|hit| (record.site(hit).key(), hit.extremes))
                    .collect(),
            })
            .collect();
        let is_told = |index: &u32| {
            let told_nothing = record.inconclusive.iter().map(|(run, _)| *run);
            let mut told = record.runs().map(|(run, _)| run.index).chain(told_nothing);
            told.any(|told| told == *index)
        };
        if record.took.is_none()
            && let Some(index) = asked.iter().find(|index| !is_told(index))
        {
            repeated.push(Repeated {
                index: *index,
                outcome: Outcome::Fail,
                values: Vec::new(),
            });
        }
        repeated
    }
}

impl ObservedTest {
    /// The record of a test from what its runs showed.
    pub fn of_runs(observed: &Observed, repeated: &[Repeated], source: &RunsSource<'_>) -> Self {
        let sites = declared_sites(observed);
        let in_root = |place: &Place| Place::new((source.file)(&place.file), place.line);
        ObservedTest {
            package: observed.test.package.clone(),
            is_stochastic: true,
            seeds: Some(source.seeds.clone()),
            replay: Some(source.replay.clone()),
            seconds_per_run: observed.seconds_per_run(),
            runs: runs(observed, &sites),
            probe: observed.probe.clone(),
            repeats: repeated.iter().map(|run| repeat(run, &sites)).collect(),
            sites: sites
                .iter()
                .map(|declared| declared.observed(in_root(&declared.site.place)))
                .collect(),
            ..ObservedTest::new(observed.test.id.clone(), in_root(&observed.test.place))
        }
    }
}

/// A declared site, with what it saw.
struct Declared<'a> {
    key: &'a SiteKey,
    site: &'a Site,
    log: &'a DeclaredLog,
    /// Its bounds; what fails most comes first.
    bounds: Vec<Comparison>,
}

/// The declared sites, in the order of the source.
fn declared_sites(observed: &Observed) -> Vec<Declared<'_>> {
    let declared = observed.declared.entries().iter().filter_map(|(key, log)| {
        let site = observed.sites.get(key)?;
        let mut bounds = site.declared().to_vec();
        bounds.sort_by_key(|bound| bound.operator.side() != Side::Upper);
        bounds.sort_by_key(|bound| {
            let hits = log.hits.iter();
            let values = hits.map(|(_, hit)| value_on(bound.operator.side(), *hit));
            Reverse(values.filter(|value| !bound.is_kept_by(*value)).count())
        });
        Some(Declared {
            key,
            site,
            log,
            bounds,
        })
    });
    let mut declared: Vec<Declared<'_>> = declared.collect();
    declared.sort_by_key(|declared| &declared.site.place);
    declared
}

impl Declared<'_> {
    fn observed(&self, place: Place) -> ObservedSite {
        ObservedSite {
            id: self.key.id.clone(),
            place,
            span: None,
            text: self.site.text.clone(),
            form: self.site.form.clone(),
            within: None,
            is_hard: self.site.is_hard,
            failed: self.log.broken.clone(),
            series: self.bounds.iter().map(|bound| self.series(bound)).collect(),
        }
    }

    fn series(&self, Comparison { operator, bound }: &Comparison) -> Series {
        let (side, is_margin) = (operator.side(), self.site.is_margin);
        let value = |(run, hit): &(u32, Extremes)| (*run, value_on(side, *hit));
        Series {
            role: match (self.site.distance, side) {
                (Some(Distance::Absolute), _) => Role::Absolute,
                (Some(Distance::Relative), _) => Role::Relative,
                (Some(Distance::Ulps), _) => Role::Ulps,
                (None, Side::Upper) => Role::Upper,
                (None, Side::Lower) => Role::Lower,
            },
            bound: Some(*bound),
            is_margin,
            is_strict: Some(operator.is_strict()),
            knob: (!is_margin).then(|| Knob {
                text: format!("{bound:?}"),
                given: Given::Source,
            }),
            values: self.log.hits.iter().map(value).collect(),
        }
    }

    fn value_in(&self, run: u32) -> Option<f64> {
        let side = self.bounds.first()?.operator.side();
        let (_, hit) = self.log.hits.iter().find(|(hit, _)| *hit == run)?;
        Some(value_on(side, *hit))
    }
}

/// How runs ended, and by which site.
fn runs(observed: &Observed, sites: &[Declared<'_>]) -> Vec<ObservedRun> {
    let mut broken: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, declared) in sites.iter().enumerate() {
        for run in &declared.log.broken {
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
            let declared = &sites[soft?];
            let value = declared.value_in(index)?;
            Some(format!("`{}` saw {value:?}", declared.site.text))
        };
        let first_line = |why: &String| why.lines().next().unwrap_or_default().to_owned();
        ObservedRun {
            index,
            outcome: Outcome::of(failure.is_some() || soft.is_some()),
            why: failure.map(first_line).or_else(broken),
            failed_site,
        }
    };
    let mut runs: Vec<ObservedRun> = observed.runs().into_iter().map(run).collect();
    for (index, why) in observed.inconclusive.entries() {
        runs.push(ObservedRun {
            index: *index,
            outcome: Outcome::Skip,
            why: Some(format!("inconclusive: {why}")),
            failed_site: None,
        });
    }
    runs.sort_by_key(|run| run.index);
    runs
}

fn repeat(repeated: &Repeated, sites: &[Declared<'_>]) -> Repeat {
    let mut values = Vec::new();
    for (key, extremes) in &repeated.values {
        // Times are never the same twice.
        let is_it = |declared: &Declared<'_>| declared.key == key && !declared.site.is_time;
        if let Some(site) = sites.iter().position(is_it) {
            for (series, bound) in sites[site].bounds.iter().enumerate() {
                values.push((site, series, value_on(bound.operator.side(), *extremes)));
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

#[cfg(test)]
mod tests {
    use flex_run::model::{RecordedRun, Test, TestId};

    use super::*;

    #[test]
    fn the_first_run_of_which_nothing_is_told_ended_its_process() {
        let mut record = ProcessRecord::new(Test::new(TestId::cargo("lib", "a")));
        record.inconclusive = vec![(9, "no data".to_owned())];
        let run = RecordedRun {
            index: 3,
            drew: true,
            failure: None,
        };
        record.push(run, []).unwrap();
        let repeated = Repeated::all_of(&record, &[9, 3, 0]);
        let ends: Vec<_> = repeated
            .iter()
            .map(|run| (run.index, run.outcome))
            .collect();
        assert_eq!(ends, [(3, Outcome::Pass), (0, Outcome::Fail)]);
    }
}
