//! From runs to an outcome: an entry for each learned site, a rate for each declared one.

use flex_bounds::change::Change;
use flex_bounds::file::{Entry, Key, Provenance, Replay, ReplayedRun};
use flex_core::bound::ceiling::Promise;
use flex_core::bound::confidence::Confidence;
use flex_core::bound::declared::DeclaredRate;
use flex_core::bound::guard::Settling;
use flex_core::calibration::{Calibrated, CalibratedSite};
use flex_core::sample::Samples;
use flex_core::sorted::sort_runs;

use super::claims::claim_sites;
use super::{DeclaredSite, LearnedSite, Objection, TestCalibration};
use crate::calibrate::checks::Checked;
use crate::calibrate::collector::Collector;
use crate::calibrate::settings::CalibrationSettings;
use crate::calibrate::suspicion::SuspectedBug;
use crate::model::{Comparison, Site, SiteKey, value_on};
use crate::project::date::today;

/// What computed the bounds and drew the random numbers.
const ENGINE: &str = concat!("flex ", env!("CARGO_PKG_VERSION"), ", chacha8");

/// Makes the outcome of a calibration from what its runs showed and what checks found.
pub(in crate::calibrate) fn outcome(
    collector: &Collector,
    calibrated: &Calibrated,
    checked: Checked,
    settings: &CalibrationSettings,
) -> TestCalibration {
    let is_deterministic = !collector.observed.drew
        && collector.observed.failures.entries().is_empty()
        && collector.is_constant(calibrated);
    // Learned sites say it themselves: they are refused, or accepted in spite of it.
    let is_learned =
        |key: &SiteKey| !key.is_declared && calibrated.sites.iter().any(|site| site.id == key.id);
    let mut shared = Vec::new();
    for (key, reason) in checked.shared.entries() {
        match key {
            None => shared.push(reason.clone()),
            Some(key) if is_learned(key) => {}
            Some(key) => shared.push(format!("{}: {reason}", key.id)),
        }
    }
    shared.extend_from_slice(&checked.times);
    let replayed = replayed_runs(collector, &checked, calibrated.runs);
    let mut sites = Vec::new();
    for site in &calibrated.sites {
        let provenance = Provenance {
            fingerprint: Some(collector.observed.test.fingerprint.clone()),
            calibrated: Some(today()),
            base: Some(settings.base.clone()),
            engine: Some(ENGINE.to_owned()),
            effort: collector.observed.test.options.effort,
            replay: replay_of(site, collector, &replayed, settings),
        };
        sites.push(learned_site(
            site, collector, &checked, settings, provenance,
        ));
    }
    TestCalibration {
        runs: calibrated.runs,
        asked: match settings.runs {
            Some(asked) if !settings.tight => asked,
            _ => u32::MAX,
        },
        saved: collector.saved,
        processes: collector.observed.processes.len(),
        seconds_per_run: collector.observed.seconds_per_run(),
        confidence: confidence_of(calibrated, collector, settings),
        sites,
        declared: declared_sites(collector, calibrated.runs),
        claims: claim_sites(
            collector,
            calibrated.runs,
            rate_of_claims(collector, calibrated),
        ),
        observed: collector.observed.clone(),
        failures: collector
            .observed
            .failures
            .entries()
            .iter()
            .filter(|(run, _)| *run < calibrated.runs)
            .cloned()
            .collect(),
        is_deterministic,
        shared,
        uncontrolled: checked.uncontrolled,
        controls_entropy: collector.observed.test.options.controls_entropy(),
        ran_out_of_time: collector.ran_out_of_time,
        removed: Vec::new(),
        left_out: collector.left_out.clone(),
        kept: None,
        variant: settings.variant.clone(),
        accept: settings.accept,
        is_same: false,
        extra_runs: calibrated.extra_runs,
        replays_always: collector.plan.replays_always,
        promise: match settings.shares {
            Some(_) => Promise::Expected,
            None => Promise::Assured,
        },
        test: collector.observed.test.clone(),
        base: settings.base.clone(),
        phase: settings.phase(),
    }
}

/// Runs that are enough to see whether anything changed.
const REPLAYED: usize = 2;

