//! What a new calibration changes: nothing, a bound, or so much that somebody should look first
//! (docs/design/recalibration.md, "What becomes of an entry").
//!
//! All who calibrate or compare decide by this, so that code that did not change leaves the bounds file as it is.

use crate::file::{Entry, Learned, Reached};
use flex_core::drift::{Drift, LEVEL};
use flex_core::sample::Samples;
use flex_core::tail::Side;
use flex_core::words::percent;

/// What a new calibration saw of a site.
#[derive(Debug, Clone, Copy)]
pub struct NewSamples<'a> {
    /// The samples that its entry's quantiles show.
    pub samples: &'a Samples,
    /// Runs that came to their end without reaching it.
    pub missed: u32,
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

impl Change {
    /// What becomes of an entry, among so many that are compared; `accept` leaves nothing for a review.
    pub fn between(
        old: Option<&Entry>,
        new: &Entry,
        seen: NewSamples<'_>,
        compared: usize,
        accept: bool,
    ) -> Change {
        let Some(old) = old else { return Change::New };
        if let Some(why) = lost(old, seen, compared) {
            return pending(accept, why);
        }
        if !same_question(old, new) {
            // Another share of the confidence is no reason to overlook that the values moved.
            let drift = drift(old, new, seen).filter(|drift| drift.is_significant(compared));
            return match drift {
                Some(drift) if loosens(old, new) => pending(accept, loosened(&moved(&drift))),
                _ => Change::Replaced,
            };
        }
        match (is_refused(old), is_refused(new)) {
            (true, false) => return Change::Replaced,
            (false, true) => {
                return pending(accept, "no bound could be learned any more".to_owned());
            }
            _ => {}
        }
        let Some(drift) = drift(old, new, seen) else {
            // Nothing can be compared but what is written.
            return match old.sides == new.sides && old.quantiles == new.quantiles {
                true => Change::Kept,
                false => Change::Replaced,
            };
        };
        let has_moved = drift.is_significant(compared);
        if !has_moved && !is_worth_it(old, new) {
            return Change::Kept;
        }
        if !loosens(old, new) {
            return Change::Replaced;
        }
        let why = match has_moved {
            true => moved(&drift),
            false => format!(
                "nothing moved, but {} samples say more than {}",
                new.samples, old.samples
            ),
        };
        pending(accept, loosened(&why))
    }

    /// Whether a new entry is written.
    pub fn is_new(&self) -> bool {
        matches!(self, Change::New | Change::Replaced)
    }

    /// Why an entry is not what a new calibration shows, among so many that are compared; `None` if it could be.
    pub fn contradiction(
        old: &Entry,
        new: &Entry,
        seen: NewSamples<'_>,
        compared: usize,
    ) -> Option<String> {
        if let Some(why) = lost(old, seen, compared) {
            return Some(why);
        }
        if !same_question(old, new) {
            return Some(
                "missing: its entry was learned for another tail, domain or confidence".to_owned(),
            );
        }
        if is_refused(new) && !is_refused(old) {
            return Some("no bound could be learned any more".to_owned());
        }
        let drift = drift(old, new, seen).filter(|drift| drift.is_significant(compared))?;
        Some(match loosens(old, new) {
            true => loosened(&moved(&drift)),
            false => format!("{}, and the bound would tighten", moved(&drift)),
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
    Drift::between(quantiles, (finite, old.samples), seen.samples)
}

/// Says so if runs miss a site that every run reached before, and more of them than chance explains.
fn lost(old: &Entry, seen: NewSamples<'_>, compared: usize) -> Option<String> {
    if old.reached == Reached::Sometimes || old.unenforced {
        return None;
    }
    let runs = seen.samples.len() as f64 + f64::from(seen.missed);
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
    let (before, now) = (f64::from(old.samples), f64::from(new.samples));
    // How many samples a site gives that only some runs reach is chance; five standard deviations are not.
    let by_chance = match (old.reached, new.reached) {
        (Reached::Always, Reached::Always) => 0.0,
        _ => 5.0 * (before + now).sqrt(),
    };
    now >= WORTH * before && now - before > by_chance
}

/// Whether two entries were learned for the same assertion.
fn same_question(old: &Entry, new: &Entry) -> bool {
    old.tail() == new.tail()
        && old.domain == new.domain
        && old.light == new.light
        && old.confidence == new.confidence
}

fn pending(accept: bool, why: String) -> Change {
    if accept {
        Change::Replaced
    } else {
        Change::Pending(why)
    }
}

/// How the distribution moved.
fn moved(drift: &Drift) -> String {
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
        let guard = |learned: &Learned| learned.guard().map(|guard| guard.bound);
        further(side, guard(old), guard(new)) || further(side, old.ceiling(), new.ceiling())
    })
}

#[cfg(test)]
mod tests;
