//! What a new calibration changes: nothing, a bound, or so much that somebody should look first
//! (docs/design/recalibration.md, "What becomes of an entry").
//!
//! All who calibrate or compare decide by this, so that code that did not change leaves the bounds file as it is.

use crate::file::{Entry, Learned, Reached};
use flex_core::bound::ceiling::Promise;
use flex_core::bound::keep::KnownBound;
use flex_core::drift::{Drift, LEVEL};
use flex_core::sample::Samples;
use flex_core::tail::Side;
use flex_core::words::percent;

/// What a new calibration saw of a site.
#[derive(Debug, Clone, Copy)]
pub struct NewSamples<'a> {
    /// The samples of each side, the lower one first; the last are those that its entry's quantiles show.
    pub sides: &'a [Samples],
    /// Runs that came to their end without reaching it.
    pub missed: u32,
    /// What the rate of a ceiling is a promise about.
    pub promise: Promise,
}

impl NewSamples<'_> {
    /// The samples that the entry's quantiles show.
    fn shown(&self) -> Option<&Samples> {
        self.sides.last()
    }
}

/// What happens to the entry of a site.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// There was none.
    New,
    /// The new samples could come from the old distribution: the numbers stay.
    Kept,
    /// The new one takes the place of the old one.
    Replaced,
    /// Somebody must look first; the old one stays until then.
    Pending(String),
}

/// So many times as many samples are worth a new bound, though nothing moved.
const WORTH: f64 = 1.5;

/// The same for a mean or a rate.
const WORTH_OF_MEAN: f64 = 2.5;

impl Change {
    /// What becomes of an entry, among so many that are compared; `accept` takes the new one, whatever it is.
    pub fn between(
        old: Option<&Entry>,
        new: &Entry,
        seen: NewSamples<'_>,
        compared: usize,
        accept: bool,
    ) -> Change {
        let Some(old) = old else { return Change::New };
        if accept {
            return Change::Replaced;
        }
        if let Some(why) = lost(old, seen, compared) {
            return Change::Pending(why);
        }
        let drift = drift(old, new, seen);
        let moved = drift.filter(|drift| drift.is_significant(compared));
        // Another share of the confidence is no reason to overlook that the values moved.
        if let Some(drift) = moved
            && loosens(old, new)
        {
            return Change::Pending(loosened(&describe(&drift)));
        }
        // What somebody wrote by hand was never learned; only what it would loosen may be meant.
        if old.is_edited() {
            return match loosens(old, new) {
                true => Change::Pending(loosened("its entry was edited by hand")),
                false => Change::Replaced,
            };
        }
        if !same_question(old, new) {
            return Change::Replaced;
        }
        match (is_refused(old), is_refused(new)) {
            (true, false) => return Change::Replaced,
            (false, true) => {
                return Change::Pending("no bound could be learned any more".to_owned());
            }
            _ => {}
        }
        let stays = match drift {
            // Nothing can be compared but what is written.
            None => old.sides == new.sides && old.quantiles == new.quantiles,
            Some(_) => moved.is_none() && !is_worth_it(old, new) && fits(old, seen),
        };
        // Whoever changes a test asks something else, even where a hundred values do not show it.
        match stays && old.fingerprint == new.fingerprint {
            true => Change::Kept,
            false => Change::Replaced,
        }
    }

    /// Whether a new entry is written.
    pub fn is_new(&self) -> bool {
        matches!(self, Change::New | Change::Replaced)
    }

    /// Why an entry is not what a new calibration shows, among so many that are compared; `None` if it could be.
    #[inline]
    pub fn contradiction(
        old: &Entry,
        new: &Entry,
        seen: NewSamples<'_>,
        compared: usize,
    ) -> Option<String> {
        if let Some(why) = lost(old, seen, compared) {
            return Some(why);
        }
        if !same_promise(old, new) {
            return Some(
                "missing: its entry was learned for another tail, domain or confidence".to_owned(),
            );
        }
        if is_refused(new) && !is_refused(old) {
            return Some("no bound could be learned any more".to_owned());
        }
        let drift = drift(old, new, seen).filter(|drift| drift.is_significant(compared))?;
        Some(match loosens(old, new) {
            true => loosened(&describe(&drift)),
            false => format!("{}, and the bound would tighten", describe(&drift)),
        })
    }
}

/// How far values moved, where those of the same tail are known.
fn drift(old: &Entry, new: &Entry, seen: NewSamples<'_>) -> Option<Drift> {
    let quantiles = old
        .quantiles
        .as_ref()
        .filter(|_| old.tail() == new.tail())?;
    let finite = old.samples - old.not_finite.min(old.samples);
    Drift::between(quantiles, (finite, old.samples), seen.shown()?)
}

