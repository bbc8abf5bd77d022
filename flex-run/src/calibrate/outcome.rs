//! What came of a calibration, and how it goes into the bounds file.

pub(crate) use flex_bounds::change::is_refused;
use flex_bounds::change::{Change, Seen};
use flex_bounds::file::{BoundsFile, Entry, Key, Learned, Provenance, Reached, Sides};
use flex_core::bound::confidence::Confidence;
use flex_core::bound::declared::DeclaredRate;
use flex_core::calibration::{Calibrated, CalibratedSite};
use flex_core::sample::Samples;
use flex_core::search::reruns::runs_until_pass;
use flex_core::tail::{Side, Tail};

use super::CalibrationSettings;
use super::checks::Checked;
pub use super::checks::Uncontrolled;
use super::collector::Collector;
use super::date::today;
use super::observed::Observed;
use crate::model::{Comparison, SiteKey, Test, value_on};

/// What computed the bounds and drew the random numbers.
const ENGINE: &str = concat!("flex ", env!("CARGO_PKG_VERSION"), ", chacha8");

/// What came of the calibration of one test.
#[derive(Debug)]
pub struct TestCalibration {
    /// The test.
    pub test: Test,
    /// The base seed.
    pub base: String,
    /// Runs that it rests on.
    pub runs: u32,
    /// Processes that made them.
    pub processes: usize,
    /// The mean duration of a run.
    pub seconds_per_run: f64,
    /// The confidence of the test.
    pub confidence: Confidence,
    /// The learned sites.
    pub sites: Vec<LearnedSite>,
    /// The declared sites.
    pub declared: Vec<DeclaredSite>,
    /// How runs ended, and what declared sites saw in each.
    pub observed: Observed,
    /// Runs that failed by themselves, with why.
    pub failures: Vec<(u32, String)>,
    /// No run drew a random number, and no value varied.
    pub is_deterministic: bool,
    /// What else depends on the process than learned sites, with what shows it.
    pub shared: Vec<String>,
    /// One seed gave two values.
    pub uncontrolled: Option<Uncontrolled>,
    /// What the operating system gives follows the seed.
    pub controls_entropy: bool,
    /// The time was up before there were as many runs as wanted.
    pub ran_out_of_time: bool,
    /// Sites that had an entry and were not hit any more.
    pub removed: Vec<String>,
    /// Why the entries that there were stay as they are.
    pub kept: Option<&'static str>,
    variant: Option<String>,
    accept: bool,
}

/// What was learned of a site.
#[derive(Debug)]
pub struct LearnedSite {
    /// The site, for people.
    pub name: String,
    /// Its entry.
    pub entry: Entry,
    /// The entry that there was.
    pub old: Option<Entry>,
    /// What becomes of the two.
    pub change: Change,
    /// What was seen, as the entry's quantiles show it.
    samples: Samples,
    /// Runs that came to their end without reaching it.
    missed: u32,
    /// The probability that a run of the test catches a shift of 1, 2, 3 and 4 standard deviations.
    pub power: Option<[f64; 4]>,
    /// Expected reruns per run of unchanged code.
    pub extra_runs: f64,
    /// Reruns that a race can take.
    pub most_reruns: u32,
    /// Whether it measures time.
    pub is_time: bool,
    /// How its values depend on the process, where a bound was learned nevertheless.
    pub accepted: Option<String>,
}

/// How often a declared bound fails.
#[derive(Debug)]
pub struct DeclaredSite {
    /// The site, for people.
    pub name: String,
    /// The runs that broke it.
    pub broken: Vec<u32>,
    /// The rate, for each end that is declared.
    pub rates: Vec<(Side, f64, DeclaredRate)>,
    /// The samples that it rests on.
    pub samples: usize,
}

