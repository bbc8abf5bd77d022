//! Means and rates: bets on each end of the allowed values, and against each end with its margin.

use super::bet::Bet;
use super::claim::{Allowed, ClaimError, MeanClaim, Outside, RateClaim, Refusal};
use super::estimate::Estimate;
use super::{Family, Observation};
use crate::numeric::root::crossing;
use crate::tail::{Domain, Side};

/// A mean or a rate under test.
#[derive(Debug, Clone)]
pub(super) struct Betting {
    domain: Domain,
    outside: Outside,
    /// Bets that the mean lies beyond an end.
    broken: Vec<Bet>,
    /// Bets that it does not lie beyond an end with its margin; `None` where the domain has no limit for them.
    fine: Option<Vec<Bet>>,
    /// One value a run.
    values: Vec<f64>,
    sum: f64,
}

impl Betting {
    pub fn of_mean(claim: &MeanClaim) -> Result<Self, ClaimError> {
        check(claim)?;
        let domain = claim.domain;
        let mut broken = Vec::new();
        let mut fine = Vec::new();
        for (side, bound) in claim.allowed.ends() {
            let opposite = opposite(side);
            let limit = domain.end(opposite);
            if !(bound - limit).is_finite() {
                return Err(ClaimError::NoLimit {
                    bound,
                    missing: opposite,
                });
            }
            broken.push(Bet::new(side, bound, limit));
            let beyond = bound + side.orient(claim.margin);
            let limit = domain.end(side);
            if (beyond - limit).is_finite() {
                fine.push(Bet::new(opposite, beyond, limit));
            }
        }
        Ok(Betting {
            domain,
            outside: claim.outside,
            fine: (fine.len() == broken.len()).then_some(fine),
            broken,
            values: Vec::new(),
            sum: 0.0,
        })
    }

    /// No bets, for an estimate alone.
    pub fn within(domain: Domain) -> Self {
        Betting {
            domain,
            outside: Outside::Clipped,
            broken: Vec::new(),
            fine: None,
            values: Vec::new(),
            sum: 0.0,
        }
    }

    pub fn of_rate(claim: &RateClaim) -> Result<Self, ClaimError> {
        Betting::of_mean(&MeanClaim {
            allowed: claim.allowed,
            margin: claim.margin,
            domain: unit(),
            outside: Outside::Refused,
        })
    }

    /// The end of a confidence sequence on one side: the bound that bets of this capital just refute.
    pub fn end(&self, side: Side, ln_capital: f64) -> f64 {
        let limit = self.domain.end(side);
        let mean = self.sum / self.values.len() as f64;
        // The capital of a bet on a mean on the inner side of a bound falls as the bound comes nearer.
        let refuted = |bound: f64| {
            let mut bet = Bet::new(opposite(side), bound, limit);
            self.values.iter().for_each(|value| bet.push(*value));
            bet.ln_peak() - ln_capital
        };
        let gap = side.orient(limit) - side.orient(mean);
        if gap <= 0.0 || !gap.is_finite() {
            return limit;
        }
        let nearly = mean + side.orient(gap * (1.0 - 1e-9));
        if refuted(nearly) <= 0.0 {
            return limit;
        }
        let distance = crossing(0.0, 1.0 - 1e-9, 1e-6, |part| {
            refuted(mean + side.orient(gap * part.max(1e-12)))
        });
        mean + side.orient(gap * distance)
    }
}

impl Family for Betting {
    fn push(&mut self, run: Observation<'_>) -> Result<(), Refusal> {
        let (first, second) = (run.first.len(), run.second.len());
        if first == 0 || second != 0 {
            return Err(Refusal::Count { first, second });
        }
        let mut sum = 0.0;
        for value in run.first {
            if value.is_nan() {
                return Err(Refusal::NotANumber);
            }
            if !self.domain.contains(*value) && self.outside == Outside::Refused {
                return Err(Refusal::Outside {
                    value: *value,
                    domain: self.domain,
                });
            }
            // An infinite value that a half-open domain allows is a very large one.
            sum += value.clamp(-f64::MAX, f64::MAX) / first as f64;
        }
        for bet in self.broken.iter_mut().chain(self.fine.iter_mut().flatten()) {
            bet.push(sum);
        }
        self.sum += sum;
        self.values.push(sum);
        Ok(())
    }

    fn broken(&self) -> f64 {
        let most = self.broken.iter().map(Bet::ln_value);
        most.fold(f64::NEG_INFINITY, f64::max) - (self.broken.len() as f64).ln()
    }

    fn fine(&self) -> f64 {
        match &self.fine {
            // All must be refuted, each at a time of its own.
            Some(bets) => bets.iter().map(Bet::ln_peak).fold(f64::INFINITY, f64::min),
            None => 0.0,
        }
    }

    fn estimate(&self, level: f64) -> Option<Estimate> {
        let value = self.sum / self.values.len() as f64;
        let ln_capital = -(0.5 * level).ln();
        (!self.values.is_empty()).then(|| Estimate {
            value,
            // Values beyond a learned limit can draw the mean beyond it too.
            low: self.end(Side::Lower, ln_capital).min(value),
            high: self.end(Side::Upper, ln_capital).max(value),
            level,
        })
    }
}

pub(super) fn unit() -> Domain {
    Domain::new(0.0, 1.0).expect("0 is smaller than 1")
}

pub(super) fn opposite(side: Side) -> Side {
    match side {
        Side::Lower => Side::Upper,
        Side::Upper => Side::Lower,
    }
}

fn check(claim: &MeanClaim) -> Result<(), ClaimError> {
    let MeanClaim {
        allowed,
        margin,
        domain,
        ..
    } = *claim;
    if !(margin >= 0.0 && margin.is_finite()) {
        return Err(ClaimError::Margin(margin));
    }
    let is_empty = matches!(allowed, Allowed::Between(low, high) if low >= high);
    if is_empty || allowed.ends().any(|(_, bound)| !bound.is_finite()) {
        return Err(ClaimError::Allowed(allowed));
    }
    for (side, bound) in allowed.ends() {
        for bound in [bound, bound + side.orient(margin)] {
            if !(domain.lower() < bound && bound < domain.upper()) {
                return Err(ClaimError::NotInside { bound, domain });
            }
        }
    }
    Ok(())
}
