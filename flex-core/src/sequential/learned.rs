//! Claims that are learned from a calibration: a mean or a rate stays where it was
//! (docs/design/sequential.md, "Learned means and rates").

use std::fmt;

use super::betting::Betting;
use super::claim::{Allowed, MeanClaim, Outside, RateClaim};
use super::{Family, Observation};
use crate::bound::confidence::ASSURANCE;
use crate::numeric::special::beta_quantile;
use crate::tail::{Domain, Side, Tail};

/// What is to be learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learn {
    /// The side, or both, on which the mean or the rate may not move: upper for `x < _`.
    pub tail: Tail,
    /// The values that a run can show, where they are known.
    pub domain: Option<Domain>,
    /// The smallest change worth finding; a quarter of a standard deviation if it is not stated.
    pub margin: Option<f64>,
    /// The probability, over calibrations, that the bound lies beyond the true mean.
    pub assurance: f64,
}

impl Learn {
    /// With the usual assurance and margin, and no domain.
    pub fn new(tail: Tail) -> Self {
        Learn {
            tail,
            domain: None,
            margin: None,
            assurance: ASSURANCE,
        }
    }

    /// Learns that the mean stays where it was: the allowed values end where a confidence bound of the calibrated mean does.
    ///
    /// Where the domain does not say otherwise, values are taken to end half of their range beyond the outermost ones.
    pub fn mean(&self, values: &[f64]) -> Result<MeanClaim, LearnError> {
        if values.iter().any(|value| !value.is_finite()) {
            return Err(LearnError::NotFinite);
        }
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if values.len() < FEWEST {
            return Err(LearnError::TooFew(values.len()));
        }
        let room = 0.5 * (high - low);
        if room == 0.0 || !room.is_finite() {
            return Err(LearnError::Constant(low));
        }
        let ends = |domain: Domain| {
            (
                domain.lower().max(low - room),
                domain.upper().min(high + room),
            )
        };
        let (lower, upper) = self.domain.map_or((low - room, high + room), ends);
        let domain = Domain::new(lower, upper).map_err(|_| LearnError::Constant(low))?;
        let (allowed, far) = self.bounds(values, domain)?;
        let outside = match self.domain == Some(domain) {
            true => Outside::Refused,
            false => Outside::Clipped,
        };
        if !(sd(values).is_finite() && lower.is_finite() && upper.is_finite()) {
            return Err(LearnError::NotFinite);
        }
        let margin = self
            .margin
            .unwrap_or_else(|| 0.25 * sd(values))
            .min(0.5 * far);
        Ok(MeanClaim {
            allowed,
            margin,
            domain,
            outside,
        })
    }

    /// Confidence bounds of the mean, and how near an end of the domain lies to one of them.
    fn bounds(&self, values: &[f64], domain: Domain) -> Result<(Allowed, f64), LearnError> {
        let mut betting = Betting::within(domain);
        for value in values {
            let counted = betting.push(Observation::one(value));
            counted.map_err(|_| LearnError::NotFinite)?;
        }
        let sides = self.tail.sides();
        let ln_capital = -((1.0 - self.assurance) / sides.len() as f64).ln();
        let mut far = f64::INFINITY;
        let mut end = |side: Side| {
            let bound = betting.end(side, ln_capital);
            far = far.min((domain.end(side) - bound).abs());
            bound
        };
        let allowed = match self.tail {
            Tail::Upper => Allowed::AtMost(end(Side::Upper)),
            Tail::Lower => Allowed::AtLeast(end(Side::Lower)),
            Tail::Both => Allowed::Between(end(Side::Lower), end(Side::Upper)),
        };
        match far > 0.0 {
            true => Ok((allowed, far)),
            false => Err(LearnError::TooFew(values.len())),
        }
    }

    /// Learns that a rate stays where it was, from `yes` of `runs`: the allowed values end where the exact confidence bound
    /// of the calibrated rate does (Clopper & Pearson 1934).
    pub fn rate(&self, yes: u64, runs: u64) -> Result<RateClaim, LearnError> {
        let (yes, no) = (yes.min(runs) as f64, runs.saturating_sub(yes) as f64);
        if runs < FEWEST as u64 {
            return Err(LearnError::TooFew(runs as usize));
        }
        let level = (1.0 - self.assurance) / self.tail.sides().len() as f64;
        let at_least = || match yes > 0.0 {
            true => Ok(beta_quantile(yes, no + 1.0, level)),
            false => Err(LearnError::Constant(0.0)),
        };
        let at_most = || match no > 0.0 {
            true => Ok(1.0 - beta_quantile(no, yes + 1.0, level)),
            false => Err(LearnError::Constant(1.0)),
        };
        let allowed = match self.tail {
            Tail::Upper => Allowed::AtMost(at_most()?),
            Tail::Lower => Allowed::AtLeast(at_least()?),
            // A rate that was 0 or 1 can move one way only.
            Tail::Both if no == 0.0 => Allowed::AtLeast(at_least()?),
            Tail::Both if yes == 0.0 => Allowed::AtMost(at_most()?),
            Tail::Both => Allowed::Between(at_least()?, at_most()?),
        };
        let spread = |(_, bound): (Side, f64)| (bound * (1.0 - bound)).sqrt();
        let far = |(side, bound): (Side, f64)| match side {
            Side::Lower => bound,
            Side::Upper => 1.0 - bound,
        };
        let widest = allowed.ends().map(spread).fold(0.0, f64::max);
        let nearest = allowed.ends().map(far).fold(1.0, f64::min);
        Ok(RateClaim {
            allowed,
            margin: self.margin.unwrap_or(0.25 * widest).min(0.5 * nearest),
        })
    }
}