pub(super) fn outcome(
    collector: &Collector,
    calibrated: &Calibrated,
    checked: Checked,
    settings: &CalibrationSettings,
) -> TestCalibration {
    let is_deterministic = !collector.observed.drew
        && collector.observed.failures.is_empty()
        && collector.is_constant(calibrated);
    // Learned sites say it themselves: they are refused, or accepted in spite of it.
    let is_learned =
        |key: &SiteKey| !key.is_declared && calibrated.sites.iter().any(|site| site.id == key.id);
    let shared = checked
        .shared
        .iter()
        .filter(|(key, _)| !key.as_ref().is_some_and(is_learned))
        .map(|(key, reason)| match key {
            None => reason.clone(),
            Some(key) => format!("{}: {reason}", key.id),
        })
        .chain(checked.times.iter().cloned())
        .collect();
    let sites = calibrated
        .sites
        .iter()
        .map(|site| {
            let provenance = Provenance {
                fingerprint: Some(collector.observed.test.fingerprint.clone()),
                calibrated: Some(today()),
                base: Some(settings.base.clone()),
                engine: Some(ENGINE.to_owned()),
            };
            learned_site(site, collector, &checked, settings, provenance)
        })
        .collect();
    TestCalibration {
        runs: calibrated.runs,
        processes: collector.observed.processes.len(),
        seconds_per_run: collector.observed.seconds_per_run(),
        confidence: confidence_of(calibrated, collector, settings),
        sites,
        declared: declared_sites(collector, calibrated.runs),
        observed: collector.observed.clone(),
        failures: collector
            .observed
            .failures
            .range(..calibrated.runs)
            .map(|(run, why)| (*run, why.clone()))
            .collect(),
        is_deterministic,
        shared,
        uncontrolled: checked.uncontrolled,
        controls_entropy: collector.observed.test.options.controls_entropy(),
        ran_out_of_time: collector.ran_out_of_time,
        removed: Vec::new(),
        kept: None,
        variant: settings.variant.clone(),
        accept: settings.accept,
        test: collector.observed.test.clone(),
        base: settings.base.clone(),
    }
}

/// The confidence of a test: its own, or what its sites leave that spend the budget of a suite.
fn confidence_of(
    calibrated: &Calibrated,
    collector: &Collector,
    settings: &CalibrationSettings,
) -> Confidence {
    let rates = calibrated
        .sites
        .iter()
        .map(|site| site.share.confidence.false_alarm_rate());
    let own = collector.plan.confidence;
    match settings.shares {
        Some(_) => Confidence::new(1.0 - rates.sum::<f64>()).unwrap_or(own),
        None => own,
    }
}

fn learned_site(
    site: &CalibratedSite,
    collector: &Collector,
    checked: &Checked,
    settings: &CalibrationSettings,
    provenance: Provenance,
) -> LearnedSite {
    let site_key = SiteKey {
        id: site.id.clone(),
        is_declared: false,
    };
    let key = Key {
        test: collector.observed.test.id.clone(),
        site: site.id.clone(),
        variant: settings.variant.clone(),
    };
    let mut entry = Entry::of_calibration(key, site, provenance);
    let shared = checked.shared.get(&Some(site_key.clone()));
    if let (Some(reason), false) = (shared, settings.accept) {
        entry.sides = refused(site.spec.tail, reason);
    }
    // What is refused or never varies has no power to speak of.
    let varies = site.quantiles.is_some_and(|q| q[0] < q[q.len() - 1]);
    let is_refused = shared.is_some() && !settings.accept;
    let guards = || {
        site.bound
            .sides
            .iter()
            .filter_map(|side| side.guard.as_ref().ok())
            .filter(|_| !is_refused)
    };
    LearnedSite {
        name: site.id.to_string(),
        entry,
        old: None,
        change: Change::New,
        samples: site.samples.clone(),
        missed: site.missed,
        power: guards()
            .next()
            .filter(|_| varies)
            .map(|guard| guard.plan.power),
        extra_runs: guards().fold(0.0, |sum, guard| sum + guard.plan.extra_runs),
        most_reruns: guards()
            .map(|guard| guard.plan.hits.most_reruns())
            .max()
            .unwrap_or(0),
        is_time: collector
            .observed
            .sites
            .get(&site_key)
            .is_some_and(|record| record.is_time),
        accepted: shared.filter(|_| settings.accept).cloned(),
    }
}

