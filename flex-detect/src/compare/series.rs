//! The pairs of one series, and what they decide.

use flex_core::sequential::{
    Claim, Difference, Levels, NoWorseClaim, Observation, PairComparison, PairedBy, Process,
};
use flex_core::tail::Side;
use serde::{Deserialize, Serialize};

use super::pair::Pair;
use super::shares::Shares;
use super::summary::Moments;
use super::verdict::SeriesVerdict;

/// When series are decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeriesRule {
    /// Pairs that all tests make. What is equal in all of them is identical.
    pub first: u32,
    /// Pairs at most.
    pub most: u32,
    /// The difference that does not matter, if there is one.
    pub margin: Option<Margin>,
}

impl Default for SeriesRule {
    fn default() -> Self {
        SeriesRule {
            first: 3,
            most: 1000,
            margin: None,
        }
    }
}

impl SeriesRule {
    /// The number of pairs to go on to from this one: a few at a time, so that not many more are made than are needed.
    pub fn next(&self, pairs: u32) -> u32 {
        (pairs + (pairs / 4).max(14)).min(self.most)
    }
}

/// A difference that does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Margin {
    /// In the unit of the values.
    Unit(f64),
    /// In standard deviations of what the old code shows.
    Sd(f64),
}

/// The probability that a difference beyond the margin is called one within it.
pub const FINE: f64 = 0.01;

/// After so many pairs a margin in standard deviations becomes a number; only what comes later is held against it.
const PAIRS_FOR_SD: usize = 30;

/// The pairs of one series.
#[derive(Debug, Clone)]
pub struct SeriesPairs {
    worse: Side,
    margin: Option<Margin>,
    pub pairs: Vec<Pair>,
    /// What is known by signs, once the series has a share of α.
    bets: Option<Bets>,
    verdict: SeriesVerdict,
    /// The number of pairs by which it was decided.
    decided_by: Option<usize>,
}

/// The bets on signs, and how many pairs they have seen.
#[derive(Debug, Clone)]
struct Bets {
    alpha: f64,
    direction: PairComparison,
    within: Option<PairComparison>,
    seen: usize,
}

impl SeriesPairs {
    /// A series without pairs, whose values are worse on this side.
    pub fn new(worse: Side, margin: Option<Margin>) -> Self {
        SeriesPairs {
            worse,
            margin,
            pairs: Vec::new(),
            bets: None,
            verdict: SeriesVerdict::Identical,
            decided_by: None,
        }
    }

    /// Whether any pair differs.
    pub fn differs(&self) -> bool {
        self.pairs.iter().any(|pair| !pair.is_equal())
    }

    /// Gives the series its share of α if it needs one and has none, and bets on pairs that are new to it.
    pub fn decide(&mut self, share: impl FnOnce(&Shares) -> f64, shares: &Shares) {
        if self.bets.is_none() && self.differs() {
            self.verdict = SeriesVerdict::Undecided;
            self.bets = Bets::new(share(shares), self.margin);
        }
        let Some(bets) = &mut self.bets else { return };
        while let (SeriesVerdict::Undecided, Some(pair)) = (self.verdict, self.pairs.get(bets.seen))
        {
            let difference = bets.push(pair);
            bets.seen += 1;
            if bets.seen == PAIRS_FOR_SD {
                bets.know_sd(self.margin, &self.pairs[..PAIRS_FOR_SD]);
            }
            self.verdict = SeriesVerdict::of(difference, self.worse);
            if self.verdict != SeriesVerdict::Undecided {
                self.decided_by = Some(bets.seen);
            }
        }
    }

    pub fn verdict(&self) -> SeriesVerdict {
        self.verdict
    }

    pub fn decided_by(&self) -> Option<usize> {
        self.decided_by
    }

    /// The median of new less old and the ends of its interval, at this level: by signs alone, which holds for every law.
    pub fn shift(&self, level: f64) -> Option<[f64; 3]> {
        self.bets.as_ref()?;
        let claim = Claim::NoWorse(NoWorseClaim {
            worse: Side::Upper,
            margin: 0.0,
            by: PairedBy::Signs,
        });
        let mut process = Process::new(&claim, Levels::new(level)).ok()?;
        for pair in &self.pairs {
            // A pair has one value of each, which is all that could be refused.
            let _ = process.push(Observation::pair(&pair.new, &pair.old));
        }
        let shift = process.estimate(level)?;
        Some([shift.value, shift.low, shift.high])
    }

    /// The e-value against "unchanged", as a logarithm, and the level that it is held against.
    pub fn evidence(&self) -> Option<(f64, f64)> {
        let bets = self.bets.as_ref()?;
        Some((bets.direction.evidence().broken, bets.alpha))
    }
}

impl Bets {
    fn new(alpha: f64, margin: Option<Margin>) -> Option<Self> {
        let unit = match margin {
            Some(Margin::Unit(margin)) => Some(margin),
            _ => None,
        };
        Some(Bets {
            alpha,
            // Shares are levels, and margins were checked where they were read.
            direction: PairComparison::new(alpha, None, FINE).ok()?,
            within: unit.and_then(|unit| PairComparison::new(alpha, Some(unit), FINE).ok()),
            seen: 0,
        })
    }

    fn push(&mut self, pair: &Pair) -> Difference {
        let run = Observation::pair(&pair.new, &pair.old);
        // A pair has one value of each, which is all that could be refused.
        let direction = self.direction.push(run).unwrap_or(Difference::Undecided);
        let within = match &mut self.within {
            Some(within) => within.push(run).unwrap_or(Difference::Undecided),
            None => Difference::Undecided,
        };
        match (direction, within) {
            (Difference::Undecided, Difference::WithinMargin) => Difference::WithinMargin,
            _ => direction,
        }
    }

    fn know_sd(&mut self, margin: Option<Margin>, pairs: &[Pair]) {
        let Some(Margin::Sd(factor)) = margin else {
            return;
        };
        let sd = Moments::of(pairs.iter().map(|pair| pair.old)).sd;
        self.within = PairComparison::new(self.alpha, Some(factor * sd), FINE).ok();
    }
}
