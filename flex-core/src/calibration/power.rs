//! What a bound catches, told by the samples themselves: they are moved, and the test is run on them
//! (docs/design/bound.md, "What a bound catches").

use super::CalibratedSite;
use super::learn::{SiteSamples, outward};
use crate::bound::SideBound;
use crate::bound::guard::{Guard, Settling};
use crate::bound::race::{Race, cells};
use crate::tail::Side;

/// What one side of a site catches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// A standard deviation of the samples, as a shift outward in the unit of the metric.
    pub shift: f64,
    /// The probability that one run of the test fails after its values moved by one, two and three of them.
    pub caught: [f64; 3],
}

/// What the sides of a site catch, if all other sites are as they were.
pub(super) fn power_of(
    index: usize,
    sites: &[SiteSamples<'_>],
    learned: &[CalibratedSite],
    runs: u32,
    always: bool,
) -> Vec<Option<Power>> {
    let (site, calibrated) = (&sites[index], &learned[index]);
    // Another site may be in doubt, and what is replayed then clears or accuses all.
    let elsewhere = match site.settling {
        Settling::Replay if always => 1.0,
        Settling::Replay => replayed(sites, learned, runs, |other| other != index),
        Settling::Reruns => 0.0,
    };
    let sides = calibrated.bound.sides.iter();
    sides
        .map(|bound| {
            let values: Vec<f64> = site
                .hits
                .iter()
                .map(|hit| outward(bound.side, hit.1))
                .collect();
            of_side(bound, &values, elsewhere)
        })
        .collect()
}

/// The part of all runs in which one of these controlled sites is in doubt.
pub(super) fn replayed(
    sites: &[SiteSamples<'_>],
    learned: &[CalibratedSite],
    runs: u32,
    counts: impl Fn(usize) -> bool,
) -> f64 {
    let mut in_doubt = vec![false; runs as usize];
    for (other, (site, calibrated)) in sites.iter().zip(learned).enumerate() {
        if !counts(other) || site.settling == Settling::Reruns {
            continue;
        }
        for bound in &calibrated.bound.sides {
            let Ok(guard) = &bound.guard else { continue };
            for (run, hit) in site.hits {
                let beyond = outward(bound.side, *hit) > bound.side.orient(guard.bound);
                in_doubt[*run as usize] |= beyond;
            }
        }
    }
    let count = in_doubt.iter().filter(|doubt| **doubt).count();
    count as f64 / f64::from(runs.max(1))
}

/// What a side with these values catches, turned outward; `None` if there is no guard, or no spread.
fn of_side(bound: &SideBound, values: &[f64], elsewhere: f64) -> Option<Power> {
    let guard = bound.guard.as_ref().ok()?;
    let mut sorted: Vec<f64> = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let shift = deviation(&sorted)?;
    let ceiling = bound.ceiling.as_ref().ok().map(|ceiling| ceiling.bound);
    let caught = |by: f64| {
        let share = |beyond: f64| {
            let above = sorted.len() - sorted.partition_point(|value| value + by <= beyond);
            above as f64 / sorted.len() as f64
        };
        caught(guard, bound.side, ceiling, elsewhere, share)
    };
    Some(Power {
        shift: bound.side.orient(shift),
        caught: [1.0, 2.0, 3.0].map(|times| caught(times * shift)),
    })
}

/// The probability that a run fails, if a value is beyond an outward number with the probability `share`.
fn caught(
    guard: &Guard,
    side: Side,
    ceiling: Option<f64>,
    elsewhere: f64,
    share: impl Fn(f64) -> f64,
) -> f64 {
    let at_once = ceiling.map_or(0.0, |ceiling| share(side.orient(ceiling)));
    let beyond = beyond_cuts(&guard.race, side, &share);
    let doubted = share(side.orient(guard.bound));
    let entering = |ends: &[f64]| {
        let in_doubt = (ends[0].min(doubted) - ends[1].max(at_once)).max(0.0);
        let others = (ends[0] - ends[1].max(doubted)).max(0.0);
        in_doubt + elsewhere * others
    };
    let entering: Vec<f64> = beyond.windows(2).map(entering).collect();
    at_once + guard.race.passage(&entering, &cells(&beyond)).regression
}

/// The probabilities to be beyond nothing, beyond each cut, and beyond everything.
fn beyond_cuts(race: &Race, side: Side, share: impl Fn(f64) -> f64) -> Vec<f64> {
    let cuts = race.cuts().iter().map(|cut| share(side.orient(cut.value)));
    std::iter::once(1.0).chain(cuts).chain([0.0]).collect()
}

/// Half the width of the middle 68 % of ascending values, which is the standard deviation of normal ones; of all values,
/// if these are equal; `None` if nothing varies.
fn deviation(sorted: &[f64]) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let width = |share: f64| {
        let cut = (share * last as f64) as usize;
        0.5 * (sorted[last - cut] - sorted[cut])
    };
    [0.16, 0.05, 0.0]
        .map(width)
        .into_iter()
        .find(|width| *width > 0.0 && width.is_finite())
}
