//! What bounds say, in words.

use flex_bounds::file::{Entry, Learned};
use flex_core::tail;
use flex_core::words::{count, plain, short};

use crate::model::Side;

/// What was learned of a site, a paragraph for each side.
pub(crate) fn learned(entry: &Entry, sides: &[Side]) -> Vec<String> {
    let mut words: Vec<String> = sides.iter().map(|side| of_side(entry, side)).collect();
    if entry.not_finite > 0 {
        let values = count(entry.not_finite as usize, "value was", "values were");
        words.push(format!("{values} NaN or infinite."));
    }
    if entry.accepted {
        words.push(
            "Somebody accepted this bound though something speaks against its samples.".to_owned(),
        );
    }
    if entry.unenforced {
        words.push("A review decided that this site is not enforced.".to_owned());
    }
    words
}

fn of_side(entry: &Entry, side: &Side) -> String {
    let runs = count(entry.samples as usize, "run", "runs");
    let beyond = match side.side {
        "lower" => "below",
        _ => "above",
    };
    let mut words = String::new();
    if let (Some("refuse"), Some(reason)) = (side.strategy, &side.reason) {
        return format!("Nothing was learned from {runs}: {reason}.");
    }
    match &side.fit {
        Some(fit) => {
            let end = match fit.shape {
                shape if shape < -0.05 => {
                    let reach = fit.scale / -shape;
                    let end = match side.side {
                        "lower" => fit.threshold - reach,
                        _ => fit.threshold + reach,
                    };
                    format!("it ends at about {}", short(end))
                }
                shape if shape <= 0.05 => "it thins out like an exponential one".to_owned(),
                _ => "it is heavier than an exponential one".to_owned(),
            };
            words += &format!(
                "Of {runs}, the {} most extreme values lie {beyond} {} and follow a generalised Pareto tail with scale {} \
                 and shape {}: {end}.",
                fit.exceedances,
                short(fit.threshold),
                short(fit.scale),
                short(fit.shape)
            );
        }
        None => words += &format!("Learned from {runs}."),
    }
    if let (Some(bound), Some(mean)) = (side.bound, side.mean) {
        words += &format!(
            " Their mean was {}; the bound {} holds the mean of all runs there, and single values may go {beyond} it.",
            short(mean.0),
            plain(bound.0)
        );
    }
    if let Some(guard) = side.guard {
        words += &format!(
            " A value {beyond} the guard {} starts a race of reruns.",
            plain(guard.0)
        );
    }
    if let Some(ceiling) = side.ceiling {
        words += &format!(
            " One {beyond} the ceiling {} fails at once.",
            plain(ceiling.0)
        );
    }
    if let Some(reason) = &side.reason {
        let what = match side.guard.or(side.bound) {
            Some(_) => "There is no ceiling",
            None => "There is no bound",
        };
        words += &format!(" {what}: {reason}.");
    }
    words
}

/// The samples that are shown are those of a later calibration than the bound.
pub(crate) fn other_samples(runs: u32) -> String {
    format!(
        "The samples shown are those of the last calibration ({}); the bound in force was learned earlier and still fits.",
        count(runs as usize, "run", "runs")
    )
}

/// What a new entry would change.
pub(crate) fn changes(old: &Entry, new: &Entry) -> Vec<String> {
    let mut words = Vec::new();
    for (side, after) in new.sides.iter() {
        let before = old.sides.get(side);
        let tier = |name: &str, old: Option<f64>, new: Option<f64>| match (old, new) {
            (Some(old), Some(new)) if old != new => {
                let how = match side == tail::Side::Upper && new > old
                    || side == tail::Side::Lower && new < old
                {
                    true => "looser",
                    false => "tighter",
                };
                Some(format!(
                    "the {side} {name} goes from {} to {}, {how}",
                    plain(old),
                    plain(new)
                ))
            }
            (Some(old), None) => Some(format!("the {side} {name} {} is gone", plain(old))),
            (None, Some(new)) => Some(format!("the {side} {name} {} is new", plain(new))),
            _ => None,
        };
        let guard = |learned: &Learned| learned.guard().map(|guard| guard.bound);
        words.extend(tier("guard", before.and_then(guard), guard(after)));
        let ceiling = before.and_then(Learned::ceiling);
        words.extend(tier("ceiling", ceiling, after.ceiling()));
        let held = |learned: &Learned| learned.held().map(|held| held.bound);
        words.extend(tier("bound", before.and_then(held), held(after)));
        if let Learned::Refuse { reason } = after {
            words.push(format!("nothing could be learned: {reason}"));
        }
    }
    if old.reached != new.reached {
        words.push(format!(
            "runs reach the site {} instead of {}",
            new.reached, old.reached
        ));
    }
    words
}
