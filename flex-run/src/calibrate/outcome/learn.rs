//! From runs to an outcome: an entry for each learned site, a rate for each declared one.

use flex_bounds::change::Change;
use flex_bounds::file::{Entry, Key, Provenance};
use flex_core::bound::confidence::Confidence;
use flex_core::bound::declared::DeclaredRate;
use flex_core::calibration::{Calibrated, CalibratedSite};
use flex_core::sample::Samples;

use super::{DeclaredSite, LearnedSite, TestCalibration, refused};
use crate::calibrate::checks::Checked;
use crate::calibrate::collector::Collector;
use crate::calibrate::date::today;
use crate::calibrate::settings::CalibrationSettings;
use crate::model::{Comparison, SiteKey, value_on};

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
    let mut sites = Vec::new();
    for site in &calibrated.sites {
        let provenance = Provenance {
            fingerprint: Some(collector.observed.test.fingerprint.clone()),
            calibrated: Some(today()),
            base: Some(settings.base.clone()),
            engine: Some(ENGINE.to_owned()),
        };
        sites.push(learned_site(
            site, collector, &checked, settings, provenance,
        ));
    }
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
    let (mut power, mut extra_runs, mut most_reruns) = (None, 0.0, 0);
    for side in &site.bound.sides {
        if let Ok(guard) = &side.guard
            && !is_refused
        {
            power = power.or(Some(guard.plan.power));
            extra_runs += guard.plan.extra_runs;
            most_reruns = guard.plan.hits.most_reruns().max(most_reruns);
        }
    }
    LearnedSite {
        name: site.id.to_string(),
        entry,
        old: None,
        change: Change::New,
        samples: site.samples.clone(),
        missed: site.missed,
        power: power.filter(|_| varies),
        extra_runs,
        most_reruns,
        is_time: collector.observed.is_time(&site_key),
        accepted: shared.filter(|_| settings.accept).cloned(),
    }
}

fn declared_sites(collector: &Collector, runs: u32) -> Vec<DeclaredSite> {
    let mut sites = Vec::new();
    for (key, log) in collector.observed.declared.entries() {
        let Some(site) = collector.observed.sites.get(key) else {
            continue;
        };
        let bounds = site.declared();
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
