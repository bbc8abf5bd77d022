//! Values drawn from a given law: where they lie in it is uniform.

use super::claim::{ClaimError, LawClaim, Refusal};
use super::closeness::{Closeness, from_law};
use super::estimate::Estimate;
use super::mixture::Mixture;
use super::pit::{Alternative, LawPlace};
use super::same::check;
use super::{Family, Observation};
use crate::tail::Domain;

/// The claim that values have a given law.
///
/// Bets are likelihood ratios of other laws on (0, 1) against the uniform one. For a discrete law, a value is an interval,
/// and the ratio its mean over that: what a randomised place would give on average, without a random number. So it is an
/// e-value for discrete laws too.
#[derive(Debug, Clone)]
pub(super) struct Distributed {
    alternatives: Vec<Alternative>,
    histograms: [Histogram; 2],
    capital: Mixture,
    closeness: Closeness,
    places: Vec<(f64, f64)>,
    /// The places of the run that is being counted.
    cluster: Vec<LawPlace>,
}

/// Alternatives, with the weights of their shares of the capital.
fn alternatives() -> Vec<(Alternative, f64)> {
    let mut all = Vec::new();
    for mean in [0.05, 0.1, 0.2, 0.4, 0.8, 1.6] {
        for mean in [mean, -mean] {
            all.push((Alternative::Normal { mean, sd: 1.0 }, 1.5));
        }
    }
    for sd in [0.5, 0.7, 0.85, 0.93, 1.08, 1.2, 1.5, 2.2] {
        all.push((Alternative::Normal { mean: 0.0, sd }, 1.5));
    }
    for (skew, tail) in [
        (0.1, 1.0),
        (0.3, 1.0),
        (0.0, 0.75),
        (0.0, 0.9),
        (0.0, 1.1),
        (0.0, 1.3),
    ] {
        all.push((Alternative::shape(skew, tail), 1.0));
        if skew > 0.0 {
            all.push((Alternative::shape(-skew, tail), 1.0));
        }
    }
    for k in [2.0, 3.0, 4.0, 5.0] {
        for size in [0.08, 0.3, 0.9] {
            for size in [size, -size] {
                all.push((Alternative::Wave { k, size }, 0.5));
            }
        }
    }
    for mirrored in [false, true] {
        all.push((Alternative::Pole { mirrored }, 0.5));
    }
    all
}

/// The weight of each histogram.
const HISTOGRAM: f64 = 3.0;

impl Distributed {
    pub fn new(claim: &LawClaim) -> Result<Self, ClaimError> {
        check(claim)?;
        let (alternatives, mut weights): (Vec<_>, Vec<_>) = alternatives().into_iter().unzip();
        weights.extend([HISTOGRAM; 2]);
        Ok(Distributed {
            alternatives,
            histograms: [Histogram::new(8), Histogram::new(64)],
            capital: Mixture::new(weights),
            closeness: Closeness::new(claim.margin, 1.0),
            places: Vec::new(),
            cluster: Vec::new(),
        })
    }
}

impl Family for Distributed {
    fn push(&mut self, run: Observation<'_>) -> Result<(), Refusal> {
        let (first, second) = (run.first.len(), run.second.len());
        if first == 0 || first != second {
            return Err(Refusal::Count { first, second });
        }
        for (before, at) in run.first.iter().zip(run.second) {
            if before.is_nan() || at.is_nan() {
                return Err(Refusal::NotANumber);
            }
            let domain = Domain::new(0.0, 1.0).expect("0 is smaller than 1");
            for value in [before, at] {
                if !domain.contains(*value) || before > at {
                    return Err(Refusal::Outside {
                        value: *value,
                        domain,
                    });
                }
            }
        }
        let cluster = &mut self.cluster;
        cluster.clear();
        cluster.extend(
            run.first
                .iter()
                .zip(run.second)
                .map(|(b, a)| LawPlace::new(*b, *a)),
        );
        // The mean of e-values is one, however the values of a cluster depend on each other.
        let mean = |density: &dyn Fn(&LawPlace) -> f64| {
            cluster.iter().map(density).sum::<f64>() / first as f64
        };
        let (alternatives, histograms) = (&self.alternatives, &self.histograms);
        self.capital.step(|index| match alternatives.get(index) {
            Some(alternative) => mean(&|place| alternative.density(place)),
            None => mean(&|place| histograms[index - alternatives.len()].density(place)),
        });
        for histogram in &mut self.histograms {
            for place in cluster.iter() {
                histogram.count(place, 1.0 / first as f64);
            }
        }
        self.places.push((run.first[0], run.second[0]));
        let places = &self.places;
        self.closeness.look(places.len(), || from_law(places));
        Ok(())
    }

    fn broken(&self) -> f64 {
        self.capital.ln_value()
    }

    fn fine(&self) -> f64 {
        self.closeness.ln_peak()
    }

    fn estimate(&self, level: f64) -> Option<Estimate> {
        let runs = self.places.len();
        let distance = || from_law(&self.places);
        (runs > 0).then(|| self.closeness.estimate(runs, distance(), level))
    }
}

/// A density that is learned from the places so far: shares of equal bins, each begun with half a value
/// (Krichevsky & Trofimov 1981).
#[derive(Debug, Clone)]
struct Histogram {
    counts: Vec<f64>,
    total: f64,
}

impl Histogram {
    fn new(bins: usize) -> Self {
        Histogram {
            counts: vec![0.5; bins],
            total: 0.5 * bins as f64,
        }
    }

    fn density(&self, place: &LawPlace) -> f64 {
        let bins = self.counts.len();
        let mass = place.bins(bins).map(|(bin, part)| part * self.counts[bin]);
        mass.sum::<f64>() * bins as f64 / self.total
    }

    fn count(&mut self, place: &LawPlace, weight: f64) {
        for (bin, part) in place.bins(self.counts.len()) {
            self.counts[bin] += part * weight;
        }
        self.total += weight;
    }
}
