//! The ends of a type: a `u8` is never below 0, whatever its samples let expect, and says so without a `domain`.
//!
//! Only what lies outside is taken back. A declared domain changes what is learned, and a bound at its end is refused; a
//! type says nothing of a metric, and must refuse nothing.

use flex_core::tail::{Domain, Side};
use flex_core::words::plain;

use super::{Bounds, Entry, GuardBound, Learned, Sides};

impl Entry {
    /// Leaves out ceilings that no value of the type can reach, and moves guards to its end that lie behind it. Where
    /// samples lie outside, as in a generic function that measures several types, nothing changes.
    pub fn limited_to(mut self, ends: Domain) -> Entry {
        let has_seen = |value: &f64| !ends.contains(*value);
        if self.quantiles.iter().flatten().any(has_seen) {
            return self;
        }
        let limited = |side: Side, learned: &Learned| limited(learned.clone(), side, ends);
        let sides = match &self.sides {
            Sides::Upper(upper) => Sides::Upper(limited(Side::Upper, upper)),
            Sides::Lower(lower) => Sides::Lower(limited(Side::Lower, lower)),
            Sides::Both { lower, upper } => Sides::Both {
                lower: limited(Side::Lower, lower).into(),
                upper: limited(Side::Upper, upper).into(),
            },
        };
        let learned = std::mem::replace(&mut self.sides, sides);
        if self.check().is_err() {
            self.sides = learned;
        }
        self
    }
}

fn limited(learned: Learned, side: Side, ends: Domain) -> Learned {
    let end = ends.end(side);
    let guard = |guard: GuardBound| GuardBound {
        bound: ends.clamp(guard.bound),
        race: guard.race.map_cuts(|cut| ends.clamp(cut)),
        strays: guard
            .strays
            .map(|strays| strays.map_cuts(|cut| ends.clamp(cut))),
    };
    let bounds = |bounds: Bounds| Bounds {
        ceiling: ends.clamp(bounds.ceiling),
        guard: bounds.guard.map(guard),
        ..bounds
    };
    match learned {
        Learned::Tail(Bounds {
            ceiling,
            guard: Some(tight),
            ..
        })
        | Learned::Order(Bounds {
            ceiling,
            guard: Some(tight),
            ..
        }) if !ends.leaves_room_beyond(side, ceiling) => Learned::Guard {
            guard: guard(tight),
            fit: None,
            reason: Some(format!(
                "a ceiling would lie at {} or beyond, where the type of the value ends",
                plain(end)
            )),
        },
        Learned::Tail(learned) => Learned::Tail(bounds(learned)),
        Learned::Order(learned) => Learned::Order(bounds(learned)),
        Learned::Guard {
            guard: tight,
            fit,
            reason,
        } => Learned::Guard {
            guard: guard(tight),
            fit,
            reason,
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::tests::{calibrated, entry};
    use flex_core::tail::Tail;

    fn ends(lower: f64, upper: f64) -> Domain {
        Domain::new(lower, upper).unwrap()
    }

    #[test]
    fn a_ceiling_below_zero_is_none_for_what_is_never_negative() {
        // Thirty-odd values between 3 and 40: the lower tail reaches below zero.
        let learned = calibrated(Tail::Lower, 100, |run| f64::from(3 + run * 37 % 38));
        let before = learned.sides.get(Side::Lower).unwrap();
        assert!(before.ceiling().unwrap() < 0.0, "{before:?}");
        let limited = learned.clone().limited_to(ends(0.0, 255.0));
        let after = limited.sides.get(Side::Lower).unwrap();
        assert_eq!(after.ceiling(), None);
        assert!(after.reason().unwrap().contains("where the type"));
        let [old, new] = [before, after].map(|learned| learned.guard().unwrap().bound);
        assert_eq!(old, new, "the guard lies within");
    }

    #[test]
    fn guards_that_rounding_moved_out_go_back_to_the_end() {
        let learned = calibrated(Tail::Lower, 100, |run| f64::from(run % 3));
        let limited = learned.limited_to(ends(0.0, 255.0));
        let guard = limited.sides.get(Side::Lower).unwrap().guard().unwrap();
        assert!(guard.bound >= 0.0);
        assert!(guard.race.cuts().iter().all(|cut| cut.value >= 0.0));
    }

    #[test]
    fn what_lies_within_and_what_contradicts_stays() {
        for ends in [ends(-9.0, 99.0), ends(3.0, 4.0)] {
            let learned = entry("x<_");
            assert_eq!(learned.clone().limited_to(ends), learned);
        }
    }
}
