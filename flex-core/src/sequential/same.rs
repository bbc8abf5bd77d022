//! Two things drawn from one law, whatever it is: which of a pair is whose is a fair coin.

use std::f64::consts::PI;

use super::claim::{ClaimError, LawClaim, Refusal};
use super::closeness::{Closeness, between};
use super::estimate::Estimate;
use super::mixture::Mixture;
use super::ranks::Ranks;
use super::{Family, Observation};
use crate::arrays::each;
use crate::numeric::normal::normal_isf;
use crate::sorted::sort_numbers;

/// The claim that two things have the same law.
///
/// If they do, then given the two values of a run, in order, and all that came before, each is as likely to be of the first
/// thing. A bet on that is fair for every stake that looks at places only: at the ranks of both among all values so far,
/// their own included, in which ties share their place. So no law is needed and nothing is drawn. The stake is the tanh of
/// half of an effect times the difference of a feature: a normal score for location, its square for scale, cosines for
/// other shapes.
#[derive(Debug, Clone)]
pub(super) struct Same {
    places: Ranks,
    capital: Mixture,
    closeness: Closeness,
    first: Vec<f64>,
    second: Vec<f64>,
}

/// Location, scale, and four shapes.
const FEATURES: usize = 6;

/// The feature and the effect of each pair of bets, one for each sign of the effect, and the weight of their capital.
const BETS: [(usize, f64, f64); 23] = [
    (0, 0.1, 2.0),
    (0, 0.2, 2.0),
    (0, 0.4, 2.0),
    (0, 0.8, 2.0),
    (0, 1.6, 2.0),
    (0, 4.0, 2.0),
    (1, 0.1, 2.0),
    (1, 0.2, 2.0),
    (1, 0.4, 2.0),
    (1, 0.8, 2.0),
    (1, 2.0, 2.0),
    (2, 0.3, 0.5),
    (2, 0.8, 0.5),
    (2, 2.0, 0.5),
    (3, 0.3, 0.5),
    (3, 0.8, 0.5),
    (3, 2.0, 0.5),
    (4, 0.3, 0.5),
    (4, 0.8, 0.5),
    (4, 2.0, 0.5),
    (5, 0.3, 0.5),
    (5, 0.8, 0.5),
    (5, 2.0, 0.5),
];

/// What bets look at, for a place between 0 and 1.
fn features(place: f64) -> [f64; FEATURES] {
    let z = normal_isf(1.0 - place);
    let wave = |k: f64| (k * PI * place).cos();
    [z, 0.5 * z * z, wave(2.0), wave(3.0), wave(4.0), wave(5.0)]
}

impl Same {
    pub fn new(claim: &LawClaim) -> Result<Self, ClaimError> {
        check(claim)?;
        Ok(Same {
            places: Ranks::default(),
            capital: Mixture::new(BETS.iter().flat_map(|(_, _, weight)| [*weight; 2])),
            closeness: Closeness::new(claim.margin, 2.0),
            first: Vec::new(),
            second: Vec::new(),
        })
    }

    fn distance(&self) -> f64 {
        let sorted = |values: &[f64]| {
            let mut sorted = values.to_vec();
            sort_numbers(&mut sorted);
            sorted
        };
        between(&sorted(&self.first), &sorted(&self.second))
    }
}

/// A margin is a distance of distribution functions.
pub(super) fn check(claim: &LawClaim) -> Result<(), ClaimError> {
    match claim.margin > 0.0 && claim.margin < 1.0 {
        true => Ok(()),
        false => Err(ClaimError::Distance(claim.margin)),
    }
}

impl Family for Same {
    fn push(&mut self, run: Observation<'_>) -> Result<(), Refusal> {
        let (first, second) = (run.first.len(), run.second.len());
        if first == 0 || first != second {
            return Err(Refusal::Count { first, second });
        }
        for value in run.first.iter().chain(run.second) {
            self.places.insert(*value);
        }
        let mut gaps = [0.0; FEATURES];
        for (one, other) in run.first.iter().zip(run.second) {
            let one = features(self.places.mid_rank(*one));
            let other = features(self.places.mid_rank(*other));
            for (gap, (one, other)) in gaps.iter_mut().zip(one.iter().zip(other)) {
                *gap += (one - other) / first as f64;
            }
        }
        let stakes = each(&BETS, |(feature, effect, _)| {
            (0.5 * effect * gaps[feature]).tanh()
        });
        self.capital.step(|index| match index % 2 {
            0 => 1.0 + stakes[index / 2],
            _ => 1.0 - stakes[index / 2],
        });
        // A law is a law of single values: one of each cluster.
        let number = |value: f64| if value.is_nan() { f64::INFINITY } else { value };
        self.first.push(number(run.first[0]));
        self.second.push(number(run.second[0]));
        let mut closeness = self.closeness.clone();
        closeness.look(self.first.len(), || self.distance());
        self.closeness = closeness;
        Ok(())
    }

    fn broken(&self) -> f64 {
        self.capital.ln_value()
    }

    fn fine(&self) -> f64 {
        self.closeness.ln_peak()
    }

    fn estimate(&self, level: f64) -> Option<Estimate> {
        let runs = self.first.len();
        (runs > 0).then(|| self.closeness.estimate(runs, self.distance(), level))
    }
}
