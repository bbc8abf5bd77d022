//! Two things measured in each run: signs of differences, weighed by the ranks of their sizes.

use super::betting::opposite;
use super::claim::{ClaimError, NoWorseClaim, PairedBy, Refusal};
use super::estimate::Estimate;
use super::mixture::Mixture;
use super::ranks::Ranks;
use super::{Family, Observation};
use crate::arrays::each;
use crate::numeric::normal::normal_isf;
use crate::sorted::sort_numbers;
use crate::tail::Side;

/// Evidence that differences tend to be above 0, and that they tend to be below.
///
/// If neither way is preferred, the sign of a difference is a fair coin, given all sizes and all signs before. A bet on it
/// that is worth 1 + h if it is a plus and 1 − h if it is a minus is fair for every |h| ≤ 1 that is chosen by looking at
/// sizes, this one's included. For normal differences with a mean of θ standard deviations the best is tanh(θ |d|/σ); here
/// the normal score of the size's rank stands for |d|/σ, so that one wild value does not spoil it, and all of [`EFFECTS`]
/// are played at once. A difference of 0 says nothing; ties of sizes share their rank.
#[derive(Debug, Clone)]
pub(super) struct SignBets {
    by: PairedBy,
    sizes: Ranks,
    above: Mixture,
    below: Mixture,
}

/// Effects in standard deviations of differences, with the weights of their shares of the capital.
pub(super) const EFFECTS: [(f64, f64); 7] = [
    (0.04, 0.2),
    (0.1, 0.5),
    (0.22, 1.2),
    (0.5, 1.2),
    (1.0, 0.8),
    (2.0, 0.4),
    (8.0, 0.9),
];

impl SignBets {
    pub fn new(by: PairedBy) -> Self {
        let capital = Mixture::new(each(&EFFECTS, |(_, weight)| weight));
        SignBets {
            by,
            sizes: Ranks::default(),
            above: capital.clone(),
            below: capital,
        }
    }

    /// Counts a difference.
    pub fn push(&mut self, difference: f64) {
        if difference == 0.0 {
            return;
        }
        let size = difference.abs();
        let score = match self.by {
            PairedBy::Signs => 1.0,
            PairedBy::SignedRanks => {
                self.sizes.insert(size);
                normal_isf(0.5 * (1.0 - self.sizes.mid_rank(size)))
            }
        };
        let mut stakes = [0.0; EFFECTS.len()];
        for (stake, (effect, _)) in stakes.iter_mut().zip(EFFECTS) {
            *stake = (effect * score).tanh().copysign(difference);
        }
        self.above.step(|index| 1.0 + stakes[index]);
        self.below.step(|index| 1.0 - stakes[index]);
    }

    /// The logarithm of the e-value for a tendency to this side.
    pub fn ln_value(&self, side: Side) -> f64 {
        match side {
            Side::Upper => self.above.ln_value(),
            Side::Lower => self.below.ln_value(),
        }
    }

    /// The logarithm of the largest one so far.
    pub fn ln_peak(&self, side: Side) -> f64 {
        match side {
            Side::Upper => self.above.ln_peak(),
            Side::Lower => self.below.ln_peak(),
        }
    }
}

/// The first value less the second. NaN is larger than every number and equal to itself.
pub(super) fn difference(first: f64, second: f64) -> f64 {
    match (first.is_nan(), second.is_nan()) {
        _ if first == second => 0.0,
        (true, true) => 0.0,
        (true, false) => f64::INFINITY,
        (false, true) => f64::NEG_INFINITY,
        (false, false) => first - second,
    }
}

/// The mean difference of a cluster.
pub(super) fn mean_difference(run: Observation<'_>) -> Result<f64, Refusal> {
    let (first, second) = (run.first.len(), run.second.len());
    if first == 0 || first != second {
        return Err(Refusal::Count { first, second });
    }
    let mut mean = 0.0;
    for (one, other) in run.first.iter().zip(run.second) {
        mean += difference(*one, *other) / first as f64;
    }
    // Infinities of both signs: no direction.
    Ok(if mean.is_nan() { 0.0 } else { mean })
}

/// The claim that one thing is no worse than another.
#[derive(Debug, Clone)]
pub(super) struct NoWorse {
    worse: Side,
    margin: f64,
    bets: SignBets,
    differences: Vec<f64>,
}

impl NoWorse {
    pub fn new(claim: &NoWorseClaim) -> Result<Self, ClaimError> {
        if !claim.margin.is_finite() {
            return Err(ClaimError::Margin(claim.margin));
        }
        Ok(NoWorse {
            worse: claim.worse,
            margin: claim.worse.orient(claim.margin),
            bets: SignBets::new(claim.by),
            differences: Vec::new(),
        })
    }
}

impl Family for NoWorse {
    fn push(&mut self, run: Observation<'_>) -> Result<(), Refusal> {
        let difference = mean_difference(run)?;
        self.differences.push(difference);
        self.bets.push(difference - self.margin);
        Ok(())
    }

    fn broken(&self) -> f64 {
        self.bets.ln_value(self.worse)
    }

    fn fine(&self) -> f64 {
        self.bets.ln_value(opposite(self.worse))
    }

    fn estimate(&self, level: f64) -> Option<Estimate> {
        shift(&self.differences, self.bets.by, level)
    }
}

/// The median difference, and the shifts that bets on signs do not refute.
pub(super) fn shift(differences: &[f64], by: PairedBy, level: f64) -> Option<Estimate> {
    let mut sorted: Vec<f64> = differences.to_vec();
    sort_numbers(&mut sorted);
    let middle = sorted.len() / 2;
    let value = match sorted.len() {
        0 => return None,
        n if n % 2 == 1 => sorted[middle],
        _ => 0.5 * (sorted[middle - 1] + sorted[middle]),
    };
    let ln_capital = -(0.5 * level).ln();
    let refuted = |shift: f64, side: Side| {
        let mut bets = SignBets::new(by);
        differences
            .iter()
            .for_each(|difference| bets.push(difference - shift));
        bets.ln_peak(side) >= ln_capital
    };
    // The outermost differences that are not refuted, and what lies up to the next ones: between differences, signs do
    // not change.
    let low = outermost(&sorted, |shift| refuted(shift, Side::Upper));
    let mirrored: Vec<f64> = sorted.iter().rev().map(|x| -x).collect();
    let high = -outermost(&mirrored, |shift| refuted(-shift, Side::Lower));
    Some(Estimate {
        value,
        low,
        high,
        level,
    })
}

/// The largest of the ascending values such that it and all below are refuted as a shift; −∞ if there is none.
fn outermost(sorted: &[f64], refuted: impl Fn(f64) -> bool) -> f64 {
    let count = sorted.partition_point(|shift| shift.is_finite() && refuted(*shift));
    match count {
        0 => f64::NEG_INFINITY,
        count => sorted[count - 1],
    }
}
