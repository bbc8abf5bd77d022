//! What breaks the promise without showing in the values: state that runs share, and randomness that no seed controls.
//!
//! A few runs are repeated in a second process, in another order. A value that depends on the seed alone is the same
//! again. If it is another, both processes are repeated as they were: if each gives its own value again, the value
//! depends on what ran before it in the process, which is *shared state*; if not, it is *uncontrolled*. Uncontrolled
//! values can be sound samples, unless they are drawn once per process; that is a question of statistics.

use std::collections::{BTreeMap, BTreeSet};

use flex_core::calibration::Calibrated;
use flex_core::drift::groups::kruskal_wallis;
use flex_core::sample::Extremes;
use flex_core::tail::{Side, Tail};
use flex_core::words::plain;

use super::collector::{Collector, same_value};
use super::repeat::{MadeRun, RepeatPolicy};
use super::settings::PROCESSES;
use crate::model::{Asks, ProcessRecord, SiteKey, value_on};

/// What was found out about a test.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// Sites whose values depend on the process, by key, with what shows it; `None` if it is the failure of the test.
    pub shared: BTreeMap<Option<SiteKey>, String>,
    /// Sites that measure time, and differ by process, with what shows it.
    pub times: Vec<String>,
    /// A site that gave two values under one seed.
    pub uncontrolled: Option<Uncontrolled>,
}

/// The same seed, two values.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncontrolled {
    /// The site, for people; `None` if the run failed in one process only.
    pub site: Option<String>,
    /// The run.
    pub run: u32,
    /// What the first process saw, and the second; `None` if the site was not reached.
    pub values: (Option<f64>, Option<f64>),
}

/// A difference between processes is no chance below this probability.
const LEVEL: f64 = 1e-6;

/// With fewer values, not even processes that have nothing in common reach the level.
const FEWEST_VALUES: usize = 40;

/// Repeats a few runs elsewhere, in this order, in one process.
pub(super) fn check<E>(
    collector: &Collector,
    calibrated: &Calibrated,
    mut repeat: impl FnMut(&[u32]) -> Result<ProcessRecord, E>,
) -> Result<Checked, E> {
    let runs = runs_to_repeat(collector, calibrated.runs);
    let mut checked = Checked {
        times: times_by_process(collector),
        ..Checked::default()
    };
    let first = RunValues::of_collector(collector, &runs);
    let second = RunValues::of_record(&repeat(&runs)?, collector);
    if second.failed.is_empty() {
        checked.shared = unchecked(collector);
        return Ok(checked);
    }
    let differences = first.differences(&second);
    if differences.is_empty() {
        return Ok(checked);
    }
    let third = RunValues::of_record(&repeat(&runs)?, collector);
    let mut others = None;
    let mut decided: BTreeSet<Option<&SiteKey>> = BTreeSet::new();
    for difference in &differences {
        let key = difference.key.as_ref();
        if !decided.insert(key) {
            continue;
        }
        let before = collector.until(difference.run);
        let again = RunValues::of_record(&repeat(&before)?, collector);
        if second.agrees_on(key, &third, None) && first.agrees_on(key, &again, Some(difference.run))
        {
            checked.shared.insert(key.cloned(), shared(difference));
            continue;
        }
        checked.uncontrolled.get_or_insert_with(|| Uncontrolled {
            site: key.map(|key| key.id.to_string()),
            run: difference.run,
            values: difference.values,
        });
        let Some(key) = key else { continue };
        let others = match &mut others {
            Some(others) => others,
            None => others.insert(further_processes(collector, calibrated.runs, &mut repeat)?),
        };
        if let Some(reason) = depends_on_process(collector, key, others) {
            checked.shared.insert(Some(key.clone()), reason);
        }
    }
    Ok(checked)
}

/// What a part of the runs shows in each of so many processes that, with those there are, all can be compared.
fn further_processes<E>(
    collector: &Collector,
    runs: u32,
    repeat: &mut impl FnMut(&[u32]) -> Result<ProcessRecord, E>,
) -> Result<Vec<RunValues>, E> {
    let missing = match runs as usize {
        // They could not tell more.
        few if few < FEWEST_VALUES => 0,
        _ => (PROCESSES as usize).saturating_sub(collector.observed.processes.len()),
    };
    let part: Vec<u32> = (0..runs.div_ceil(PROCESSES)).collect();
    (0..missing)
        .map(|_| Ok(RunValues::of_record(&repeat(&part)?, collector)))
        .collect()
}

/// Nothing is known, so nothing is promised.
fn unchecked(collector: &Collector) -> BTreeMap<Option<SiteKey>, String> {
    let reason = "its runs could not be repeated in time to see whether they share state";
    let keys = collector.samples().map(|(key, _)| key);
    keys.map(|key| (Some(key), reason.to_owned())).collect()
}