/// The runs of a calibration that are replayed later: of those that gave the same in another process, and did not fail,
/// the first and the last.
fn replayed_runs(collector: &Collector, checked: &Checked, runs: u32) -> Vec<u32> {
    let failures = &collector.observed.failures;
    let mut sound = checked.repeated.clone();
    sound.retain(|run| *run < runs && !failures.contains(run));
    sort_runs(&mut sound);
    if sound.len() > REPLAYED {
        sound.drain(1..sound.len() - 1);
    }
    sound
}

/// What a site showed in the runs that are replayed later; `None` if it may show something else under the same seed.
fn replay_of(
    site: &CalibratedSite,
    collector: &Collector,
    runs: &[u32],
    settings: &CalibrationSettings,
) -> Option<Replay> {
    if site.settling == Settling::Reruns || runs.is_empty() {
        return None;
    }
    let is_its = |key: &SiteKey| !key.is_declared && key.id == site.id;
    let (_, hits) = collector.samples().find(|(key, _)| is_its(key))?;
    let shown = |run: u32| {
        let place = hits.binary_search_by_key(&run, |hit| hit.0).ok()?;
        Some(hits[place].1)
    };
    Some(Replay {
        base: settings.base.clone(),
        always: collector.plan.replays_always,
        runs: runs
            .iter()
            .map(|run| ReplayedRun {
                run: *run,
                shown: shown(*run),
            })
            .collect(),
    })
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

/// What each claim may spend, if all spend the same of what the sites leave.
fn rate_of_claims(collector: &Collector, calibrated: &Calibrated) -> f64 {
    let spent = calibrated
        .sites
        .iter()
        .map(|site| site.share.confidence.false_alarm_rate());
    let budget = collector.plan.confidence.false_alarm_rate();
    let sites = collector.observed.sites.entries().iter();
    let is_declared = |site: &Site| site.claim().is_some() && !site.is_learned();
    let claims = sites.filter(|(_, site)| is_declared(site)).count();
    let left = budget - spent.sum::<f64>();
    left.max(budget / 1000.0) / claims.max(1) as f64
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
    let known = collector.observed.sites.get(&site_key);
    if let Some(ends) = known.and_then(|site| site.ends) {
        entry = entry.limited_to(ends);
    }
    let is_time = collector.observed.is_time(&site_key);
    let shared = checked.shared.get(&Some(site_key.clone()));
    let source = collector.observed.sites.get(&site_key);
    let claim = source.and_then(|source| source.claim().copied());
    let objection = match shared {
        Some(words) => Some(Objection::Shared(words.clone())),
        // A mean may be of anything, and says itself what it has none of.
        None if claim.is_some() => None,
        None => SuspectedBug::of(site, is_time).map(Objection::Suspected),
    };
    let guards = site.bound.sides.iter();
    let guards = guards.filter_map(|side| side.guard.as_ref().ok());
    let most_reruns = guards.map(|guard| guard.race.most_reruns()).max();
    let mut learned = LearnedSite {
        name: site.id.to_string(),
        learned: entry.sides.clone(),
        entry,
        old: None,
        change: Change::New,
        samples: site.samples.clone(),
        missed: site.missed,
        looked_at: site.looked_at,
        power: site.power.clone(),
        settling: site.settling,
        most_reruns: most_reruns.unwrap_or(0),
        is_time: source.is_some_and(Site::is_in_seconds),
        objection,
        claim,
    };
    learned.settle(settings.accept);
    learned
}

fn declared_sites(collector: &Collector, runs: u32) -> Vec<DeclaredSite> {
    let mut sites = Vec::new();
    for (key, log) in collector.observed.declared.entries() {
        let Some(site) = collector.observed.sites.get(key) else {
            continue;
        };
        let bounds = site.declared();
        if bounds.is_empty() {
            continue;
        }
        let mut judged = log.hits.clone();
        judged.retain(|(run, _)| *run < runs);
        let mut broken = log.broken.clone();
        broken.retain(|run| *run < runs);
        let rate = |comparison: &Comparison| {
            let (side, bound) = (comparison.operator.side(), comparison.bound);
            let samples =
                Samples::new(judged.iter().map(|(run, hit)| (*run, value_on(side, *hit))));
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
            samples: judged.len(),
            broken,
        });
    }
    sites
}
