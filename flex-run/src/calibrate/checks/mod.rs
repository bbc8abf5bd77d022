//! What breaks the promise without showing in the values: state that runs share, and randomness that no seed controls.
//!
//! A few runs are repeated in a second process, in another order. A value that depends on the seed alone is the same
//! again. If it is another, both processes are repeated as they were: if each gives its own value again, the value
//! depends on what ran before it in the process, which is *shared state*; if not, it is *uncontrolled*. Uncontrolled
//! values can be sound samples, unless they are drawn once per process; that is a question of statistics.

mod by_process;
mod run_values;

use flex_core::calibration::Calibrated;
use flex_core::sorted::{SortedMap, sort};
use flex_core::words::plain;

use super::collector::Collector;
use super::repeat::{RepeatPolicy, process_of};
use super::settings::PROCESSES;
use crate::model::{ProcessRecord, SiteKey};
use by_process::{FEWEST_VALUES, depends_on_process};
use run_values::{Difference, RunValues};

/// What was found out about a test.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// Sites whose values depend on the process, by key, with what shows it; `None` if it is the failure of the test.
    pub shared: SortedMap<Option<SiteKey>, String>,
    /// Sites that measure time, and differ by process, with what shows it.
    pub times: Vec<String>,
    /// A site that gave two values under one seed.
    pub uncontrolled: Option<Uncontrolled>,
    /// All sites whose values do not depend on the seed alone, whatever else they depend on.
    pub irreproducible: Vec<SiteKey>,
    /// Runs that were made again.
    pub repeated: Vec<u32>,
}

impl Checked {
    /// Adds what nobody had to repeat, since two processes made it by themselves and it was not the same twice.
    fn add_differing(
        &mut self,
        collector: &Collector,
        differing: &[(Option<SiteKey>, Uncontrolled)],
    ) {
        for (key, values) in differing {
            self.uncontrolled.get_or_insert_with(|| values.clone());
            let Some(key) = key else { continue };
            let is_new = !self.irreproducible.contains(key);
            let timed = collector.observed.is_time(key);
            if !is_new || timed {
                continue;
            }
            self.irreproducible.push(key.clone());
            if let Some(reason) = depends_on_process(collector, key, &[]) {
                self.shared.insert(Some(key.clone()), reason);
            }
        }
    }
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

/// Repeats a few runs elsewhere, in this order, in one process. What is known to differ is not asked about.
pub(super) fn check<E>(
    collector: &Collector,
    calibrated: &Calibrated,
    known: &[(Option<SiteKey>, Uncontrolled)],
    mut repeat: impl FnMut(&[u32]) -> Result<ProcessRecord, E>,
) -> Result<Checked, E> {
    let runs = runs_to_repeat(collector, calibrated.runs);
    let mut checked = Checked {
        times: times_by_process(collector),
        irreproducible: times(collector),
        repeated: runs.clone(),
        ..Checked::default()
    };
    checked.add_differing(collector, known);
    if runs.is_empty() {
        // Every run ended its process, which says enough.
        return Ok(checked);
    }
    let first = RunValues::of_collector(collector, &runs);
    let second = RunValues::of_record(&repeat(&runs)?, collector);
    if second.failed.entries().is_empty() {
        checked.shared = unchecked(collector);
        return Ok(checked);
    }
    let mut differences = first.differences(&second);
    differences.retain(|difference| !known.iter().any(|(key, _)| *key == difference.key));
    if differences.is_empty() {
        return Ok(checked);
    }
    let third = RunValues::of_record(&repeat(&runs)?, collector);
    let mut others = None;
    // Those of one site stand together; the first decides.
    for of_site in differences.chunk_by(|a, b| a.key == b.key) {
        let Some(difference) = of_site.first() else {
            continue;
        };
        let key = difference.key.as_ref();
        checked.irreproducible.extend(key.cloned());
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
fn unchecked(collector: &Collector) -> SortedMap<Option<SiteKey>, String> {
    let reason = "its runs could not be repeated in time to see whether they share state";
    let mut unchecked = SortedMap::new();
    for (key, _) in collector.samples() {
        unchecked.insert(Some(key), reason.to_owned());
    }
    unchecked
}

/// The sites that measure time, which is never the same twice.
fn times(collector: &Collector) -> Vec<SiteKey> {
    let sites = collector.observed.sites.entries().iter();
    let timed = sites.filter(|(_, site)| site.is_time);
    timed.map(|(key, _)| key.clone()).collect()
}

/// Times are never the same twice, and hardly any first run is as quick as the others. That is said, not refused.
fn times_by_process(collector: &Collector) -> Vec<String> {
    let mut times = Vec::new();
    for (key, site) in collector.observed.sites.entries() {
        if site.is_time
            && let Some(reason) = depends_on_process(collector, key, &[])
        {
            times.push(format!("{}: {reason}", key.id));
        }
    }
    times
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
    let mut made = observed.made_runs();
    made.retain(|run| run.index < runs);
    if let Some(processes) = collector.as_if_by {
        sort(&mut made, |a, b| a.index < b.index);
        for run in &mut made {
            run.process = process_of(run.index, collector.plan.min_runs, processes);
        }
    }
    RepeatPolicy::of_calibration(observed.seconds_per_run(), collector.ran_out_of_time)
        .choose(&made)
}