fn refused(tail: Tail, reason: &str) -> Sides {
    let refuse = || Learned::Refuse {
        reason: reason.to_owned(),
    };
    match tail {
        Tail::Upper => Sides::Upper(refuse()),
        Tail::Lower => Sides::Lower(refuse()),
        Tail::Both => Sides::Both {
            lower: refuse(),
            upper: refuse(),
        },
    }
}

fn declared_sites(collector: &Collector, runs: u32) -> Vec<DeclaredSite> {
    let mut sites = Vec::new();
    for (key, log) in &collector.observed.declared {
        let Some(site) = collector.observed.sites.get(key) else {
            continue;
        };
        let bounds = site.declared();
        let judged = || log.hits.iter().filter(|(run, _)| *run < runs);
        let broken: Vec<u32> = log
            .broken
            .iter()
            .copied()
            .filter(|run| *run < runs)
            .collect();
        let rate = |comparison: &Comparison| {
            let (side, bound) = (comparison.operator.side(), comparison.bound);
            let samples = Samples::new(judged().map(|(run, hit)| (*run, value_on(side, *hit))));
            // With both ends declared, only the values tell which of them was broken.
            let rate = match bounds.len() {
                1 => DeclaredRate::with_failures(broken.len(), &samples, side, bound),
                _ => DeclaredRate::count(&samples, side, bound),
            };
            (side, bound, rate)
        };
        sites.push(DeclaredSite {
            name: key.id.to_string(),
            rates: bounds.iter().map(rate).collect(),
            samples: judged().count(),
            broken,
        });
    }
    sites
}

impl TestCalibration {
    /// Puts the entries into a bounds file, in the place of all entries of this test and variant; unless what was
    /// learned is worse than nothing.
    pub fn write_into(&mut self, file: &mut BoundsFile) {
        let old: Vec<Entry> = file
            .entries()
            .iter()
            .filter(|entry| self.is_about(&entry.key))
            .cloned()
            .collect();
        let compared = file.entries().len();
        for site in &mut self.sites {
            site.old = old.iter().find(|old| old.key == site.entry.key).cloned();
            site.change = Change::between(
                site.old.as_ref(),
                &site.entry,
                site.seen(),
                compared,
                self.accept,
            );
        }
        self.kept = self.reason_to_keep(&old);
        if self.kept.is_some() {
            for site in &mut self.sites {
                site.change = Change::Kept;
            }
            return;
        }
        for entry in &old {
            file.remove(&entry.key);
        }
        for site in &mut self.sites {
            // Whoever decided that a site is not enforced did so for more than one calibration.
            site.entry.unenforced = site.old.as_ref().is_some_and(|old| old.unenforced);
            let entry = match (&site.change, &site.old) {
                (Change::Kept | Change::Pending(_), Some(old)) => {
                    let mut kept = old.clone();
                    if site.change == Change::Kept {
                        kept.fingerprint = site.entry.fingerprint.clone();
                        // A few misses may be chance, but an entry must not say that there are none.
                        if site.missed > 0 {
                            kept.reached = Reached::Sometimes;
                        }
                    }
                    kept
                }
                _ => site.entry.clone(),
            };
            if let Err(error) = file.insert(entry) {
                // The engine does not make such entries; one that it does make is a reason to refuse the site.
                site.entry.sides = refused(site.entry.tail(), &error.to_string());
                site.entry.quantiles = None;
                let _ = file.insert(site.entry.clone());
            }
        }
        let gone = |old: &&Entry| !self.sites.iter().any(|site| site.entry.key == old.key);
        self.removed = old
            .iter()
            .filter(gone)
            .map(|entry| entry.key.site.to_string())
            .collect();
    }

    fn is_about(&self, key: &Key) -> bool {
        key.test == self.test.id && key.variant == self.variant
    }

    /// Whether an entry was learned here, or found to be no site's any more, and written.
    pub(super) fn settles(&self, key: &Key) -> bool {
        self.is_about(key) && self.kept.is_none()
    }

    /// Says so if a bounds file, with the entries of this test in it, spends more than the suite may.
    pub(super) fn overspends(&self, file: &BoundsFile) -> Option<String> {
        let suite = self.test.suite?;
        let spent = file.false_alarm_rate(self.variant.as_deref());
        (!suite.allows(spent)).then(|| {
            format!(
                "the bounds would spend {spent:.2e}, more than the suite's {suite} ({:.2e})",
                suite.rate()
            )
        })
    }

