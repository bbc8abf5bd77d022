//! What a bound catches, told by the samples themselves: they are moved, and the test is run on them
//! (docs/design/bound.md, "What a bound catches").

use std::fmt;

use crate::arrays::each;
use crate::bound::SideBound;
use crate::bound::race::{Race, cells};
use crate::sample::Samples;
use crate::tail::Side;
use crate::words::{percent, plain};

/// What one side of a site catches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// A standard deviation of the samples, as a shift outward in the unit of the metric.
    pub shift: f64,
    /// The probability that one run of the test fails after its values moved by one, two and three of them.
    pub caught: [f64; 3],
}

/// The numbers by which one side of a site is enforced.
#[derive(Debug, Clone, Copy)]
pub struct Enforced<'a> {
    /// The side.
    pub side: Side,
    /// Where doubts begin.
    pub guard: f64,
    /// What settles them.
    pub race: &'a Race,
    /// What no value may pass, if there is such a number.
    pub ceiling: Option<f64>,
}

impl<'a> Enforced<'a> {
    fn of(bound: &'a SideBound) -> Option<Self> {
        let guard = bound.guard.as_ref().ok()?;
        Some(Enforced {
            side: bound.side,
            guard: guard.bound,
            race: &guard.race,
            ceiling: bound.ceiling.as_ref().ok().map(|ceiling| ceiling.bound),
        })
    }
}

impl Power {
    /// What a side catches that learned from these samples; `None` if it has no guard, or nothing varies.
    pub fn of(bound: &SideBound, samples: &Samples, looked_at: f64) -> Option<Power> {
        Power::of_enforced(Enforced::of(bound)?, samples, looked_at)
    }

    /// What a side catches whose values are distributed as these samples; `None` if nothing varies.
    ///
    /// A value that is not in doubt is looked at too with the probability `looked_at`, such as that of a replay for the
    /// sake of another site.
    pub fn of_enforced(bound: Enforced<'_>, samples: &Samples, looked_at: f64) -> Option<Power> {
        let oriented = samples.orient(bound.side);
        let values = &oriented.values;
        let shift = deviation(values)?;
        let caught = |by: f64| {
            let share = |beyond: f64| {
                let within = values.partition_point(|value| value + by <= beyond);
                let beyond = values.len() - within + oriented.unbounded.len();
                beyond as f64 / oriented.len() as f64
            };
            caught(bound, looked_at, &share)
        };
        Some(Power {
            shift: bound.side.orient(shift),
            caught: each(&[1.0, 2.0, 3.0], |times| caught(times * shift)),
        })
    }
}

impl fmt::Display for Power {
    /// Writes what is caught, in the unit of the metric: `+0.004 in 24%, +0.008 in 78%, +0.012 in 97% of runs`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(two_digits))
    }
}

impl Power {
    /// The same words, with sizes of shifts as the caller writes them.
    pub fn in_words(&self, size: impl Fn(f64) -> String) -> String {
        let shifts = self.caught.iter().zip(1..).map(|(caught, times)| {
            let shift = f64::from(times) * self.shift;
            let sign = if shift < 0.0 { "-" } else { "+" };
            // Samples are no certainty, however far they are moved.
            let share = match *caught {
                rare if rare < 0.001 => "<0.1%".to_owned(),
                often => percent(often.min(0.999)),
            };
            format!("{sign}{} in {share}", size(shift.abs()))
        });
        shifts.collect::<Vec<_>>().join(", ") + " of runs"
    }
}

/// A number with two digits that count.
fn two_digits(number: f64) -> String {
    let rounded = format!("{number:.1e}");
    match number {
        1e-4..1e6 => rounded.parse().map_or(rounded, plain),
        _ => rounded,
    }
}

/// The probability that a run fails, if a value is beyond an outward number with the probability `share`.
fn caught(bound: Enforced<'_>, looked_at: f64, share: &dyn Fn(f64) -> f64) -> f64 {
    let Enforced {
        side,
        guard,
        race,
        ceiling,
    } = bound;
    let at_once = ceiling.map_or(0.0, |ceiling| share(side.orient(ceiling)));
    let beyond = beyond_cuts(race, side, share);
    let doubted = share(side.orient(guard));
    let entering = |ends: &[f64]| {
        let in_doubt = (ends[0].min(doubted) - ends[1].max(at_once)).max(0.0);
        let others = (ends[0] - ends[1].max(doubted)).max(0.0);
        in_doubt + looked_at * others
    };
    let entering: Vec<f64> = beyond.windows(2).map(entering).collect();
    at_once + race.passage(&entering, &cells(&beyond)).regression
}

/// The probabilities to be beyond nothing, beyond each cut, and beyond everything.
fn beyond_cuts(race: &Race, side: Side, share: &dyn Fn(f64) -> f64) -> Vec<f64> {
    let mut beyond = vec![1.0];
    for cut in race.cuts() {
        beyond.push(share(side.orient(cut.value)));
    }
    beyond.push(0.0);
    beyond
}

/// Half the width of the middle 68 % of ascending values, which is the standard deviation of normal ones; of all values,
/// if these are equal; `None` if nothing varies.
fn deviation(sorted: &[f64]) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let width = |share: f64| {
        let cut = (share * last as f64) as usize;
        0.5 * (sorted[last - cut] - sorted[cut])
    };
    let varies = |width: &f64| *width > 0.0 && width.is_finite();
    each(&[0.16, 0.05, 0.0], width).into_iter().find(varies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::duration;

    #[test]
    fn shifts_have_the_unit_of_the_metric() {
        let mut power = Power {
            shift: 0.00072,
            caught: [1.7e-9, 0.75, 1.0],
        };
        let plain = "+0.00072 in <0.1%, +0.0014 in 75%, +0.0022 in 99.9% of runs";
        assert_eq!(power.to_string(), plain);
        power.shift = -power.shift;
        let times = "-720 µs in <0.1%, -1.4 ms in 75%, -2.2 ms in 99.9% of runs";
        assert_eq!(power.in_words(duration), times);
    }
}
