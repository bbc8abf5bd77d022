//! Whether runs that were made again under their seed showed the same, and if not, what no seed controls.

use std::collections::BTreeSet;

use flex_run::model::Probe;

use super::counted::{Counted, samples, value_of};
use super::finding::{Randomness, SHARED_STATE};
use crate::record::{ObservedSite, ObservedTest, Outcome, Repeat, RepeatPlace};

/// Values that differ by less, relative to their size and to the bound, are the same: the last bits of a sum depend on the
/// order of its terms.
const NOISE: f64 = 1e-9;

/// Differences up to this part of the spread of all values do not make a verdict.
const SLIGHT: f64 = 0.01;

/// What differs under the same seed.
pub(super) struct Disagreement {
    pub source: Randomness,
    /// The largest difference of two values; infinite where one is not a number or is missing.
    pub difference: f64,
    /// Whether that is little, beside what different seeds do.
    pub is_slight: bool,
    /// Runs that ended otherwise.
    pub outcomes: Vec<u32>,
}

/// What the repeated runs of a test say of one of its sites.
pub(super) fn of_site(
    test: &ObservedTest,
    counted: &Counted,
    index: usize,
    site: &ObservedSite,
) -> Option<Disagreement> {
    let compared = comparable(test, counted).map(|(repeat, otherwise)| {
        let difference = difference(repeat, otherwise, index, site);
        (repeat, otherwise && difference > 0.0, difference)
    });
    let mut found = disagreement(test, compared)?;
    let runs: BTreeSet<u32> = counted.all().map(|run| run.index).collect();
    let spread = site.series.first().and_then(|series| {
        let samples = samples(series, &runs);
        Some(samples.quantile(0.9)? - samples.quantile(0.1)?)
    });
    found.is_slight =
        found.outcomes.is_empty() && found.difference <= SLIGHT * spread.unwrap_or(0.0);
    Some(found)
}

/// What they say of the test itself: other outcomes for which no site shows another value.
pub(super) fn of_outcome(test: &ObservedTest, counted: &Counted) -> Option<Disagreement> {
    let compared = comparable(test, counted).map(|(repeat, otherwise)| {
        let mut sites = test.sites.iter().enumerate();
        let shown = sites.any(|(index, site)| difference(repeat, otherwise, index, site) > 0.0);
        let unexplained = otherwise && !shown;
        let difference = if unexplained { f64::INFINITY } else { 0.0 };
        (repeat, unexplained, difference)
    });
    disagreement(test, compared)
}

/// The repeats of runs that count, and whether they ended otherwise. One that was skipped, or tells nothing, does not.
fn comparable<'a>(
    test: &'a ObservedTest,
    counted: &'a Counted,
) -> impl Iterator<Item = (&'a Repeat, bool)> {
    let ended = |repeat: &&Repeat| repeat.outcome != Outcome::Skip;
    test.repeats.iter().filter(ended).filter_map(|repeat| {
        let run = counted.all().find(|run| run.index == repeat.index)?;
        Some((repeat, run.outcome != repeat.outcome))
    })
}

/// By how much the values of a site differ between a run and its repeat; 0 if they are the same or cannot be compared.
fn difference(repeat: &Repeat, otherwise: bool, index: usize, site: &ObservedSite) -> f64 {
    if site.is_condition() {
        // Which of several conditions a repeat failed is not known; it is one of those that the run failed, or any.
        let is_about = repeat.outcome == Outcome::Fail || site.failed.contains(&repeat.index);
        return if otherwise && is_about {
            f64::INFINITY
        } else {
            0.0
        };
    }
    let mut largest: f64 = 0.0;
    for (number, series) in site.series.iter().enumerate() {
        let mut again = repeat.values.iter();
        let again = again.find(|(site, of, _)| (*site, *of) == (index, number));
        let differs = match (value_of(series, repeat.index), again) {
            (Some(before), Some((_, _, after))) => apart(before, *after, series.bound),
            (None, None) => 0.0,
            // A run that ended otherwise ended elsewhere, and a repeat may have recorded no values at all.
            _ if otherwise || repeat.values.is_empty() => 0.0,
            _ => f64::INFINITY,
        };
        largest = largest.max(differs);
    }
    largest
}

fn apart(before: f64, after: f64, bound: Option<f64>) -> f64 {
    if before == after || (before.is_nan() && after.is_nan()) {
        return 0.0;
    }
    let difference = (before - after).abs();
    let bound = bound.filter(|bound| bound.is_finite()).unwrap_or(0.0);
    let size = before.abs().max(after.abs()).max(bound.abs());
    match difference {
        _ if !difference.is_finite() => f64::INFINITY,
        _ if difference <= NOISE * size => 0.0,
        _ => difference,
    }
}

fn disagreement<'a>(
    test: &ObservedTest,
    compared: impl Iterator<Item = (&'a Repeat, bool, f64)>,
) -> Option<Disagreement> {
    let (mut differing, mut agreeing) = (Vec::new(), Vec::new());
    let (mut largest, mut outcomes) = (0.0, BTreeSet::new());
    for (repeat, otherwise, difference) in compared {
        if difference > 0.0 {
            differing.push(repeat.place);
        } else {
            agreeing.push(repeat.place);
        }
        if otherwise {
            outcomes.insert(repeat.index);
        }
        largest = f64::max(largest, difference);
    }
    (!differing.is_empty()).then(|| Disagreement {
        source: source(test, &differing, &agreeing),
        difference: largest,
        is_slight: false,
        outcomes: outcomes.into_iter().collect(),
    })
}

/// What is not controlled, by the places where runs were repeated with another result and with the same one.
fn source(test: &ObservedTest, differing: &[RepeatPlace], agreeing: &[RepeatPlace]) -> Randomness {
    use RepeatPlace::{OtherHashes, OtherProcess, SameProcess};
    let only_hashes = differing.iter().all(|place| *place == OtherHashes);
    if only_hashes && agreeing.iter().any(|place| *place != OtherHashes) {
        return Randomness::HashOrder;
    }
    if !test.unseeded.is_empty() {
        return Randomness::Unseeded(test.unseeded.clone());
    }
    // One place gives the old result always, the other another one: what differs is what the process went through.
    let explains = |one: RepeatPlace, other: RepeatPlace| {
        differing.contains(&one)
            && !agreeing.contains(&one)
            && agreeing.contains(&other)
            && !differing.contains(&other)
    };
    let is_shared = explains(SameProcess, OtherProcess) || explains(OtherProcess, SameProcess);
    // A clock may be told by the process, too: who reads one within moments reads nearly the same.
    let mut touched = touched(test);
    match (touched.is_empty(), is_shared) {
        (true, true) => Randomness::SharedState,
        (true, false) => Randomness::Unknown,
        (false, _) => {
            touched.extend(is_shared.then(|| SHARED_STATE.to_owned()));
            Randomness::Touched(touched)
        }
    }
}

/// What the test was seen to touch that its seed does not decide, each once.
fn touched(test: &ObservedTest) -> Vec<String> {
    let touches = test.probe.iter().flat_map(Probe::touches);
    let free = touches.filter(|touch| !touch.seeded);
    let mut touched: Vec<String> = free.map(|touch| touch.what.clone()).collect();
    touched.dedup();
    touched
}
