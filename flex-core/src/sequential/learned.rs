//! Means and rates that are held where they were, learned from a calibration
//! (docs/design/sequential.md, "Learned means and rates").

use std::fmt;

use super::betting::{Betting, unit};
use super::claim::{Allowed, MeanClaim, Outside};
use super::{Family, Observation};
use crate::bound::confidence::ASSURANCE;
use crate::tail::{Domain, Side, Tail};

/// What is to be learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learn {
    /// The side, or both, on which the mean or the rate may not move: upper for `x < _`.
    pub tail: Tail,
    /// Whether it is a rate: values are 0 and 1, or shares between them.
    pub is_rate: bool,
    /// The values that a run can show, where they are known. A rate has its own.
    pub domain: Option<Domain>,
    /// The smallest change worth finding; a quarter of a standard deviation if it is not stated.
    pub margin: Option<f64>,
    /// The probability, over calibrations, that the bound lies beyond the true mean.
    pub assurance: f64,
}

/// A mean or a rate, and the bound that holds it where it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// What is claimed from now on.
    pub claim: MeanClaim,
    /// The mean of the calibration.
    pub mean: f64,
    /// Whether a bound lies farther from it than the smallest change worth finding, which more runs mend.
    pub is_loose: bool,
}

impl Learn {
    /// With the usual assurance and margin, and no domain.
    pub fn new(tail: Tail) -> Self {
        Learn {
            tail,
            is_rate: false,
            domain: None,
            margin: None,
            assurance: ASSURANCE,
        }
    }

    /// Learns that the mean stays where it was: the allowed values end where a confidence sequence of the calibrated mean
    /// does, so that it does not matter why there are as many values as there are.
    ///
    /// Where the domain has no end, values are taken to end half of their range beyond the outermost ones.
    pub fn held(&self, values: &[f64]) -> Result<Held, LearnError> {
        if values.iter().any(|value| !value.is_finite()) {
            return Err(LearnError::NotFinite);
        }
        if values.len() < FEWEST {
            return Err(LearnError::TooFew(values.len()));
        }
        let domain = self.limits(values)?;
        let mut betting = Betting::within(domain);
        for value in values {
            let counted = betting.push(Observation::one(value));
            counted.map_err(|_| LearnError::NotFinite)?;
        }
        let ln_capital = -((1.0 - self.assurance) / self.tail.sides().len() as f64).ln();
        let end = |side: Side| betting.end(side, ln_capital);
        let allowed = match self.tail {
            Tail::Upper => Allowed::AtMost(end(Side::Upper)),
            Tail::Lower => Allowed::AtLeast(end(Side::Lower)),
            Tail::Both => Allowed::Between(end(Side::Lower), end(Side::Upper)),
        };
        let (mean, sd) = moments(values);
        if !sd.is_finite() {
            return Err(LearnError::NotFinite);
        }
        let room = |(side, bound): (Side, f64)| (domain.end(side) - bound).abs();
        let room = allowed.ends().map(room).fold(f64::INFINITY, f64::min);
        if room <= 0.0 {
            let is_constant = values.iter().all(|value| *value == values[0]);
            return Err(match is_constant {
                true => LearnError::Constant(values[0]),
                false => LearnError::TooFew(values.len()),
            });
        }
        let margin = self.margin.unwrap_or_else(|| match self.is_rate {
            true => 0.25 * rate_sd(allowed),
            false => 0.25 * sd,
        });
        let distance = |(_, bound): (Side, f64)| (bound - mean).abs();
        let stated_whole = self.is_rate || self.domain == Some(domain);
        Ok(Held {
            claim: MeanClaim {
                allowed,
                margin: margin.min(0.5 * room),
                domain,
                outside: match stated_whole {
                    true => Outside::Refused,
                    false => Outside::Clipped,
                },
            },
            mean,
            is_loose: allowed.ends().map(distance).fold(0.0, f64::max) > margin,
        })
    }

    /// Where values end: at the ends of the domain, and where it has none, half of their range beyond the outermost ones.
    fn limits(&self, values: &[f64]) -> Result<Domain, LearnError> {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let stated = match self.is_rate {
            true => Some(unit()),
            false => self.domain,
        };
        if let Some(domain) = stated
            && let Some(value) = [low, high].into_iter().find(|end| !domain.contains(*end))
        {
            return Err(LearnError::Outside(value, domain));
        }
        let room = 0.5 * (high - low);
        if room == 0.0 && !self.is_rate {
            return Err(LearnError::Constant(low));
        }
        let end = |side: Side, learned: f64| {
            let stated = stated.map(|domain| domain.end(side));
            stated.filter(|end| end.is_finite()).unwrap_or(learned)
        };
        let (lower, upper) = (end(Side::Lower, low - room), end(Side::Upper, high + room));
        match (upper - lower).is_finite() {
            true => Domain::new(lower, upper).map_err(|_| LearnError::Constant(low)),
            false => Err(LearnError::NotFinite),
        }
    }
}

/// The largest standard deviation of a yes at an end of the allowed rates.
fn rate_sd(allowed: Allowed) -> f64 {
    let sd = |(_, bound): (Side, f64)| (bound * (1.0 - bound)).sqrt();
    allowed.ends().map(sd).fold(0.0, f64::max)
}