/// Times are never the same twice, and hardly any first run is as quick as the others. That is said, not refused.
fn times_by_process(collector: &Collector) -> Vec<String> {
    let timed = collector
        .observed
        .sites
        .iter()
        .filter(|(_, site)| site.is_time);
    timed
        .filter_map(|(key, _)| {
            let reason = depends_on_process(collector, key, &[])?;
            Some(format!("{}: {reason}", key.id))
        })
        .collect()
}

fn shared(difference: &Difference) -> String {
    if difference.key.is_none() {
        return format!(
            "shared state: under one seed (run {}) the test fails or not, depending on what ran before in the process",
            difference.run
        );
    }
    let value = |value: Option<f64>| value.map_or("not reached".to_owned(), plain);
    let (ours, theirs) = difference.values;
    format!(
        "shared state: under one seed (run {}) it is {} or {}, depending on what ran before in the process",
        difference.run,
        value(ours),
        value(theirs)
    )
}

/// The runs of a calibration that are repeated.
fn runs_to_repeat(collector: &Collector, runs: u32) -> Vec<u32> {
    let observed = &collector.observed;
    let made: Vec<MadeRun> = observed
        .made_runs()
        .into_iter()
        .filter(|run| run.index < runs)
        .collect();
    RepeatPolicy::of_calibration(observed.seconds_per_run(), collector.ran_out_of_time)
        .choose(&made)
}

/// What some runs saw: by site and run, and which of them failed.
struct RunValues {
    values: BTreeMap<(SiteKey, u32), Extremes>,
    failed: BTreeMap<u32, bool>,
}

/// A run that was not the same twice.
struct Difference {
    /// The site; `None` if the run failed once.
    key: Option<SiteKey>,
    run: u32,
    values: (Option<f64>, Option<f64>),
}

impl RunValues {
    fn of_collector(collector: &Collector, runs: &[u32]) -> Self {
        let mut values = BTreeMap::new();
        for (key, hits) in collector.samples() {
            for (run, extremes) in hits.iter().filter(|(run, _)| runs.contains(run)) {
                values.insert((key.clone(), *run), *extremes);
            }
        }
        RunValues {
            values,
            failed: runs
                .iter()
                .map(|run| (*run, collector.observed.failures.contains_key(run)))
                .collect(),
        }
        .without_times(collector)
    }

    fn of_record(record: &ProcessRecord, collector: &Collector) -> Self {
        let mut seen = RunValues {
            values: BTreeMap::new(),
            failed: BTreeMap::new(),
        };
        for (run, hits) in record.runs() {
            seen.failed.insert(run.index, run.failure.is_some());
            for hit in hits {
                seen.values
                    .insert((record.site(hit).key(), run.index), hit.extremes);
            }
        }
        seen.without_times(collector)
    }

    /// Times are never the same twice.
    fn without_times(mut self, collector: &Collector) -> Self {
        let is_time = |key: &SiteKey| {
            collector
                .observed
                .sites
                .get(key)
                .is_some_and(|site| site.is_time)
        };
        self.values.retain(|(key, _), _| !is_time(key));
        self
    }

    /// The values of a site on one side, in the order of the runs.
    fn of_site(&self, key: &SiteKey, side: Side) -> Vec<f64> {
        let of_site = self.values.iter().filter(|((site, _), _)| site == key);
        of_site
            .map(|(_, extremes)| value_on(side, *extremes))
            .collect()
    }

    /// Whether a site saw the same in both, in one run or in all that both have.
    fn agrees_on(&self, key: Option<&SiteKey>, other: &RunValues, run: Option<u32>) -> bool {
        self.differences(other).iter().all(|difference| {
            difference.key.as_ref() != key || run.is_some_and(|run| run != difference.run)
        })
    }

    /// What differs, for the runs that both have.
    fn differences(&self, other: &RunValues) -> Vec<Difference> {
        let both = |run: &u32| self.failed.contains_key(run) && other.failed.contains_key(run);
        let keys: BTreeSet<&(SiteKey, u32)> =
            self.values.keys().chain(other.values.keys()).collect();
        let mut differences = Vec::new();
        for place in keys.into_iter().filter(|(_, run)| both(run)) {
            let (ours, theirs) = (self.values.get(place), other.values.get(place));
            let same = match (ours, theirs) {
                (Some(ours), Some(theirs)) => same_value(*ours, *theirs),
                _ => false,
            };
            if !same {
                differences.push(Difference {
                    key: Some(place.0.clone()),
                    run: place.1,
                    values: differing(ours.copied(), theirs.copied()),
                });
            }
        }
        for (run, failed) in &self.failed {
            if other.failed.get(run).is_some_and(|other| other != failed) {
                differences.push(Difference {
                    key: None,
                    run: *run,
                    values: (None, None),
                });
            }
        }
        differences
    }
}

