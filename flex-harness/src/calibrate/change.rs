//! What a new calibration changes: nothing, a bound, or so much that somebody should look first (DESIGN §4.6).

use flex_core::bounds_file::{Entry, Learned};
use flex_core::drift::Drift;
use flex_core::sample::Samples;
use flex_core::tail::Side;
use flex_core::words::percent;

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
    pub(super) fn between(
        old: Option<&Entry>,
        new: &Entry,
        samples: &Samples,
        compared: usize,
        accept: bool,
    ) -> Change {
        let Some(old) = old else { return Change::New };
        if !same_question(old, new) || is_refused(old) {
            return Change::Replaced;
        }
        if is_refused(new) {
            return pending(accept, "no bound could be learned any more".to_owned());
        }
        let Some(quantiles) = &old.quantiles else {
            return Change::Replaced;
        };
        let Some(drift) = Drift::between(quantiles, old.samples, samples) else {
            return Change::Replaced;
        };
        if !drift.is_significant(compared) {
            let worth = f64::from(new.samples) >= WORTH * f64::from(old.samples);
            return if worth {
                Change::Replaced
            } else {
                Change::Kept
            };
        }
        if loosens(old, new) {
            return pending(
                accept,
                format!("{}, and the bound would loosen", moved(&drift)),
            );
        }
        Change::Replaced
    }
}

/// Whether two entries were learned for the same assertion.
pub(super) fn same_question(old: &Entry, new: &Entry) -> bool {
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
pub(crate) fn moved(drift: &Drift) -> String {
    format!(
        "the distribution moved: {} of the values are below what {} were before (p = {:.0e})",
        percent(drift.share),
        percent(drift.at),
        drift.p_value
    )
}

/// Whether nothing is known for one of the sides.
pub(crate) fn is_refused(entry: &Entry) -> bool {
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
    use flex_core::bounds_file::{Key, Provenance};
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
            let hit = ("x", SiteSpec::new(Tail::Upper), Extremes::new(value(run)));
            calibration.push_folded(run, false, &[hit]).unwrap();
        }
        let Step::Done(done) = calibration.step().unwrap() else {
            panic!("the runs are enough");
        };
        let key = Key {
            target: None,
            test: "t".to_owned(),
            site: "x".to_owned(),
            case: None,
            variant: None,
        };
        let entry = Entry::of_calibration(key, &done.sites[0], Provenance::default());
        (entry, Samples::new((0..runs).map(|run| (run, value(run)))))
    }

    /// What becomes of an entry of 100 samples, in a word.
    fn check(new: (Entry, Samples), accept: bool, expected: &str) {
        let (old, _) = learn(100, 1.0, 0.0);
        let change = Change::between(Some(&old), &new.0, &new.1, 10, accept);
        let word = match &change {
            Change::New => "new",
            Change::Kept => "kept",
            Change::Replaced => "replaced",
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
    fn a_looser_bound_of_a_moved_distribution_waits_for_a_review() {
        check(learn(100, 1.0, 2.0), false, "moved");
        check(learn(100, 1.0, 2.0), true, "replaced");
        check(learn(100, 0.1, -5.0), false, "replaced");
    }

    #[test]
    fn a_bound_is_not_lost_to_a_refusal_unseen() {
        let (mut entry, samples) = learn(100, 1.0, 0.0);
        entry.sides = flex_core::bounds_file::Sides::Upper(Learned::Refuse {
            reason: "shared state".to_owned(),
        });
        check((entry.clone(), samples.clone()), false, "refused");
        check((entry, samples), true, "replaced");
    }

    #[test]
    fn another_question_has_another_answer() {
        let (mut entry, samples) = learn(100, 1.0, 0.0);
        entry.light = true;
        check((entry, samples), false, "replaced");
        let (entry, samples) = learn(100, 1.0, 0.0);
        assert_eq!(
            Change::between(None, &entry, &samples, 1, false),
            Change::New
        );
    }
}
