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
pub struct Seen<'a> {
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
        seen: Seen<'_>,
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
        seen: Seen<'_>,
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
fn drift(old: &Entry, new: &Entry, seen: Seen<'_>) -> Option<Drift> {
    let quantiles = old
        .quantiles
        .as_ref()
        .filter(|_| old.tail() == new.tail())?;
    let finite = old.samples - old.not_finite.min(old.samples);
    Drift::between(quantiles, (finite, old.samples), seen.samples)
}

/// Says so if runs miss a site that every run reached before, and more of them than chance explains.
fn lost(old: &Entry, seen: Seen<'_>, compared: usize) -> Option<String> {
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
mod tests {
    use super::*;
    use crate::TestId;
    use crate::file::{Key, Provenance, Sides};
    use flex_core::bound::confidence::Confidence;
    use flex_core::calibration::{Calibration, CalibrationPlan, SiteSpec, Step};
    use flex_core::sample::Extremes;
    use flex_core::tail::Tail;

    /// The entry of an upper tail, and its samples: the quantiles of an exponential, scaled and shifted.
    fn learn(runs: u32, scale: f64, shift: f64) -> (Entry, Samples) {
        let plan = CalibrationPlan {
            min_runs: runs,
            ..CalibrationPlan::default()
        };
        let value = |run: u32| {
            let scrambled = f64::from(run * 37 % runs);
            shift - scale * ((scrambled + 0.5) / f64::from(runs)).ln()
        };
        let mut calibration = Calibration::new(plan);
        for run in 0..runs {
            let site = "x".into();
            let hit = (&site, SiteSpec::new(Tail::Upper), Extremes::new(value(run)));
            calibration.push_folded(run, false, &[hit]).unwrap();
        }
        let Step::Done(done) = calibration.step().unwrap() else {
            panic!("the runs are enough");
        };
        let key = Key {
            test: TestId::pytest("t"),
            site: "x".into(),
            variant: None,
        };
        let entry = Entry::of_calibration(key, &done.sites[0], Provenance::default());
        (entry, Samples::new((0..runs).map(|run| (run, value(run)))))
    }

    /// A site that no run missed.
    fn all(samples: &Samples) -> Seen<'_> {
        Seen { samples, missed: 0 }
    }

    /// What becomes of an entry of 100 samples, in a word.
    fn check(new: (Entry, Samples), accept: bool, expected: &str) {
        let (old, _) = learn(100, 1.0, 0.0);
        let change = Change::between(Some(&old), &new.0, all(&new.1), 10, accept);
        let word = match &change {
            Change::New => "new",
            Change::Kept => "kept",
            Change::Replaced => "replaced",
            Change::Pending(why) if why.contains("nothing moved") => "more samples",
            Change::Pending(why) if why.contains("moved") => "moved",
            Change::Pending(_) => "refused",
        };
        assert_eq!(word, expected, "{change:?}");
    }

    #[test]
    fn what_could_be_the_old_distribution_keeps_the_old_numbers() {
        check(learn(100, 1.0, 0.0), false, "kept");
        check(learn(101, 1.05, 0.0), false, "kept");
        check(learn(300, 1.0, 0.0), false, "replaced");
    }

    #[test]
    fn a_looser_bound_of_more_samples_waits_for_a_review() {
        check(learn(150, 1.3, 0.0), false, "more samples");
        check(learn(150, 1.3, 0.0), true, "replaced");
        let (old, _) = learn(100, 1.0, 0.0);
        let (new, samples) = learn(150, 1.3, 0.0);
        assert_eq!(Change::contradiction(&old, &new, all(&samples), 10), None);
    }

    #[test]
    fn a_looser_bound_of_a_moved_distribution_waits_for_a_review() {
        check(learn(100, 1.0, 2.0), false, "moved");
        check(learn(100, 1.0, 2.0), true, "replaced");
        check(learn(100, 0.1, -5.0), false, "replaced");
    }

    #[test]
    fn a_bound_is_not_lost_to_a_refusal_unseen() {
        let (mut entry, samples) = learn(100, 1.0, 0.0);
        entry.sides = Sides::Upper(Learned::Refuse {
            reason: "shared state".to_owned(),
        });
        check((entry.clone(), samples.clone()), false, "refused");
        check((entry, samples), true, "replaced");
    }

    #[test]
    fn what_stays_refused_stays_as_it_is() {
        let refused = |reason: &str| {
            let (mut entry, samples) = learn(100, 1.0, 0.0);
            let reason = reason.to_owned();
            entry.sides = Sides::Upper(Learned::Refuse { reason });
            (entry, samples)
        };
        let (old, _) = refused("look at run 3");
        let check = |old: &Entry, (new, samples): (Entry, Samples), expected| {
            let change = Change::between(Some(old), &new, all(&samples), 1, false);
            assert_eq!(change, expected);
        };
        check(&old, refused("look at run 5"), Change::Kept);
        check(&old, learn(100, 1.0, 0.0), Change::Replaced);
        // Without quantiles there are only the words.
        let mut old = old;
        old.quantiles = None;
        let mut new = refused("look at run 3");
        new.0.quantiles = None;
        check(&old, new.clone(), Change::Kept);
        new.0.sides = refused("look at run 5").0.sides;
        check(&old, new, Change::Replaced);
    }

    #[test]
    fn a_site_that_some_runs_reach_is_not_learned_anew_by_chance() {
        let sometimes = |runs| {
            let (mut entry, samples) = learn(runs, 1.0, 0.0);
            entry.reached = Reached::Sometimes;
            (entry, samples)
        };
        let (old, _) = sometimes(24);
        for (runs, expected) in [(40, Change::Kept), (200, Change::Replaced)] {
            let (new, samples) = sometimes(runs);
            let change = Change::between(Some(&old), &new, all(&samples), 1, false);
            assert_eq!(change, expected, "{runs}");
        }
    }

    #[test]
    fn a_site_that_runs_begin_to_miss_waits_for_a_review() {
        let (old, _) = learn(100, 1.0, 0.0);
        let check = |missed: u32, expected: bool| {
            let (mut new, samples) = learn(100 - missed, 1.0, 0.0);
            new.reached = Reached::Sometimes;
            let seen = Seen {
                samples: &samples,
                missed,
            };
            let change = Change::between(Some(&old), &new, seen, 1, false);
            assert_eq!(change != Change::Kept, expected, "{missed}: {change:?}");
            let against = Change::contradiction(&old, &new, seen, 1);
            assert_eq!(against.is_some(), expected, "{missed}: {against:?}");
            // Twelve misses of 200 runs are all new with probability C(100, 12) / C(200, 12) = 1.7e-4, eight with 3.4e-3.
            if expected {
                assert!(matches!(change, Change::Pending(why) if why.contains("reach it")));
                let accepted = Change::between(Some(&old), &new, seen, 1, true);
                assert_eq!(accepted, Change::Replaced);
            }
        };
        check(0, false);
        check(8, false);
        check(12, true);
        check(50, true);
    }

    #[test]
    fn a_check_finds_what_moved_either_way() {
        let (old, _) = learn(100, 1.0, 0.0);
        let found = |(new, samples): (Entry, Samples)| {
            Change::contradiction(&old, &new, all(&samples), 500).unwrap_or_default()
        };
        assert_eq!(found(learn(300, 1.0, 0.0)), "");
        assert!(found(learn(300, 1.0, 1.0)).contains("would loosen"));
        assert!(found(learn(300, 1.0, -1.0)).contains("would tighten"));
        let (mut other, samples) = learn(300, 1.0, 0.0);
        other.light = true;
        assert!(found((other, samples)).starts_with("missing"));
    }

    #[test]
    fn another_question_has_another_answer() {
        let (mut entry, samples) = learn(100, 1.0, 0.0);
        entry.light = true;
        check((entry, samples), false, "replaced");
        // A test with one more site has another share for each; that must not hide a shift.
        let other_share = |(mut entry, samples): (Entry, Samples)| {
            entry.confidence = Confidence::new(0.99995).unwrap();
            (entry, samples)
        };
        check(other_share(learn(100, 1.0, 0.0)), false, "replaced");
        check(other_share(learn(100, 1.0, 2.0)), false, "moved");
        check(other_share(learn(100, 1.0, 2.0)), true, "replaced");
        let (entry, samples) = learn(100, 1.0, 0.0);
        assert_eq!(
            Change::between(None, &entry, all(&samples), 1, false),
            Change::New
        );
    }
}