/// Whether an entry still keeps its promise, by what the new samples show.
fn fits(old: &Entry, seen: NewSamples<'_>) -> bool {
    let sides: Vec<(Side, &Learned)> = old.sides.iter().collect();
    if old.family().is_some() {
        return holds(old, seen);
    }
    let rate = old.confidence.false_alarm_rate() / sides.len() as f64;
    sides
        .iter()
        .zip(seen.sides)
        .all(|((side, learned), samples)| {
            let guard = learned.guard();
            let known = KnownBound {
                side: *side,
                rate,
                race: guard.map(|guard| &guard.race),
                strays: guard.and_then(|guard| guard.strays.as_ref()),
                ceiling: learned.ceiling(),
                light: old.light,
                promise: seen.promise,
            };
            known.fits(samples)
        })
}

/// Whether the mean of the new samples lies where an entry holds it.
fn holds(old: &Entry, seen: NewSamples<'_>) -> bool {
    let Some(values) = seen.shown().map(Samples::finite) else {
        return false;
    };
    let mean = values.iter().map(|sample| sample.value).sum::<f64>() / values.len() as f64;
    old.sides.iter().all(|(side, learned)| {
        let held = learned.held();
        held.is_some_and(|held| !side.is_beyond(mean, held.bound))
    })
}

/// Says so if runs miss a site that every run reached before, and more of them than chance explains.
fn lost(old: &Entry, seen: NewSamples<'_>, compared: usize) -> Option<String> {
    if old.reached == Reached::Sometimes || old.unenforced {
        return None;
    }
    let runs = seen.shown().map_or(0.0, |samples| samples.len() as f64) + f64::from(seen.missed);
    let all = runs + f64::from(old.samples);
    // If nothing changed, any run of both calibrations is as likely to miss as any other: the misses lie among the new
    // ones with this probability. That there are enough of them is rarer still, so this hardly adds to the level.
    let by_chance: f64 = (0..seen.missed)
        .map(|miss| (runs - f64::from(miss)) / (all - f64::from(miss)))
        .product();
    (by_chance < LEVEL / compared.max(1) as f64).then(|| {
        format!(
            "{} of {runs} runs do not reach it any more, and all did before (p = {by_chance:.0e})",
            seen.missed
        )
    })
}

fn loosened(why: &str) -> String {
    format!("{why}, and the bound would loosen")
}

/// Whether so many more samples are worth a new bound, though nothing moved.
fn is_worth_it(old: &Entry, new: &Entry) -> bool {
    let all = |entry: &Entry| f64::from(entry.samples) + f64::from(entry.earlier);
    let (before, now) = (all(old), all(new));
    // How many samples a site gives that only some runs reach is chance; five standard deviations are not.
    let by_chance = match (old.reached, new.reached) {
        (Reached::Always, Reached::Always) => 0.0,
        _ => 5.0 * (before + now).sqrt(),
    };
    // How many runs a mean takes is for its values to decide.
    let worth = match old.family() {
        Some(_) => WORTH_OF_MEAN,
        None => WORTH,
    };
    now >= worth * before && now - before > by_chance
}

/// Whether two entries were learned for the same assertion, and for the same effort.
fn same_question(old: &Entry, new: &Entry) -> bool {
    same_promise(old, new) && old.effort == new.effort
}

/// Whether two entries promise the same.
fn same_promise(old: &Entry, new: &Entry) -> bool {
    let is_known = !is_refused(old) && !is_refused(new);
    !(is_known && old.family() != new.family())
        && old.tail() == new.tail()
        && old.domain == new.domain
        && old.light == new.light
        && old.confidence == new.confidence
}

/// How the distribution moved.
fn describe(drift: &Drift) -> String {
    format!(
        "the distribution moved: {} of the values are below what {} were before (p = {:.0e})",
        percent(drift.share),
        percent(drift.at),
        drift.p_value
    )
}

/// Whether nothing is known for one of the sides.
pub fn is_refused(entry: &Entry) -> bool {
    let mut sides = entry.sides.iter();
    sides.any(|(_, learned)| matches!(learned, Learned::Refuse { .. }))
}

/// Whether any bound would lie further out than before, or be gone.
fn loosens(old: &Entry, new: &Entry) -> bool {
    let further = |side: Side, old: Option<f64>, new: Option<f64>| match (old, new) {
        (Some(old), Some(new)) => side.is_beyond(new, old),
        (old, new) => old.is_some() && new.is_none(),
    };
    old.sides.iter().any(|(side, old)| {
        let Some(new) = new.sides.get(side) else {
            return true;
        };
        let guard = |learned: &Learned| Some(learned.guard()?.bound);
        let held = |learned: &Learned| Some(learned.held()?.bound);
        further(side, guard(old), guard(new))
            || further(side, old.ceiling(), new.ceiling())
            || further(side, held(old), held(new))
    })
}

#[cfg(test)]
mod tests;