/// Fewer runs tell too little of a mean.
const FEWEST: usize = 10;

/// The standard deviation of samples.
fn sd(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().map(|value| value / n).sum::<f64>();
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    (squares.sum::<f64>() / (n - 1.0)).sqrt()
}

/// Why nothing could be learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LearnError {
    /// A calibration run showed NaN, an infinity, or a number whose square is one.
    NotFinite,
    /// All runs showed this value.
    Constant(f64),
    /// So few runs tell too little.
    TooFew(usize),
}

impl fmt::Display for LearnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LearnError::NotFinite => {
                write!(
                    f,
                    "a calibration run showed NaN, an infinity or a number near it, which has no mean"
                )
            }
            LearnError::Constant(value) => write!(
                f,
                "all calibration runs showed {value}, which leaves nothing to learn a mean from; assert equality"
            ),
            LearnError::TooFew(runs) => write!(
                f,
                "{runs} calibration runs are too few to learn a mean from; make more"
            ),
        }
    }
}

impl std::error::Error for LearnError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_end_at_the_exact_confidence_bound() {
        const LOWER_95: f64 = 0.8741482693023214;
        // scipy.stats.beta.ppf(0.01, 95, 6), scipy.stats.beta.ppf(0.01, 100, 1), 1 - scipy.stats.beta.ppf(0.01, 95, 6)
        let check = |tail: Tail, yes: u64, expected: Allowed| {
            let claim = Learn::new(tail).rate(yes, 100).unwrap();
            let ends = claim.allowed.ends().zip(expected.ends());
            for ((side, got), (wanted, bound)) in ends {
                assert_eq!(side, wanted);
                assert!((got / bound - 1.0).abs() < 1e-9, "{got} {bound}");
            }
        };
        check(Tail::Lower, 95, Allowed::AtLeast(LOWER_95));
        check(Tail::Lower, 100, Allowed::AtLeast(0.01f64.powf(0.01)));
        check(Tail::Both, 100, Allowed::AtLeast(0.005f64.powf(0.01)));
        check(Tail::Upper, 5, Allowed::AtMost(1.0 - LOWER_95));
        assert!(Learn::new(Tail::Lower).rate(0, 100).is_err());
        assert!(Learn::new(Tail::Upper).rate(100, 100).is_err());
    }

    #[test]
    fn a_learned_mean_lies_beyond_the_sample_mean_and_inside_of_its_limits() {
        let values: Vec<f64> = (0..200)
            .map(|i| f64::from(i * 7919 % 200) / 200.0)
            .collect();
        for tail in [Tail::Upper, Tail::Lower, Tail::Both] {
            let claim = Learn::new(tail).mean(&values).unwrap();
            assert_eq!(claim.outside, Outside::Clipped);
            assert!((claim.margin - 0.0723).abs() < 1e-3, "{}", claim.margin);
            for (side, bound) in claim.allowed.ends() {
                let distance = side.orient(bound) - side.orient(0.4975);
                assert!((0.03..0.1).contains(&distance), "{claim:?}");
            }
        }
        let domain = Domain::new(0.0, 1.0).ok();
        let learn = Learn {
            domain,
            margin: Some(0.01),
            ..Learn::new(Tail::Upper)
        };
        let claim = learn.mean(&values).unwrap();
        assert_eq!((claim.outside, claim.margin), (Outside::Refused, 0.01));
    }

    #[test]
    fn what_cannot_be_learned_is_refused() {
        let learn = Learn::new(Tail::Upper);
        assert_eq!(learn.mean(&[1.0; 50]), Err(LearnError::Constant(1.0)));
        assert_eq!(learn.mean(&[1.0, f64::NAN]), Err(LearnError::NotFinite));
        assert_eq!(learn.mean(&[1.0, 2.0]), Err(LearnError::TooFew(2)));
        assert_eq!(learn.mean(&[]), Err(LearnError::TooFew(0)));
    }
}
