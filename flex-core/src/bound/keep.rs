//! Whether a bound that was learned before still keeps its promise, by what fresh samples show
//! (docs/design/recalibration.md, "Does the bound still fit?").
//!
//! Fresh samples alone decide. The samples that the bound was learned from are of code as it was then: counted in, they
//! would keep bounds for code that has moved by half a standard deviation, and break their promise.

use crate::bound::ceiling::{Limit, TailKnowledge};
use crate::bound::race::Race;
use crate::bound::strays;
use crate::bound::tail_rate::FittedTail;
use crate::bound::{CEILING_PART, Promise, RACE_PART};
use crate::sample::Samples;
use crate::tail::Side;

/// One side of a bound that was learned before.
#[derive(Debug, Clone, Copy)]
pub struct KnownBound<'a> {
    /// The side.
    pub side: Side,
    /// The false-alarm rate that it promises.
    pub rate: f64,
    /// The race of values beyond the guard.
    pub race: Option<&'a Race>,
    /// The race of values beyond all samples.
    pub strays: Option<&'a Race>,
    /// One value beyond it fails.
    pub ceiling: Option<f64>,
    /// Whether a light tail was promised.
    pub light: bool,
    /// What the rate of the ceiling is a promise about.
    pub promise: Promise,
}

/// The race must keep its part with this probability, and so must the ceiling.
const LIKELY: f64 = 0.9;

/// What strays and ceiling may spend of the rate together with the race; each was learned for less or is far from it.
const STRAYS_MOST: f64 = 0.4;
const CEILING_MOST: f64 = 0.5;

impl KnownBound<'_> {
    /// Whether code that shows such samples keeps the rate.
    pub fn fits(&self, samples: &Samples) -> bool {
        self.race_fits(samples) && self.strays_fit(samples) && self.ceiling_fits(samples)
    }

    fn race_fits(&self, samples: &Samples) -> bool {
        let assurance = |race: &Race| race.assurance(self.side, samples, RACE_PART * self.rate);
        self.race.is_none_or(|race| assurance(race) >= LIKELY)
    }

    /// More likely than not is enough: how many of the new samples lie beyond the largest old one is mostly chance.
    fn strays_fit(&self, samples: &Samples) -> bool {
        let rate = STRAYS_MOST * self.rate;
        let assurance = |race: &Race| strays::assurance(race, self.side, samples, rate);
        self.strays.is_none_or(|race| assurance(race) >= 0.5)
    }

    fn ceiling_fits(&self, samples: &Samples) -> bool {
        let Some(ceiling) = self.ceiling else {
            return true;
        };
        // One that keeps its rate on average has no margin to lose.
        let (part, sure) = match self.promise {
            Promise::Assured => (CEILING_MOST, LIKELY),
            Promise::Expected => (CEILING_PART, 0.5),
        };
        let knowledge = TailKnowledge {
            light: self.light,
            limit: Limit::Likely(sure),
            ..TailKnowledge::default()
        };
        let tail = FittedTail::new(samples, self.side);
        match tail.ceiling_knowing(part * self.rate, knowledge) {
            Ok(fresh) => !self.side.is_beyond(fresh.bound, ceiling),
            // What has no ceiling now should not have one from before, unless it is far beyond everything.
            Err(_) => samples.is_constant() && samples.count_beyond(self.side, ceiling) == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::confidence::Confidence;
    use crate::bound::{LearnedBound, Question};
    use crate::tail::Tail;

    /// Quantiles of an exponential from a given place on: samples without chance.
    fn exponential(n: usize, shift: f64) -> Samples {
        let value = |i: usize| shift - ((i as f64 + 0.5) / n as f64).ln();
        let values: Vec<f64> = (0..n).map(value).collect();
        Samples::from_values(&values)
    }

    /// Whether the bound of a hundred samples fits others.
    fn fits(samples: &Samples, change: impl FnOnce(&mut KnownBound<'_>)) -> bool {
        let question = Question::new(Tail::Upper, Confidence::DEFAULT);
        let bound = LearnedBound::learn(&exponential(100, 0.0), &question);
        let side = &bound.sides[0];
        let guard = side.guard.as_ref().unwrap();
        let mut known = KnownBound {
            side: Side::Upper,
            rate: Confidence::DEFAULT.false_alarm_rate(),
            race: Some(&guard.race),
            strays: guard.strays.as_ref(),
            ceiling: side.ceiling.as_ref().ok().map(|ceiling| ceiling.bound),
            light: false,
            promise: Promise::Assured,
        };
        change(&mut known);
        known.fits(samples)
    }

    #[test]
    fn a_bound_fits_what_is_as_before_or_better() {
        assert!(fits(&exponential(100, 0.0), |_| {}));
        assert!(fits(&exponential(300, 0.0), |_| {}));
        assert!(fits(&exponential(100, -1.0), |_| {}));
    }

    #[test]
    fn a_bound_does_not_fit_what_moved_by_half_a_standard_deviation() {
        assert!(!fits(&exponential(100, 0.5), |_| {}));
        assert!(!fits(&exponential(100, 0.5), |known| {
            (known.strays, known.ceiling) = (None, None);
        }));
        // The ceiling of a hundred samples is far out; strays begin where these end.
        assert!(fits(&exponential(100, 0.5), |known| {
            (known.race, known.strays) = (None, None);
        }));
        assert!(!fits(&exponential(100, 3.0), |known| {
            (known.race, known.ceiling) = (None, None);
        }));
    }

    #[test]
    fn a_ceiling_does_not_fit_what_passes_it_or_has_none() {
        let only = |ceiling: f64| {
            move |known: &mut KnownBound<'_>| {
                (known.race, known.strays, known.ceiling) = (None, None, Some(ceiling));
            }
        };
        assert!(!fits(&exponential(100, 0.0), only(5.0)));
        assert!(fits(&exponential(100, 0.0), only(500.0)));
        let constant = Samples::from_values(&[2.0; 50]);
        assert!(fits(&constant, only(5.0)) && !fits(&constant, only(1.0)));
        let broken = Samples::from_values(&[f64::NAN; 50]);
        assert!(!fits(&broken, only(500.0)));
    }
}
