//! Sites whose bound is learned: the entry in force, the one that waits, and what their calibrations saw.

use flex_bounds::change::is_refused;
use flex_bounds::file::{Entry, Key};
use flex_core::tail::Side as TailSide;
use flex_core::words::quoted;

use super::SuiteFacts;
use super::known::{Known, replay_of};
use super::side::{deviation, extremes, series_of, sides};
use crate::kept::{CalibratedSite, Calibration};
use crate::model::{Catches, Pending, Probability, Site};
use crate::words;

/// The site of a key, in the bounds file or in the one beside it.
pub fn site(key: &Key, known: &Known<'_>, facts: &SuiteFacts) -> Site {
    let find = |entries: &[&Entry]| {
        entries
            .iter()
            .copied()
            .find(|entry| entry.key == *key)
            .cloned()
    };
    let (in_force, waiting) = (find(&known.entries), find(&known.pending));
    // Without an entry in force, the one that waits is all there is.
    let entry = in_force.as_ref().or(waiting.as_ref());
    let last_seen = known.calibration().and_then(|one| seen_by(one, key));
    let Some(entry) = entry else {
        return blank(key);
    };
    let own = known
        .calibration_of(entry)
        .and_then(|one| seen_by(one, key));
    let seen = match &waiting {
        // What waits has the last samples, and what is in force its own or none.
        Some(_) => own,
        None => own.or(last_seen),
    };
    let (verdict, grade) = verdict(entry, waiting.is_some(), known);
    let sides = sides(entry, seen);
    let mut said = words::learned(entry, &sides);
    if let (Some(calibration), None) = (known.calibration(), own)
        && seen.is_some()
    {
        said.push(words::other_samples(calibration.runs));
    }
    let objection = seen.and_then(|seen| seen.objection.as_ref());
    if let Some(objection) = objection
        && !said.iter().any(|words| words.contains(objection.as_str()))
    {
        said.push(objection.clone());
    }
    let rate = entry.confidence.false_alarm_rate();
    let place = last_seen.or(seen);
    Site {
        file: place.map_or_else(String::new, |seen| seen.file.clone()),
        line: place.map_or(0, |seen| seen.line),
        text: place.map_or_else(String::new, |seen| seen.text.clone()),
        verdict,
        grade,
        words: said,
        runs: entry.samples,
        calibrated: entry.calibrated.clone(),
        failure: (!entry.unenforced && !is_refused(entry)).then_some(Probability {
            basis: "promised",
            estimate: None,
            low: 0.0,
            high: rate,
        }),
        catches: catches(entry, seen),
        unit: seen.filter(|seen| seen.time).map(|_| "seconds"),
        sides,
        quantiles: entry.quantiles.map_or_else(Vec::new, |all| all.to_vec()),
        series: seen.map_or_else(Vec::new, series_of),
        extremes: seen.map_or_else(Vec::new, extremes),
        // The last calibration is the one that the commands of the test are about.
        replay: known
            .calibration_of(entry)
            .filter(|one| {
                known
                    .calibration()
                    .is_some_and(|last| last.base != one.base)
            })
            .map(|one| replay_of(one, key.test.runner())),
        pending: waiting
            .as_ref()
            .filter(|_| in_force.is_some())
            .map(|waiting| Box::new(pending(entry, waiting, known, facts))),
        ..blank(key)
    }
}

/// A site of which nothing is known.
pub fn blank(key: &Key) -> Site {
    Site {
        site: key.site.label(),
        case: key.site.case.clone(),
        variant: key.variant.clone(),
        kind: "learned",
        file: String::new(),
        line: 0,
        text: String::new(),
        verdict: "unknown",
        grade: "quiet",
        words: Vec::new(),
        runs: 0,
        calibrated: None,
        failure: None,
        catches: None,
        unit: None,
        sides: Vec::new(),
        quantiles: Vec::new(),
        series: Vec::new(),
        extremes: Vec::new(),
        failed_runs: Vec::new(),
        replay: None,
        history: Vec::new(),
        race: None,
        pending: None,
        compared: Vec::new(),
        menu: None,
        claim: None,
    }
}

fn seen_by<'a>(calibration: &'a Calibration, key: &Key) -> Option<&'a CalibratedSite> {
    let (label, case) = (key.site.label(), &key.site.case);
    let mut sites = calibration.sites.iter();
    sites.find(|seen| seen.kind == "learned" && seen.site == label && seen.case == *case)
}

fn verdict(entry: &Entry, waits: bool, known: &Known<'_>) -> (&'static str, &'static str) {
    let label = entry.key.site.label();
    let last = known.verdicts.last();
    let is_its = |site: &str, case: &Option<String>| site == label && *case == entry.key.site.case;
    let named = |problems: &[crate::kept::ProblemLine]| {
        let mut problems = problems.iter();
        problems.any(|problem| is_its(&problem.site, &problem.case))
    };
    let failed = last.is_some_and(|line| line.verdict == "fail" && named(&line.problems));
    if failed && is_refused(entry) {
        ("refused", "bad")
    } else if failed {
        ("failed", "bad")
    } else if waits {
        ("waits", "look")
    } else if entry.unenforced {
        ("unenforced", "quiet")
    } else if is_refused(entry) {
        ("refused", "look")
    } else if last.is_some_and(|line| named(&line.cleared)) {
        ("cleared", "good")
    } else if last.is_some_and(|line| {
        line.values
            .iter()
            .any(|seen| is_its(&seen.site, &seen.case))
    }) {
        ("passed", "good")
    } else {
        ("learned", "good")
    }
}

/// What the weakest side catches: the least shift of one, two or three standard deviations that nine of ten runs catch.
fn catches(entry: &Entry, seen: Option<&CalibratedSite>) -> Option<Catches> {
    let deviation = deviation(entry, seen).filter(|sd| sd.is_finite() && *sd > 0.0)?;
    let sides = [TailSide::Lower, TailSide::Upper].into_iter();
    let powers = sides.filter_map(|side| entry.power(side));
    let power = powers.min_by(|a, b| a[2].total_cmp(&b[2]))?;
    let steps = power.iter().position(|caught| *caught >= 0.9).unwrap_or(2);
    let deviations = (steps + 1) as f64;
    Some(Catches {
        shift: deviations * deviation,
        deviations,
        probability: power[steps],
        power,
    })
}

fn pending(old: &Entry, new: &Entry, known: &Known<'_>, facts: &SuiteFacts) -> Pending {
    let seen = known
        .calibration_of(new)
        .and_then(|one| seen_by(one, &new.key));
    let sides = sides(new, seen);
    let name = quoted(new.key.test.name());
    Pending {
        runs: new.samples,
        words: words::changes(old, new),
        quantiles: new.quantiles.map_or_else(Vec::new, |all| all.to_vec()),
        series: seen.map_or_else(Vec::new, series_of),
        sides,
        accept: format!("{} accept {name}", facts.review),
        reject: format!("{} reject {name}", facts.review),
    }
}