/// Fewer runs tell too little of a mean.
const FEWEST: usize = 10;

/// The mean and the standard deviation of samples.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    (mean, (squares.sum::<f64>() / (n - 1.0)).sqrt())
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
    /// A calibration run showed a value outside of the domain.
    Outside(f64, Domain),
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
            LearnError::Outside(value, domain) => write!(
                f,
                "a calibration run showed {value}, which lies outside of the domain {domain}; change the domain"
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

    /// Evenly spread over 0 to 1, in a scrambled order.
    fn even(runs: u32) -> Vec<f64> {
        let part = |i: u32| f64::from(i * 7919 % runs) / f64::from(runs);
        (0..runs).map(part).collect()
    }

    fn rate(tail: Tail, yes: usize, runs: usize) -> Result<Held, LearnError> {
        let learn = Learn {
            is_rate: true,
            ..Learn::new(tail)
        };
        // Evenly mixed: every value is a yes whose number makes the next whole one.
        let whole = |i: usize| i * yes / runs;
        let values = (0..runs).map(|i| f64::from(u8::from(whole(i + 1) > whole(i))));
        learn.held(&values.collect::<Vec<f64>>())
    }

    #[test]
    fn rates_end_a_little_beyond_the_exact_confidence_bound() {
        // scipy.stats.beta.ppf(0.01, 95, 6), scipy.stats.beta.ppf(0.01, 100, 1), and for 950 of 1000, which are for as many
        // runs as were planned, where ours is for whenever one stops.
        for (yes, runs, exact) in [
            (95, 100, 0.8741482693023214),
            (100, 100, 0.954992586021436),
            (950, 1000, 0.9315951063043689),
        ] {
            let held = rate(Tail::Lower, yes, runs).unwrap();
            let Allowed::AtLeast(bound) = held.claim.allowed else {
                panic!("{held:?}");
            };
            let mean = yes as f64 / runs as f64;
            let wider = (mean - bound) / (mean - exact);
            assert!((1.0..2.0).contains(&wider), "{bound} {exact}");
            assert_eq!(held.claim.outside, Outside::Refused);
        }
        assert_eq!(rate(Tail::Lower, 0, 100), Err(LearnError::Constant(0.0)));
        assert_eq!(rate(Tail::Upper, 100, 100), Err(LearnError::Constant(1.0)));
        assert!(rate(Tail::Upper, 0, 100).is_ok());
    }

    #[test]
    fn a_learned_mean_lies_beyond_the_sample_mean_and_inside_of_its_limits() {
        for tail in [Tail::Upper, Tail::Lower, Tail::Both] {
            let held = Learn::new(tail).held(&even(200)).unwrap();
            assert_eq!(held.claim.outside, Outside::Clipped);
            assert!((held.claim.margin - 0.0723).abs() < 1e-3, "{held:?}");
            assert_eq!(held.claim.domain.lower(), -0.4975);
            for (side, bound) in held.claim.allowed.ends() {
                let distance = side.orient(bound) - side.orient(held.mean);
                assert!((0.03..0.1).contains(&distance), "{held:?}");
            }
        }
    }

    #[test]
    fn a_stated_domain_is_taken_as_it_is_and_an_end_that_it_lacks_is_learned() {
        let learn = |lower, upper| Learn {
            domain: Domain::new(lower, upper).ok(),
            margin: Some(0.01),
            ..Learn::new(Tail::Upper)
        };
        let held = learn(-9.0, 9.0).held(&even(200)).unwrap();
        assert_eq!(held.claim.domain, Domain::new(-9.0, 9.0).unwrap());
        assert_eq!(
            (held.claim.outside, held.claim.margin),
            (Outside::Refused, 0.01)
        );
        let open = learn(-9.0, f64::INFINITY).held(&even(200)).unwrap();
        assert_eq!(open.claim.domain, Domain::new(-9.0, 1.4925).unwrap());
        assert_eq!(open.claim.outside, Outside::Clipped);
        let outside = learn(0.5, 1.0).held(&even(200));
        assert!(matches!(outside, Err(LearnError::Outside(0.0, _))));
    }

    #[test]
    fn more_runs_bring_the_bound_nearer_than_the_margin() {
        let is_loose = |runs| Learn::new(Tail::Upper).held(&even(runs)).unwrap().is_loose;
        assert!(is_loose(50) && !is_loose(300));
    }

    #[test]
    fn what_cannot_be_learned_is_refused() {
        let learn = Learn::new(Tail::Upper);
        assert_eq!(learn.held(&[1.0; 50]), Err(LearnError::Constant(1.0)));
        assert_eq!(learn.held(&[1.0, f64::NAN]), Err(LearnError::NotFinite));
        assert_eq!(learn.held(&[1.0, 2.0]), Err(LearnError::TooFew(2)));
        assert_eq!(learn.held(&[]), Err(LearnError::TooFew(0)));
        let huge: Vec<f64> = (0..50).map(|i| f64::from(i % 2) * f64::MAX).collect();
        assert_eq!(learn.held(&huge), Err(LearnError::NotFinite));
    }
}