/// The values that differ: the greatest, unless only the least do.
fn differing(ours: Option<Extremes>, theirs: Option<Extremes>) -> (Option<f64>, Option<f64>) {
    let greatest = |extremes: Option<Extremes>| extremes.map(|e| e.greatest);
    let least = |extremes: Option<Extremes>| extremes.map(|e| e.least);
    if greatest(ours) == greatest(theirs) {
        (least(ours), least(theirs))
    } else {
        (greatest(ours), greatest(theirs))
    }
}

/// Whether the values of a site differ between processes, or between the first run of a process and the others, more
/// than by chance; or whether there are too few processes to tell.
fn depends_on_process(
    collector: &Collector,
    key: &SiteKey,
    others: &[RunValues],
) -> Option<String> {
    let (_, hits) = collector.samples().find(|(other, _)| other == key)?;
    let processes = collector.observed.processes.len() + others.len();
    let sides = match &collector.observed.sites.get(key)?.asks {
        Asks::Learned(spec) => spec.tail.sides(),
        Asks::Declared(_) => Tail::Both.sides(),
    };
    if hits.len() < FEWEST_VALUES || processes < PROCESSES as usize {
        let (values, processes) = (hits.len(), collector.observed.processes.len());
        return Some(format!(
            "randomness is not controlled, and {values} values from {processes} processes are too few to see whether runs share state; at least {FEWEST_VALUES} are needed"
        ));
    }
    sides.iter().find_map(|side| {
        let value = |run: &u32| {
            let place = hits.binary_search_by(|(hit, _)| hit.cmp(run)).ok()?;
            Some(value_on(*side, hits[place].1))
        };
        let here = collector.observed.processes.iter();
        let here = here.map(|runs| runs.iter().filter_map(value).collect());
        let elsewhere = others.iter().map(|seen| seen.of_site(key, *side));
        let processes: Vec<Vec<f64>> = here.chain(elsewhere).collect();
        differ_by_process(&processes)
    })
}

/// Values by process, in the order of its runs.
fn differ_by_process(processes: &[Vec<f64>]) -> Option<String> {
    let between: Vec<&[f64]> = processes.iter().map(Vec::as_slice).collect();
    let p = kruskal_wallis(&between);
    if p < LEVEL {
        return Some(format!(
            "shared state: values differ between processes more than by chance (p = {p:.1e})"
        ));
    }
    let first: Vec<f64> = between.iter().filter_map(|v| v.first().copied()).collect();
    let others: Vec<f64> = between
        .iter()
        .flat_map(|v| v.iter().skip(1).copied())
        .collect();
    let p = all_beyond(&first, &others);
    (p < LEVEL).then(|| {
        format!(
            "shared state: the first run of a process differs from the others more than by chance (p = {p:.1e})"
        )
    })
}

/// The probability that so many values of one distribution all lie above the others, or all below, as these do; 1 if
/// they do not. With five values, a test by ranks could not tell more.
fn all_beyond(few: &[f64], others: &[f64]) -> f64 {
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least(few) <= greatest(others) && greatest(few) >= least(others) {
        return 1.0;
    }
    // One in as many as there are ways to choose them, on either side.
    let ways = (1..=few.len()).fold(1.0, |ways, i| ways * (others.len() + i) as f64 / i as f64);
    2.0 / ways
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of five processes that look random and are not: a low-discrepancy sequence.
    fn processes(change: impl Fn(usize, usize, f64) -> f64) -> Vec<Vec<f64>> {
        (0..5)
            .map(|process| {
                (0..20)
                    .map(|run| {
                        let value = (0.618_033_988_7 * (20 * process + run) as f64).fract();
                        change(process, run, value)
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn independent_values_do_not_depend_on_the_process() {
        assert_eq!(differ_by_process(&processes(|_, _, x| x)), None);
    }

    #[test]
    fn a_draw_per_process_is_seen() {
        let drawn = processes(|process, _, x| x + 0.7 * process as f64);
        assert!(
            differ_by_process(&drawn).is_some_and(|reason| reason.contains("between processes"))
        );
    }

    #[test]
    fn the_fewest_values_are_enough_for_a_draw_per_process() {
        let drawn: Vec<Vec<f64>> = processes(|process, _, x| x + 10.0 * process as f64)
            .into_iter()
            .map(|values| values[..FEWEST_VALUES / 5].to_vec())
            .collect();
        assert!(differ_by_process(&drawn).is_some());
    }

    #[test]
    fn a_first_run_that_warms_up_is_seen() {
        let warm = processes(|_, run, x| if run == 0 { x + 100.0 } else { x });
        assert!(differ_by_process(&warm).is_some_and(|reason| reason.contains("first run")));
    }
}
