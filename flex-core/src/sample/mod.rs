//! Samples of one site: ordered, with what is unusual about them found out once (docs/design/bound.md).

pub mod second_mode;
pub(crate) mod ties;

use std::fmt;

use crate::arrays::each;
use crate::sorted::{sort, sort_runs};
use crate::tail::{Domain, Side};
use crate::words::{count, run_list};

/// The probabilities of the quantiles that are kept of a calibration.
pub const QUANTILES: [f64; 17] = [
    0.0, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99, 1.0,
];

/// The finite value that a site saw in one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The value; never NaN or infinite.
    pub value: f64,
    /// The index of the run it came from, which decides its seed.
    pub run: u32,
}

/// The hits of a site in one run, folded to the most extreme on each side. NaN is more extreme than any number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extremes {
    /// The sample of the lower side.
    pub least: f64,
    /// The sample of the upper side.
    pub greatest: f64,
}

impl Extremes {
    /// The first hit.
    #[inline]
    pub fn new(value: f64) -> Self {
        Extremes {
            least: value,
            greatest: value,
        }
    }

    /// A further hit.
    pub fn push(&mut self, value: f64) {
        if value.is_nan() || self.least.is_nan() {
            *self = Extremes::new(f64::NAN);
        } else {
            self.least = self.least.min(value);
            self.greatest = self.greatest.max(value);
        }
    }
}

/// All samples of a site, in ascending order, with the runs whose value was not a finite number kept apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    finite: Vec<Sample>,
    nan: Vec<u32>,
    below: Vec<u32>,
    above: Vec<u32>,
}

impl Samples {
    /// Orders `(run, value)` pairs. The order of arrival leaves no trace.
    #[inline]
    pub fn new(values: impl IntoIterator<Item = (u32, f64)>) -> Self {
        let values = values.into_iter();
        let mut samples = Samples {
            finite: Vec::with_capacity(values.size_hint().0),
            ..Samples::default()
        };
        for (run, value) in values {
            match value {
                f64::INFINITY => samples.above.push(run),
                f64::NEG_INFINITY => samples.below.push(run),
                value if value.is_nan() => samples.nan.push(run),
                // Adding zero turns -0.0 into 0.0, so that equal values are equal bits.
                value => samples.finite.push(Sample {
                    value: value + 0.0,
                    run,
                }),
            }
        }
        samples.sort();
        samples
    }

    fn sort(&mut self) {
        sort(&mut self.finite, |a, b| (a.value, a.run) < (b.value, b.run));
        for runs in [&mut self.nan, &mut self.below, &mut self.above] {
            sort_runs(runs);
        }
    }

    /// Orders values that are numbered by their position.
    pub fn from_values(values: &[f64]) -> Self {
        Samples::new(
            values
                .iter()
                .enumerate()
                .map(|(index, value)| (index as u32, *value)),
        )
    }

    /// The number of samples, finite or not.
    pub fn len(&self) -> usize {
        self.finite.len() + self.nan.len() + self.below.len() + self.above.len()
    }

    /// The samples of so many runs, the first ones: a choice that no value decides.
    pub(crate) fn first(&self, count: usize) -> Samples {
        let mut runs: Vec<u32> = self.finite.iter().map(|sample| sample.run).collect();
        for kept_apart in [&self.nan, &self.below, &self.above] {
            runs.extend_from_slice(kept_apart);
        }
        sort_runs(&mut runs);
        let last = runs.get(count.saturating_sub(1)).copied();
        let is_first = |run: &u32| count > 0 && last.is_none_or(|last| *run <= last);
        let mut first = self.clone();
        first.finite.retain(|sample| is_first(&sample.run));
        for kept_apart in [&mut first.nan, &mut first.below, &mut first.above] {
            kept_apart.retain(is_first);
        }
        first
    }

    /// Whether there is no sample at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The finite samples in ascending order.
    pub fn finite(&self) -> &[Sample] {
        &self.finite
    }

    /// Every value with its run, in the order of runs.
    pub fn by_run(&self) -> Vec<(u32, f64)> {
        let mut runs: Vec<(u32, f64)> = self.finite.iter().map(|s| (s.run, s.value)).collect();
        let apart = [
            (&self.nan, f64::NAN),
            (&self.below, f64::NEG_INFINITY),
            (&self.above, f64::INFINITY),
        ];
        for (of_value, value) in apart {
            runs.extend(of_value.iter().map(|run| (*run, value)));
        }
        sort(&mut runs, |(a, _), (b, _)| a < b);
        runs
    }

    /// Whether every sample is the same finite value.
    pub fn is_constant(&self) -> bool {
        match (self.finite.first(), self.finite.last()) {
            (Some(first), Some(last)) => {
                self.finite.len() == self.len() && first.value == last.value
            }
            _ => false,
        }
    }

    /// The sample quantile of the finite values (Hyndman & Fan 1996, type 7), or `None` without any.
    pub fn quantile(&self, probability: f64) -> Option<f64> {
        let last = self.finite.len().checked_sub(1)?;
        let position = probability.clamp(0.0, 1.0) * last as f64;
        let index = (position.floor() as usize).min(last);
        let low = self.finite[index].value;
        let high = self.finite[(index + 1).min(last)].value;
        Some(interpolate(low, high, position - index as f64))
    }

    /// The median of the finite values.
    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    /// The [`QUANTILES`] of the finite values, or `None` without any.
    pub fn quantiles(&self) -> Option<[f64; QUANTILES.len()]> {
        let median = self.median()?;
        Some(each(&QUANTILES, |p| self.quantile(p).unwrap_or(median)))
    }

