//! How a race is laid out: no sample is looked at, only how many there are beyond each cut
//! (docs/design/bound.md, "The race").
//!
//! If the probability p of each cell is known, Σ p e^(θ·score) ≤ 1 makes e^(θ·sum) a bet that unchanged code does not
//! win on average, and by Ville's inequality (1939) the sum ever reaches S with probability e^(−θS) at most, whenever
//! and for whatever reason it is given up. The cells' probabilities are not known, but whatever the distribution, they
//! have a Dirichlet law given the numbers of samples (Wilks 1962). So θ is the largest number that satisfies the
//! inequality with the assurance.

use crate::bound::confidence::RacePromise;
use crate::bound::race::passage::{Course, Sums};
use crate::numeric::linear_form::probability_at_most_zero;
use crate::numeric::normal::{normal_isf, normal_sf};
use crate::numeric::root::crossing;

/// The shares of the samples that are beyond the cuts, as nearly as whole samples allow.
pub(crate) const SHARES: [f64; 9] = [0.70, 0.50, 0.40, 0.28, 0.17, 0.08, 0.04, 0.02, 0.0];

/// Scores are counted in eighths of a nat.
const UNIT: f64 = 8.0;

/// No score is lower than this.
const WORST: f64 = -200.0;

/// What is laid out: everything of a race but the values of its cuts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Design {
    pub scores: Vec<i32>,
    pub clear: i32,
    pub fail: i32,
    /// Expected reruns per run of unchanged code.
    pub reruns: f64,
}

impl Design {
    /// The race for so many samples beyond each cut, of n; `None` if they are too few to tell anything.
    ///
    /// Scores are logarithms of likelihood ratios of a shift by `tilt` standard deviations of a normal distribution, or by
    /// somewhat more. The race is entered by the outermost part `entered` of all runs, and cleared as late as the expected reruns allow.
    pub fn choose(
        above: &[u32],
        n: u32,
        promise: RacePromise,
        tilt: f64,
        (entered, reruns): (f64, f64),
    ) -> Option<Design> {
        let beyond = beyond(above, n);
        let shapes = shapes(above, n);
        let (rate, scores) = tilted(&beyond, &shapes, tilt, promise.assurance)?;
        let fail = (-promise.rate.ln() / rate).ceil().min(1e6) as i32;
        let (first, cells) = (entering(&beyond, entered), cells(&beyond));
        let mut sums = Sums::with_room(fail.min(1000).abs_diff(LOWEST) as usize);
        let mut cost = |clear: i32| {
            let course = Course {
                scores: &scores,
                clear,
                fail,
                most: MOST,
            };
            course
                .follow(&first, &cells, 1e-3 * reruns, &mut sums)
                .reruns
        };
        // Clearing later costs more.
        let (mut low, mut high) = (LOWEST, scores[scores.len() - 1] - 1);
        while low < high {
            let middle = low + (high - low).div_euclid(2);
            match cost(middle) <= reruns {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        Some(Design {
            reruns: cost(high),
            clear: high,
            fail,
            scores,
        })
    }
}

/// Reruns that an estimate of their number follows.
const MOST: u32 = 100;

/// No race is cleared lower than this.
const LOWEST: i32 = -64;

/// The probabilities to be beyond nothing, beyond each cut, and beyond everything, as the samples suggest them.
pub(super) fn beyond(above: &[u32], n: u32) -> Vec<f64> {
    let mut beyond = vec![1.0];
    for above in above {
        beyond.push(f64::from(above + 1) / f64::from(n + 1));
    }
    beyond.push(0.0);
    beyond
}

/// The probability to be in each cell, from those to be beyond nothing, each cut, and everything.
pub(crate) fn cells(beyond: &[f64]) -> Vec<f64> {
    entering(beyond, 1.0)
}

/// The probability to be in each cell and among the outermost part of all runs.
pub(crate) fn entering(beyond: &[f64], part: f64) -> Vec<f64> {
    let of_cell = |ends: &[f64]| (ends[0].min(part) - ends[1]).max(0.0);
    beyond.windows(2).map(of_cell).collect()
}

/// The scores of a shift and their θ. A few samples in few cells tell little of a small shift, so that it takes forever
/// to win the bet; a larger one is looked for then.
fn tilted(beyond: &[f64], shapes: &[f64], tilt: f64, assurance: f64) -> Option<(f64, Vec<i32>)> {
    let mut best: Option<(f64, Vec<i32>)> = None;
    for step in 0..8 {
        let scores = scores(beyond, tilt + 0.5 * f64::from(step));
        let Some(rate) = rate(shapes, &scores, assurance) else {
            continue;
        };
        if best.as_ref().is_none_or(|(best, _)| rate > *best) {
            best = Some((rate, scores));
        }
        if rate >= QUICK {
            break;
        }
    }
    best
}

/// A θ with which a bet is won soon enough. It is 1 / [`UNIT`] where the cells' probabilities are known.
pub(crate) const QUICK: f64 = 0.04;

/// Logarithms of likelihood ratios, cell by cell. What is below all cuts always counts for unchanged code, if only a
/// little: where all samples are equal, nothing else does.
fn scores(beyond: &[f64], tilt: f64) -> Vec<i32> {
    let moved = |q: f64| normal_sf(normal_isf(q) - tilt);
    let score = |ends: &[f64]| {
        let ratio = (moved(ends[0]) - moved(ends[1])) / (ends[0] - ends[1]);
        (UNIT * ratio.ln()).round().max(WORST) as i32
    };
    let mut scores: Vec<i32> = beyond.windows(2).map(score).collect();
    scores[0] = scores[0].min(-1);
    scores
}

/// The Dirichlet law of the cells' probabilities: as many points as spacings of the samples lie in each.
pub(super) fn shapes(above: &[u32], n: u32) -> Vec<f64> {
    let mut shapes = Vec::with_capacity(above.len() + 1);
    let mut before = n;
    for above in above {
        shapes.push(f64::from(before - above));
        before = *above;
    }
    shapes.push(f64::from(before + 1));
    shapes
}

/// The largest θ for which Σ p e^(θ·score) ≤ 1 with the assurance; `None` if the sum does not even fall on average.
fn rate(shapes: &[f64], scores: &[i32], assurance: f64) -> Option<f64> {
    let mut gains = vec![0.0; scores.len()];
    let mut assured = |theta: f64| {
        for (gain, score) in gains.iter_mut().zip(scores) {
            *gain = (theta * f64::from(*score)).exp_m1();
        }
        probability_at_most_zero(shapes, &gains) - assurance
    };
    if assured(1e-6) < 0.0 {
        return None;
    }
    Some(crossing(1e-6, 1.0, 1e-9, |theta| -assured(theta)))
}