    /// What speaks against the entries that a bounds file has of this test, among so many sites that are compared.
    pub fn contradictions(&self, file: &BoundsFile, compared: usize) -> Vec<String> {
        let mut found = Vec::new();
        let mut is_stale = false;
        for site in &self.sites {
            let Some(old) = file.get(&site.entry.key) else {
                found.push(format!("{}: missing: it has no entry", site.name));
                continue;
            };
            is_stale |= old.fingerprint != site.entry.fingerprint;
            // What was refused is for enforcement to say; here it is about the numbers.
            let against = Change::contradiction(old, &site.entry, site.seen(), compared);
            found.extend(against.map(|why| format!("{}: {why}", site.name)));
        }
        if is_stale {
            found.push("stale: the test changed since calibration".to_owned());
        }
        found.extend(self.overspends(file));
        found
    }

    /// Puts what somebody must look at into a file of its own, and takes out what was decided by now.
    pub fn write_pending(&self, pending: &mut BoundsFile) {
        // What waits for a site that is gone would fail as not reached, if somebody accepted it.
        let entries = pending.entries().iter().map(|entry| entry.key.clone());
        let gone: Vec<Key> = entries
            .filter(|key| self.settles(key) && !self.sites.iter().any(|s| s.entry.key == *key))
            .collect();
        for key in &gone {
            pending.remove(key);
        }
        for site in &self.sites {
            match site.change {
                // It was checked when it was made.
                Change::Pending(_) => drop(pending.insert(site.entry.clone())),
                _ => drop(pending.remove(&site.entry.key)),
            }
        }
    }

    /// Sites whose new entry waits for a review, with why.
    pub fn pending(&self) -> impl Iterator<Item = (&LearnedSite, &str)> {
        self.sites.iter().filter_map(|site| match &site.change {
            Change::Pending(why) => Some((site, why.as_str())),
            _ => None,
        })
    }

    /// Why these entries are better than what was learned, if they are.
    fn reason_to_keep(&self, old: &[Entry]) -> Option<&'static str> {
        let lost = |site: &LearnedSite| {
            site.is_refused() && site.old.as_ref().is_some_and(|old| !is_refused(old))
        };
        if old.is_empty() {
            None
        } else if self.failures.len() >= self.runs as usize {
            Some("every run failed by itself")
        } else if self.ran_out_of_time && self.sites.iter().any(lost) {
            Some("there was no time for enough runs")
        } else {
            None
        }
    }

    /// Attempts after which a test that fails so often passes with the test's confidence; `None` if it never failed.
    pub fn attempts(&self) -> Option<u64> {
        let failed = self.failures.len();
        let rate = failed as f64 / f64::from(self.runs.max(1));
        if failed == 0 {
            return None;
        }
        runs_until_pass(rate, self.confidence.value()).ok()
    }

    /// Whether the bounds file changes.
    pub fn changes_file(&self) -> bool {
        let is_new = |site: &LearnedSite| site.change.is_new();
        self.kept.is_none() && (self.sites.iter().any(is_new) || !self.removed.is_empty())
    }

    /// How many sites have a new bound.
    pub fn learned_sites(&self) -> usize {
        let is_learned = |site: &&LearnedSite| site.change.is_new() && !site.is_refused();
        self.sites.iter().filter(is_learned).count()
    }

    /// How many sites have a bound that stays as it was.
    pub fn kept_sites(&self) -> usize {
        let is_kept = |site: &&LearnedSite| site.change == Change::Kept && !site.is_refused();
        self.sites.iter().filter(is_kept).count()
    }

    /// Sites for which nothing could be learned.
    pub fn refused(&self) -> impl Iterator<Item = &LearnedSite> {
        self.sites.iter().filter(|site| site.is_refused())
    }
}

impl LearnedSite {
    fn seen(&self) -> Seen<'_> {
        Seen {
            samples: &self.samples,
            missed: self.missed,
        }
    }

    /// Whether nothing could be learned for one of its sides.
    pub fn is_refused(&self) -> bool {
        is_refused(&self.entry)
    }
}
