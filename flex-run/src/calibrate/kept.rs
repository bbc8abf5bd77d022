//! What a calibration saw, as JSON.

use std::path::Path;

use flex_core::sample::Extremes;
use flex_core::sequential::{Allowed, Claim};
use flex_core::tail::Side;

use super::outcome::{LearnedSite, TestCalibration};
use crate::history::{HistoryPlace, origin};
use crate::json::{Object, list, maybe_number, text};
use crate::kept::{Kept, VERSION};
use crate::model::{Asks, ClaimSpec, Place, Site, SiteKey, Test, value_on};
use crate::project::date::now;

/// Values of one series that are kept at most, those of the first runs.
const MOST_VALUES: usize = 20_000;

/// Keeps what a calibration saw, in the folder that flex has, and in the history. Nothing depends on it: what cannot be
/// written is not kept, with a word if somebody asked for the history.
pub fn keep(
    calibration: &TestCalibration,
    flex: Option<&Path>,
    history: Option<&HistoryPlace>,
) -> Option<String> {
    let text = line(calibration);
    if let Some(flex) = flex {
        let kept = Kept::within(flex);
        let _ = kept.replace(&calibration.test, calibration.variant(), &text);
    }
    history?.append_or_say(&text)
}

/// What a calibration saw, as a line of JSON.
pub fn line(calibration: &TestCalibration) -> String {
    json(calibration, now())
}

fn json(calibration: &TestCalibration, at: u64) -> String {
    let test = &calibration.test;
    let mut all = head(test, at);
    all.maybe_text("variant", calibration.variant());
    origin(&mut all, &test.fingerprint);
    all.text("base", &calibration.base);
    all.raw("runs", &calibration.runs.to_string());
    all.raw("saved", &calibration.saved.to_string());
    all.number("seconds_per_run", calibration.seconds_per_run);
    all.number("extra_runs", calibration.extra_runs);
    all.raw("deterministic", &calibration.is_deterministic.to_string());
    all.raw(
        "uncontrolled",
        &calibration.uncontrolled.is_some().to_string(),
    );
    let failures = calibration.failures.iter().map(|(run, why)| {
        let line = why.lines().next().unwrap_or_default();
        format!("[{run},{}]", text(line))
    });
    all.raw("failures", &list(failures.take(100)));
    let learned = calibration.sites.iter();
    let learned = learned.map(|site| learned_site(site, calibration));
    let others = calibration.observed.sites.entries().iter();
    let others = others.filter_map(|(key, site)| other_site(key, site, calibration));
    all.raw("sites", &list(learned.chain(others)));
    all.end() + "\n"
}

fn learned_site(learned: &LearnedSite, calibration: &TestCalibration) -> String {
    let id = &learned.entry.key.site;
    let key = SiteKey {
        id: id.clone(),
        is_declared: false,
    };
    let site = calibration.observed.sites.get(&key);
    let mut object = Object::new();
    object.text("site", &id.label());
    object.maybe_text("case", id.case.as_deref());
    object.text("kind", "learned");
    if let Some(site) = site {
        source(&mut object, site);
    }
    if let Some(objection) = &learned.objection {
        object.text("objection", &objection.to_string());
    }
    let sides = learned.entry.tail().sides().iter();
    let series = sides
        .zip(learned.samples())
        .map(|(side, samples)| series(*side, &samples.by_run()));
    object.raw("series", &list(series));
    object.end()
}

/// A site whose bound is written out, or that claims something of all runs.
fn other_site(key: &SiteKey, site: &Site, calibration: &TestCalibration) -> Option<String> {
    let log = calibration.observed.declared.get(key)?;
    let mut object = Object::new();
    object.text("site", &key.id.label());
    object.maybe_text("case", key.id.case.as_deref());
    let sides = match &site.asks {
        Asks::Learned(_) => return None,
        Asks::Declared(bounds) => {
            object.text("kind", "declared");
            let bounds = bounds.iter().map(|bound| {
                let mut object = Object::new();
                object.text("side", bound.operator.side().as_str());
                object.text("words", bound.operator.word());
                object.number("bound", bound.bound);
                object.end()
            });
            object.raw("bounds", &list(bounds));
            let broken = log.broken.iter().map(ToString::to_string);
            object.raw("broken", &list(broken));
            site.sides()
        }
        Asks::Claim(claim) => {
            object.text("kind", "claim");
            object.text("claim", claim.family().form().name);
            if let Some((least, most)) = allowed(claim) {
                let ends = [maybe_number(least), maybe_number(most)];
                object.raw("allowed", &list(ends.into_iter()));
            }
            vec![Side::Upper]
        }
    };
    source(&mut object, site);
    let series = sides.into_iter().map(|side| {
        let value = |(run, shown): &(u32, Extremes)| (*run, value_on(side, *shown));
        let runs: Vec<(u32, f64)> = log.hits.iter().map(value).collect();
        series(side, &runs)
    });
    object.raw("series", &list(series));
    Some(object.end())
}

/// The least and the greatest value that a mean, a rate or a difference may have.
fn allowed(claim: &ClaimSpec) -> Option<(Option<f64>, Option<f64>)> {
    let allowed = match claim.claim().ok()? {
        Claim::Mean(mean) => mean.allowed,
        Claim::Rate(rate) => rate.allowed,
        Claim::NoWorse(pair) => match pair.worse {
            Side::Upper => Allowed::AtMost(pair.margin),
            Side::Lower => Allowed::AtLeast(-pair.margin),
        },
        Claim::Distributed(_) | Claim::SameDistribution(_) => return None,
    };
    Some(match allowed {
        Allowed::AtMost(most) => (None, Some(most)),
        Allowed::AtLeast(least) => (Some(least), None),
        Allowed::Between(least, most) => (Some(least), Some(most)),
    })
}

fn source(object: &mut Object, site: &Site) {
    place(object, &site.place);
    object.text("text", &site.text);
    if site.is_in_seconds() {
        object.raw("time", "true");
    }
}

/// How the line of every calibration begins.
pub(super) fn head(test: &Test, at: u64) -> Object {
    let mut all = Object::new();
    all.raw("version", &VERSION.to_string());
    all.text("by", "calibrate");
    all.raw("at", &at.to_string());
    all.maybe_text("package", test.package.as_deref());
    all.maybe_text("target", test.id.target());
    all.text("test", test.name());
    place(&mut all, &test.place);
    all.text("selection", &test.selection);
    all
}

pub(super) fn place(object: &mut Object, place: &Place) {
    object.text("file", &place.file);
    object.raw("line", &place.line.to_string());
}

/// Values in the order of runs, with a place for each run: what did not reach the site is `null`.
pub(super) fn series(side: Side, runs: &[(u32, f64)]) -> String {
    let mut values: Vec<Option<f64>> = Vec::new();
    for (run, value) in runs {
        let run = *run as usize;
        if run < MOST_VALUES {
            values.resize(values.len().max(run + 1), None);
            values[run] = Some(*value);
        }
    }
    let mut object = Object::new();
    object.text("side", side.as_str());
    object.raw("values", &list(values.into_iter().map(maybe_number)));
    object.end()
}
