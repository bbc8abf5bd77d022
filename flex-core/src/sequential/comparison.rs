//! Do two things that are measured in each run differ, and which way?

use super::claim::{ClaimError, PairedBy, Refusal};
use super::estimate::Estimate;
use super::paired::{SignBets, mean_difference, shift};
use super::path::{Path, PathPoint};
use super::{Evidence, Observation};
use crate::tail::Side;

/// What is known of the difference `first − second`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Difference {
    /// Nothing, so far.
    Undecided,
    /// The first tends to be higher.
    Higher,
    /// The first tends to be lower.
    Lower,
    /// Neither by more than the margin.
    WithinMargin,
}

/// Old and new under the same seeds. Direction is decided at a level of α/2 each; that the difference lies within a margin,
/// at `fine`.
///
/// What is refuted by "higher" and "lower" is that old and new could be exchanged within a run: that at every size, a
/// difference of either sign is as likely. So it is for code that has the same law and draws its random numbers
/// differently.
#[derive(Debug, Clone)]
pub struct PairComparison {
    alpha: f64,
    fine: f64,
    margin: Option<f64>,
    bets: SignBets,
    /// Differences less the margin, and with the margin added.
    within: Option<[SignBets; 2]>,
    differences: Vec<f64>,
    equal: u64,
    decision: Difference,
    path: Path,
}

impl PairComparison {
    /// A comparison at level `alpha`, and with `fine` for the margin, if there is one.
    #[inline]
    pub fn new(alpha: f64, margin: Option<f64>, fine: f64) -> Result<Self, ClaimError> {
        for level in [alpha, fine] {
            if !(level > 0.0 && level < 1.0) {
                return Err(ClaimError::Level(level));
            }
        }
        if let Some(margin) = margin
            && !(margin > 0.0 && margin.is_finite())
        {
            return Err(ClaimError::Margin(margin));
        }
        let bets = SignBets::new(PairedBy::SignedRanks);
        Ok(PairComparison {
            alpha,
            fine,
            margin,
            within: margin.map(|_| [bets.clone(), bets.clone()]),
            bets,
            differences: Vec::new(),
            equal: 0,
            decision: Difference::Undecided,
            path: Path::new(),
        })
    }

    /// Counts a run: what the first shows and what the second shows. The first decision stays.
    #[inline]
    pub fn push(&mut self, run: Observation<'_>) -> Result<Difference, Refusal> {
        let difference = mean_difference(run)?;
        self.differences.push(difference);
        self.equal += u64::from(difference == 0.0);
        self.bets.push(difference);
        if let (Some(margin), Some([below, above])) = (self.margin, &mut self.within) {
            below.push(difference - margin);
            above.push(difference + margin);
        }
        if self.decision == Difference::Undecided {
            self.decision = self.decide();
        }
        let Evidence { broken, fine } = self.evidence();
        self.path.push(PathPoint {
            run: self.runs(),
            broken,
            fine,
        });
        Ok(self.decision)
    }

    #[inline]
    fn decide(&self) -> Difference {
        let needed = -self.alpha.ln();
        if self.ln_e_value(Side::Upper) >= needed {
            Difference::Higher
        } else if self.ln_e_value(Side::Lower) >= needed {
            Difference::Lower
        } else if self.evidence().fine >= -self.fine.ln() {
            Difference::WithinMargin
        } else {
            Difference::Undecided
        }
    }

    /// The logarithm of the e-value for "higher" (upper) or "lower", which decides at −ln α: half of the level is taken
    /// into account.
    #[inline]
    pub fn ln_e_value(&self, side: Side) -> f64 {
        self.bets.ln_value(side) - 2f64.ln()
    }

    /// The evidence for a difference in either direction, and that it lies within the margin.
    #[inline]
    pub fn evidence(&self) -> Evidence {
        let within = match &self.within {
            Some([below, above]) => below.ln_peak(Side::Lower).min(above.ln_peak(Side::Upper)),
            None => 0.0,
        };
        Evidence {
            broken: self
                .ln_e_value(Side::Upper)
                .max(self.ln_e_value(Side::Lower)),
            fine: within,
        }
    }

    /// The decision so far.
    #[inline]
    pub fn decision(&self) -> Difference {
        self.decision
    }

    /// The number of runs.
    #[inline]
    pub fn runs(&self) -> u64 {
        self.differences.len() as u64
    }

    /// The number of runs in which both show the same, to the last bit.
    #[inline]
    pub fn equal_runs(&self) -> u64 {
        self.equal
    }

    /// The evidence over runs, at even distances, at most 256 of them.
    #[inline]
    pub fn path(&self) -> &[PathPoint] {
        self.path.points()
    }

    /// The median difference with a confidence sequence of this level.
    #[inline]
    pub fn estimate(&self, level: f64) -> Option<Estimate> {
        shift(&self.differences, PairedBy::SignedRanks, level)
    }
}