    /// The samples that cannot be, if the metric is what its domain says. Noise in the last bits is let pass.
    pub fn outside(&self, domain: Domain) -> Option<OutsideDomain> {
        // Noise is judged by the end itself and by the middle of the samples, which one wild value does not move.
        let middle = match (self.quantile(0.1), self.quantile(0.9)) {
            (Some(low), Some(high)) => low.abs().max(high.abs()),
            _ => 0.0,
        };
        let noise = |end: f64| {
            let size = if end.is_finite() {
                end.abs().max(middle)
            } else {
                0.0
            };
            1e-9 * size.min(domain.upper() - domain.lower())
        };
        let low = domain.lower() - noise(domain.lower());
        let high = domain.upper() + noise(domain.upper());
        let mut outside = Vec::new();
        let mut judge = |run: u32, value: f64| {
            if value < low || value > high {
                outside.push((run, value));
            }
        };
        for sample in &self.finite {
            judge(sample.run, sample.value);
        }
        for run in &self.below {
            judge(*run, f64::NEG_INFINITY);
        }
        for run in &self.above {
            judge(*run, f64::INFINITY);
        }
        let (_, value) = *outside.iter().min_by_key(|(run, _)| *run)?;
        let mut runs: Vec<u32> = outside.iter().map(|(run, _)| *run).collect();
        sort_runs(&mut runs);
        Some(OutsideDomain {
            domain,
            value,
            runs,
        })
    }

    /// How many samples are beyond `bound` on `side`. What is not a number is beyond every bound.
    pub fn count_beyond(&self, side: Side, bound: f64) -> usize {
        let finite = match side {
            Side::Upper => self.finite.len() - self.finite.partition_point(|s| s.value <= bound),
            Side::Lower => self.finite.partition_point(|s| s.value < bound),
        };
        finite + self.nan.len() + self.infinite_beyond(side).len()
    }

    /// The samples seen as an upper tail.
    pub(crate) fn orient(&self, side: Side) -> Oriented {
        let mut values: Vec<f64> = self.finite.iter().map(|s| s.value).collect();
        if side == Side::Lower {
            values.reverse();
            values.iter_mut().for_each(|value| *value = -*value);
        }
        Oriented {
            harmless: self.infinite_beyond(side.opposite()).to_vec(),
            values,
            unbounded: self.unbounded(side),
        }
    }

    /// The runs of the `count` finite samples farthest out on `side`, farthest first.
    pub fn extreme_runs(&self, side: Side, count: usize) -> Vec<u32> {
        let (count, all) = (count.min(self.finite.len()), &self.finite);
        let extreme = match side {
            Side::Upper => &all[all.len() - count..],
            Side::Lower => &all[..count],
        };
        let mut runs: Vec<u32> = extreme.iter().map(|sample| sample.run).collect();
        if side == Side::Upper {
            runs.reverse();
        }
        runs
    }

    /// The runs whose value is beyond every bound on `side`: NaN, and infinite towards it.
    pub fn unbounded(&self, side: Side) -> Vec<u32> {
        let mut runs = [&self.nan[..], self.infinite_beyond(side)].concat();
        sort_runs(&mut runs);
        runs
    }

    fn infinite_beyond(&self, side: Side) -> &[u32] {
        match side {
            Side::Upper => &self.above,
            Side::Lower => &self.below,
        }
    }
}

/// Samples that contradict the domain that the user declared.
#[derive(Debug, Clone, PartialEq)]
pub struct OutsideDomain {
    domain: Domain,
    value: f64,
    runs: Vec<u32>,
}

impl fmt::Display for OutsideDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} outside of the declared domain {}, such as {}; look at {}, or correct the domain",
            count(self.runs.len(), "value lies", "values lie"),
            self.domain,
            self.value,
            run_list(&self.runs)
        )
    }
}

/// Weighted mean of two finite values, without overflow and exact where they are equal.
fn interpolate(low: f64, high: f64, weight: f64) -> f64 {
    if low == high {
        low
    } else {
        low * (1.0 - weight) + high * weight
    }
}

/// Samples mirrored so that "beyond" always means "greater".
#[derive(Debug, Clone)]
pub(crate) struct Oriented {
    /// The runs at the infinite end of the side where nothing is suspicious.
    pub harmless: Vec<u32>,
    /// The finite values, ascending.
    pub values: Vec<f64>,
    /// The runs that are beyond every bound: NaN, and infinite towards the tail.
    pub unbounded: Vec<u32>,
}

impl Oriented {
    /// The number of samples, finite or not.
    pub fn len(&self) -> usize {
        self.harmless.len() + self.values.len() + self.unbounded.len()
    }

    /// The samples above a value, those that are beyond every bound among them.
    pub fn count_above(&self, value: f64) -> u32 {
        let finite = self.values.len() - self.values.partition_point(|other| *other <= value);
        (finite + self.unbounded.len()) as u32
    }

    /// The runs whose value is not finite: those beyond every bound, or else the others.
    pub fn not_finite(&self) -> Vec<u32> {
        match self.unbounded.is_empty() {
            true => self.harmless.clone(),
            false => self.unbounded.clone(),
        }
    }

    /// The value with `rank` samples after it in ascending order. Where that is not finite, the runs that are not.
    pub fn nth_largest(&self, rank: usize) -> Result<f64, &[u32]> {
        let rank = rank.checked_sub(self.unbounded.len());
        let rank = rank.ok_or(self.unbounded.as_slice())?;
        match self.values.len().checked_sub(rank + 1) {
            Some(index) => Ok(self.values[index]),
            None => Err(&self.harmless),
        }
    }
}

#[cfg(test)]
mod tests;
